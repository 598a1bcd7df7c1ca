// Quantiles of samples; the only statistics that measuring itself needs (to know when to stop).
#pragma once

#include <span>
#include <vector>

namespace groma {

/// Quantile q in [0, 1] by linear interpolation between order statistics (Hyndman and Fan 1996, type 7).
/// NaN for no samples.
double quantile(std::vector<double> samples, double q);

/// Whether the estimate of quantile q has settled: it moves by less than `tolerance` (relative) when the
/// last third of the samples is left out. False for fewer than six samples.
bool is_settled(std::span<const double> samples, double q, double tolerance);

}  // namespace groma
