#include "survey/write_contention.hpp"

#include "base/clock.hpp"

namespace groma::survey {
namespace {

using Counter = std::atomic_ref<std::uint64_t>;

/// An atomic increment waits until the line is owned; plain stores would gather in the store buffer.
void increment(Counter counter) {
  counter.fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t read(std::uint64_t& word) {
  return Counter(word).load(std::memory_order_relaxed);
}

/// The core that owns the line writes several times before it loses it, so the two do not keep step.
constexpr std::uint64_t kMinShare = 8;

}  // namespace

void keep_writing(std::uint64_t& word, const std::atomic<bool>& stop) {
  constexpr int kBetweenChecks = 64;
  while (!stop.load(std::memory_order_relaxed)) {
    for (int i = 0; i < kBetweenChecks; ++i) increment(Counter(word));
  }
}

std::optional<Seconds> time_writes(std::uint64_t& word, std::uint64_t& other, std::uint32_t writes) {
  const std::uint64_t before = read(other);
  const std::int64_t start = monotonic_ns();
  for (std::uint32_t i = 0; i < writes; ++i) increment(Counter(word));
  const std::int64_t end = monotonic_ns();
  if (read(other) - before < writes / kMinShare) return std::nullopt;
  return between(start, end) / static_cast<double>(writes);
}

}  // namespace groma::survey
