#include "survey/network/pieces.hpp"

#include <algorithm>
#include <array>

#include "base/quantile.hpp"

namespace groma::survey::network {
namespace {

/// 60 KiB lie below what Open MPI sends over TCP without asking; the longest are for networks that move
/// messages without the processor.
constexpr std::array<Pieces, 4> kMore = {{{.bytes = 60 << 10U, .in_flight = 32},
                                          {.bytes = 12 << 10U, .in_flight = 64},
                                          {.bytes = 256 << 10U, .in_flight = 8},
                                          {.bytes = 1 << 20U, .in_flight = 4}}};
constexpr int kTries = 3;
constexpr double kClearlyFaster = 1.05;
constexpr double kNeverSlower = 0.9;
constexpr std::uint64_t kMinPieces = 4;

/// Several times, or once where that shows how long it takes.
std::vector<double> rates_of(const Pieces& pieces, const TrialLimits& limits, const RateOf& rate) {
  const std::uint64_t message = std::min(limits.most, pieces.least_message());
  std::vector<double> rates = {rate(pieces, message)};
  const bool is_slow = static_cast<double>(message) > rates.front() * limits.seconds;
  while (!is_slow && rates.size() < kTries) rates.push_back(rate(pieces, message));
  return rates;
}

}  // namespace

Pieces pieces_of(std::uint64_t message, const Pieces& pieces) {
  const std::uint64_t bytes = std::clamp<std::uint64_t>(message / kMinPieces, 1, pieces.bytes);
  const std::uint64_t count = std::max<std::uint64_t>(1, message / bytes);
  return {.bytes = bytes, .in_flight = std::min<std::size_t>(pieces.in_flight, count)};
}

TriedPieces fastest_pieces(const TrialLimits& limits, const RateOf& rate) {
  TriedPieces best{.pieces = kShortestPieces, .rate = quantile(rates_of(kShortestPieces, limits, rate), 0.5)};
  for (const Pieces& one : kMore) {
    const std::uint64_t message = one.least_message();
    if (message > limits.most || static_cast<double>(message) > best.rate * limits.seconds) continue;
    if (!limits.goes_on()) break;
    const std::vector<double> rates = rates_of(one, limits, rate);
    const double typical = quantile(rates, 0.5);
    const bool stalls = *std::ranges::min_element(rates) < best.rate * kNeverSlower;
    if (!stalls && typical > best.rate * kClearlyFaster) best = {.pieces = one, .rate = typical};
  }
  return best;
}

}  // namespace groma::survey::network
