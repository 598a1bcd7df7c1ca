// Values between measured points.
#pragma once

#include "profile/facts.hpp"

namespace groma::profile {

/// Linear between the points around `at`; none outside of the curve.
MaybeQuantity interpolated(const Curve& curve, double at);

/// The same; before the first point it is that of the first.
MaybeQuantity interpolated_from_first(const Curve& curve, double at);

/// The time of a message, as groma_layer_time() defines it; none without a curve.
MaybeQuantity time_of_message(const Layer& layer, double bytes);

/// Bytes over time.
groma_quantity bandwidth_of(double bytes, const groma_quantity& time);

}  // namespace groma::profile
