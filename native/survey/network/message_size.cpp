#include "survey/network/message_size.hpp"

#include <algorithm>

namespace groma::survey::network {
namespace {

// Long enough that what queues and buckets on the way hold for free is little of it.
constexpr Seconds kTellingTime{0.02};
constexpr std::uint64_t kGrowth = 4;

}  // namespace

std::uint64_t fitting_message(const MessageLimits& limits, Seconds time, Seconds one_kibibyte) {
  const double each = time.value() / static_cast<double>(std::max<std::size_t>(1, limits.exchanges));
  const double kibibytes = std::clamp(each / one_kibibyte.value(), 1.0, 1e12);
  const std::uint64_t fitting = static_cast<std::uint64_t>(kibibytes) << 10U;
  return std::min(limits.most, std::max(limits.least, fitting));
}

std::uint64_t fit_message(const MessageLimits& limits, const std::function<Seconds()>& left,
                          const std::function<Seconds(std::uint64_t)>& time) {
  std::uint64_t bytes = std::min(limits.most, limits.least);
  static_cast<void>(time(bytes));  // connections
  for (;; bytes = std::min(limits.most, bytes * kGrowth)) {
    const Seconds taken = time(bytes);
    if (taken < kTellingTime && bytes < limits.most) continue;
    return fitting_message(limits, left(), taken / (static_cast<double>(bytes) / 1024.0));
  }
}

}  // namespace groma::survey::network
