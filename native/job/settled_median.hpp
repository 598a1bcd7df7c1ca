// When a median has been measured well enough to stop.
#pragma once

#include <span>

namespace groma::job {

/// Whether more samples would hardly change what a reader takes from them: without the last third of the
/// samples the median would move by no more than 1 %, and its 95 % interval is within ±5 % of it. That is
/// half of the width from which a record calls a figure unstable. False for fewer than six samples, which
/// have no such interval.
bool is_settled_median(std::span<const double> samples);

}  // namespace groma::job
