#include "survey/network/message_size.hpp"

#include <algorithm>

namespace groma::survey::network {
namespace {

// Long enough that what queues and buckets on the way hold for free is little of it.
constexpr Seconds kTellingTime{0.02};
constexpr std::uint64_t kGrowth = 4;
constexpr int kTries = 2;
constexpr std::uint64_t kConnecting = 1024;  // bytes with which connections are made

/// A size, and the time of an exchange of it.
struct Trial {
  std::uint64_t bytes;
  Seconds time;
};

double kibibytes(std::uint64_t bytes) {
  return static_cast<double>(bytes) / 1024.0;
}

/// Of the line through both; through the longer one alone where noise made the shorter one slower.
ExchangeCost cost_of(const Trial& shorter, const Trial& longer) {
  if (longer.time <= shorter.time || longer.bytes == shorter.bytes) {
    return {.start = Seconds(0.0), .per_kibibyte = longer.time / kibibytes(longer.bytes)};
  }
  const Seconds slope = (longer.time - shorter.time) / (kibibytes(longer.bytes) - kibibytes(shorter.bytes));
  return {.start = std::max(Seconds(0.0), longer.time - slope * kibibytes(longer.bytes)),
          .per_kibibyte = slope};
}

/// Whether the network's rate dominates the time, not the start-up of each exchange.
bool tells_rate(const Trial& shorter, const Trial& longer) {
  return longer.time >= kTellingTime && longer.time >= shorter.time * 2.0;
}

}  // namespace

std::uint64_t fitting_message(const MessageLimits& limits, Seconds time, const ExchangeCost& cost) {
  const Seconds each = time / static_cast<double>(std::max<std::size_t>(1, limits.exchanges)) - cost.start;
  const double fitting = std::clamp(each / cost.per_kibibyte, 1.0, 1e12);
  return std::min(limits.most, std::max(limits.least, static_cast<std::uint64_t>(fitting) << 10U));
}

std::uint64_t fit_message(const MessageLimits& limits, const std::function<Seconds()>& left,
                          const std::function<Seconds(std::uint64_t bytes, int tries)>& time) {
  const std::uint64_t first = std::min({limits.most, limits.least, kConnecting});
  Trial shorter{.bytes = first, .time = time(first, kTries)};
  for (std::uint64_t bytes = std::min(limits.most, limits.least);; bytes *= kGrowth) {
    bytes = std::min(bytes, limits.most);
    Trial longer{.bytes = bytes, .time = time(bytes, 1)};
    const auto must_grow = [&] { return bytes < limits.most && !tells_rate(shorter, longer); };
    if (!must_grow()) longer.time = time(bytes, kTries);  // it may have been disturbed
    const Seconds all = longer.time * static_cast<double>(limits.exchanges);
    if (!must_grow() || all > left()) return fitting_message(limits, left(), cost_of(shorter, longer));
    shorter = longer;
  }
}

}  // namespace groma::survey::network
