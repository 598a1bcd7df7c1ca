#include "hpcc/fft/checks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "job/worst_deviation.hpp"

namespace groma::hpcc::fft {
namespace {

constexpr std::size_t kLines = 3;       ///< of the spectrum: each costs a pass over the input
constexpr std::uint64_t kPiece = 2048;  ///< points that are summed before they are added to others

double uniform(std::uint64_t bits) {
  return static_cast<double>(bits >> 11U) * 0x1p-53 - 0.5;
}

/// The part of X[line] that the points of `range` give; short sums first, to keep rounding small.
Complex part_of_line(const Roots& roots, std::uint64_t seed, const Range& range, std::uint64_t line) {
  Complex total;
  for (std::uint64_t first = range.first; first < range.end(); first += kPiece) {
    Complex sum;
    std::uint64_t exponent = product_modulo(first, line, roots.order());
    for (std::uint64_t j = first; j < std::min(first + kPiece, range.end()); ++j) {
      sum += input_point(seed, j) * roots.power(exponent);
      exponent += line;
      if (exponent >= roots.order()) exponent -= roots.order();
    }
    total += sum;
  }
  return total;
}

Complex sum_over_ranks(const mpi::Communicator& all, Complex part) {
  return {all.reduce_to_all(part.real(), mpi::Reduction::kSum),
          all.reduce_to_all(part.imag(), mpi::Reduction::kSum)};
}

}  // namespace

Complex input_point(std::uint64_t seed, std::uint64_t index) {
  RandomStream stream(seed ^ RandomStream(index).next());
  const double real = uniform(stream.next());
  return {real, uniform(stream.next())};
}

void fill(Transform& transform, std::uint64_t seed) {
  const Range range = transform.input();
  const std::span<Complex> data = transform.data();
  transform.space().share_out((range.count + kPiece - 1) / kPiece,
                              [&](std::size_t /*member*/, std::uint64_t piece) {
                                const std::uint64_t end = std::min(range.count, (piece + 1) * kPiece);
                                for (std::uint64_t i = piece * kPiece; i < end; ++i) {
                                  data[i] = input_point(seed, range.first + i);
                                }
                              });
}

double round_trip_error(Transform& transform, std::uint64_t seed) {
  transform.backward();
  const Range range = transform.input();
  job::WorstDeviation worst;
  for (std::uint64_t i = 0; i < range.count; ++i) {
    worst.take(std::abs(transform.data()[i] - input_point(seed, range.first + i)));
  }
  return worst.over(transform.ranks());
}

double scaled_error(double error, std::uint64_t n) {
  // ln 1 is 0; a transform of one point changes nothing.
  const double growth = std::max(1.0, std::log(static_cast<double>(n)));
  return error / growth / std::numeric_limits<double>::epsilon();
}

double spectrum_error(const Transform& transform, std::uint64_t seed) {
  const std::uint64_t n = transform.shape().points();
  const Roots roots(n, 1);
  RandomStream random = RandomStream(seed).fork(n);
  job::WorstDeviation worst;
  for (std::size_t i = 0; i < kLines; ++i) {
    const std::uint64_t line = random.below(n);
    const Complex expected =
        sum_over_ranks(transform.ranks(), part_of_line(roots, seed, transform.input(), line));
    const Range own = transform.output();
    const bool has = line >= own.first && line < own.end();
    if (has) worst.take(std::abs(transform.data()[line - own.first] - expected));
  }
  return scaled_error(worst.over(transform.ranks()), n) / std::sqrt(static_cast<double>(n));
}

}  // namespace groma::hpcc::fft
