// What a transform starts from, and whether it came out right. All collective over the transform's ranks.
#pragma once

#include <cstdint>

#include "hpcc/fft/transform.hpp"

namespace groma::hpcc::fft {

/// Point `index` of the input: both parts uniform in [-1/2, 1/2), a pure function of its arguments.
Complex input_point(std::uint64_t seed, std::uint64_t index);

/// Writes the input.
void fill(Transform& transform, std::uint64_t seed);

/// After a forward transform of the input: goes back, and gives the largest distance of any point from where
/// it began. The data are the input again, nearly.
double round_trip_error(Transform& transform, std::uint64_t seed);

/// An error over eps ln n, as the suite judges it.
double scaled_error(double error, std::uint64_t n);

/// After a forward transform of the input: the largest error of a few lines of the spectrum, against their
/// definition, over sqrt(n) eps ln n. A round trip alone would not notice a spectrum in the wrong order.
double spectrum_error(const Transform& transform, std::uint64_t seed);

}  // namespace groma::hpcc::fft
