#include "hpcc/fft/spectrum_check.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "hpcc/fft/checks.hpp"
#include "job/worst_deviation.hpp"

namespace groma::hpcc::fft {
namespace {

// Points that are summed up before they are added to others: one long sum would round more than the transform
// does, above all where one term is as large as all others.
constexpr std::uint64_t kPiece = 2048;
constexpr std::uint64_t kShort = 64;

/// exp(2 pi i turns), correct to the last bit or nearly so for a few turns.
Complex turned(long double turns) {
  const long double angle = 2.0L * std::numbers::pi_v<long double> * turns;
  return {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
}

/// `of_piece(first, count)` for pieces of `range`, added up over all ranks.
template <class OfPiece>
Complex sum_of_pieces(const Transform& transform, const Range& range, OfPiece of_piece) {
  Workspace& space = transform.space();
  std::vector<Complex> of_member(space.members());
  space.share_out((range.count + kPiece - 1) / kPiece, [&](std::size_t member, std::uint64_t piece) {
    const std::uint64_t first = range.first + piece * kPiece;
    of_member[member] += of_piece(first, std::min(kPiece, range.end() - first));
  });
  Complex sum;
  for (const Complex& one : of_member) sum += one;
  const mpi::Communicator& all = transform.ranks();
  return {all.reduce_to_all(sum.real(), mpi::Reduction::kSum),
          all.reduce_to_all(sum.imag(), mpi::Reduction::kSum)};
}

}  // namespace

SpectrumCheck::Point SpectrumCheck::point_at(std::uint64_t n, std::uint64_t line, double beyond) {
  const auto order = static_cast<long double>(2 * n);
  const auto part = static_cast<long double>(beyond);
  return {line, beyond, turned(-part / order), turned((part - 1.0L) / order)};
}

SpectrumCheck::SpectrumCheck(Transform& transform, std::uint64_t seed)
    : transform_(transform), random_(seed), half_turns_(2 * transform.shape().points(), 1) {}

void SpectrumCheck::begin() {
  fill(transform_, random_.next());
  const std::uint64_t n = transform_.shape().points();
  const std::uint64_t line = random_.below(n);
  point_ = point_at(n, line, 0.25 + static_cast<double>(random_.next() >> 12U) * 0x1p-53);
  const Range range = transform_.input();
  const std::span<const Complex> data = transform_.data();
  const Complex sum = sum_of_pieces(transform_, range, [&](std::uint64_t first, std::uint64_t count) {
    Complex piece;
    for (std::uint64_t at = first; at < first + count; at += kShort) {
      piece += of_input(at, data.subspan(at - range.first, std::min(kShort, first + count - at)));
    }
    return piece;
  });
  expected_ = 0.5 * (1.0 - turned(point_.beyond)) * sum;
}

double SpectrumCheck::deviation() const {
  const Range range = transform_.output();
  const std::uint64_t n = transform_.shape().points();
  std::vector<Complex> powers(std::min(kPiece, n));
  for (std::uint64_t k = 0; k < powers.size(); ++k) powers[k] = power(k);
  const std::span<const Complex> data = transform_.data();
  const Complex value = sum_of_pieces(transform_, range, [&](std::uint64_t first, std::uint64_t count) {
    return power(first) * of_spectrum(powers, data.subspan(first - range.first, count));
  });
  const job::WorstDeviation difference(std::abs(value - expected_));
  return scaled_error(difference.value(), n) / static_cast<double>(n);
}

Complex SpectrumCheck::of_input(std::uint64_t first, std::span<const Complex> points) const {
  const std::uint64_t n = transform_.shape().points();
  double real = 0.0;
  double imaginary = 0.0;
  std::uint64_t ahead = (point_.line + n - first) % n;  // m - j modulo n
  for (std::uint64_t i = 0; i < points.size(); ++i, ahead = (ahead == 0 ? n : ahead) - 1) {
    // The smaller of the angles from the line of the pole, on its two sides: the sine is a sum of terms of
    // one sign and keeps its relative precision however small it is.
    const bool is_behind = ahead > n / 2;
    const Complex turn = half_turns_.power(is_behind ? n - 1 - ahead : ahead);
    const Complex beyond = is_behind ? point_.to_next : point_.from_line;
    const double cosine = turn.real() * beyond.real() - turn.imag() * beyond.imag();
    const double minus_sine = turn.real() * beyond.imag() + turn.imag() * beyond.real();
    const double cotangent = is_behind ? cosine / minus_sine : -cosine / minus_sine;
    real += points[i].real() - points[i].imag() * cotangent;
    imaginary += points[i].imag() + points[i].real() * cotangent;
  }
  return {real, imaginary};
}

Complex SpectrumCheck::of_spectrum(std::span<const Complex> powers, std::span<const Complex> points) const {
  double real = 0.0;
  double imaginary = 0.0;
  for (std::size_t k = 0; k < points.size(); ++k) {
    real += powers[k].real() * points[k].real() - powers[k].imag() * points[k].imag();
    imaginary += powers[k].real() * points[k].imag() + powers[k].imag() * points[k].real();
  }
  return {real, imaginary};
}

Complex SpectrumCheck::power(std::uint64_t k) const {
  const std::uint64_t n = transform_.shape().points();
  const auto whole = static_cast<long double>(product_modulo(k, point_.line, n));
  const long double beyond = static_cast<long double>(k) * static_cast<long double>(point_.beyond);
  return turned((whole + beyond) / static_cast<long double>(n));
}

}  // namespace groma::hpcc::fft
