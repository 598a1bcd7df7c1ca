#include "survey/block_read.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/clock.hpp"
#include "base/do_not_optimize.hpp"
#include "base/quantile.hpp"
#include "base/random.hpp"

namespace groma::survey {
namespace {

constexpr std::size_t kMaxPieces = 64;
/// In smaller pieces the timer would count.
constexpr std::size_t kLinesPerPiece = 256;

std::uint64_t sum_sequence(Integers block, std::size_t line, std::size_t end) {
  std::uint64_t sum = 0;
  for (; line < end; ++line) sum += block[line * kIntegersPerRead];
  return sum;
}

std::uint64_t sum_scattered(Integers block, const ScatteredOrder& order, std::size_t i, std::size_t end) {
  std::uint64_t sum = 0;
  for (; i < end; ++i) sum += block[order.at(i) * kIntegersPerRead];
  return sum;
}

/// `sum(from, to)` sums the lines from … to - 1 of the order of reading.
template <class Sum>
BlockRead read_by_pieces(Integers block, Sum sum) {
  const std::size_t lines = block.size() / kIntegersPerRead;
  const std::size_t pieces = std::clamp<std::size_t>(lines / kLinesPerPiece, 1, kMaxPieces);
  std::array<double, kMaxPieces> times{};
  BlockRead read{Seconds(0.0), 0};
  std::int64_t start = monotonic_ns();
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    read.sum += do_not_optimize(sum(lines * piece / pieces, lines * (piece + 1) / pieces));
    const std::int64_t end = monotonic_ns();
    times[piece] = between(start, end).value();
    start = end;
  }
  read.time = undisturbed_total(std::span(times).first(pieces));
  return read;
}

}  // namespace

void write_sequence(std::span<std::uint32_t> block, std::uint32_t first) {
  std::iota(block.begin(), block.end(), first);
  clobber_memory();
}

std::uint64_t expected_sum(std::size_t integers, std::uint32_t first) {
  constexpr std::uint64_t kBeyond = std::uint64_t{1} << 32U;
  std::uint64_t sum = 0;
  for (std::uint64_t lines = integers / kIntegersPerRead; lines > 0;) {
    const std::uint64_t rising = std::min(lines, (kBeyond - first + kIntegersPerRead - 1) / kIntegersPerRead);
    sum += rising * first + kIntegersPerRead * (rising * (rising - 1) / 2);
    first = static_cast<std::uint32_t>(first + rising * kIntegersPerRead);
    lines -= rising;
  }
  return sum;
}

ScatteredOrder::ScatteredOrder(unsigned bits, std::uint64_t seed)
    : mask_((std::uint64_t{1} << bits) - 1), shift_(bits / 2 + 1), offset_(seed), factors_{} {
  RandomStream random(seed);
  for (std::uint64_t& factor : factors_) factor = random.next() | 1U;
}

BlockRead read_in_sequence(Integers block) {
  return read_by_pieces(block,
                        [&](std::size_t from, std::size_t to) { return sum_sequence(block, from, to); });
}

BlockRead read_scattered(Integers block, std::uint64_t seed) {
  const std::size_t lines = std::bit_floor(block.size() / kIntegersPerRead);
  const ScatteredOrder order(static_cast<unsigned>(std::bit_width(lines) - 1), seed);
  return read_by_pieces(block.first(lines * kIntegersPerRead), [&](std::size_t from, std::size_t to) {
    return sum_scattered(block, order, from, to);
  });
}

Seconds undisturbed_total(std::span<const double> pieces) {
  constexpr double kMaxOverMedian = 8.0;
  const double bound = kMaxOverMedian * quantile({pieces.begin(), pieces.end()}, 0.5);
  const auto bounded = [&](double total, double piece) { return total + std::min(piece, bound); };
  return Seconds(std::accumulate(pieces.begin(), pieces.end(), 0.0, bounded));
}

}  // namespace groma::survey
