#include "survey/latency_plan.hpp"

#include <algorithm>
#include <bit>

#include "survey/set_up.hpp"
#include "survey/size_grid.hpp"

namespace groma::survey {
namespace {

constexpr Bytes kSmallest = 4_KiB;
constexpr Bytes kLargest = 2048_MiB;
constexpr Bytes kMinCurve = 1_MiB;
constexpr std::uint64_t kLine = 64;
/// Last-level caches end below, or a coarse grid must do for them.
constexpr Bytes kCloseUpTo = 64_MiB;
constexpr Bytes kRotation = 96_MiB;
/// Linking a line and reading it for warm-up, beyond all caches.
constexpr Seconds kPerLine{40e-9};
constexpr std::uint64_t kPageModes = 2;

/// Enough to rotate, little more than needed where one size fills it alone.
Bytes arena_for(Bytes size, Bytes memory) {
  const Bytes rotation = std::clamp(memory / 8, 4_MiB, kRotation);
  return std::max(rotation, size + size / 4);
}

/// Tables of 4 bytes a line for every octave up to the one that holds the largest set.
Bytes tables_for(Bytes size) {
  return Bytes(std::bit_ceil(size.value() / kLine) * 2 * sizeof(std::uint32_t));
}

std::vector<Bytes> grid(Bytes most, std::uint64_t close, std::uint64_t wide) {
  std::vector<Bytes> sizes = size_grid(kSmallest, std::min(most, kCloseUpTo), close);
  for (const Bytes size : size_grid(kCloseUpTo, most, wide)) {
    if (size > kCloseUpTo) sizes.push_back(size);
  }
  return sizes;
}

Seconds time_of_round(const std::vector<Bytes>& sizes) {
  std::uint64_t lines = 0;
  for (const Bytes size : sizes) lines += size > kFineUpTo ? size.value() / kLine : 0;
  return kPerLine * static_cast<double>(lines * kPageModes);
}

Seconds time_to_set_up(Bytes size, Bytes memory) {
  const std::uint64_t pages = arena_for(size, memory).value() * kPageModes / kSmallest.value();
  const std::uint64_t entries = tables_for(size).value() / sizeof(std::uint32_t);
  return kPerNewPage * static_cast<double>(pages) + kPerOrderEntry * static_cast<double>(entries);
}

Bytes most_that_fits(Bytes wanted, Bytes memory) {
  Bytes most;
  for (const Bytes size : size_grid(kSmallest, wanted)) {
    if (memory_of_curve(size, memory) <= memory / 3 * 2) most = size;
  }
  return most;
}

}  // namespace

Bytes memory_of_curve(Bytes size, Bytes memory) {
  return arena_for(size, memory) * kPageModes + tables_for(size);
}

Result<LatencyPlan> plan_latency(const LatencyRequest& request) {
  const Bytes automatic = std::clamp(request.last_level * kTimesCache, kUndeclaredCache, kLargest);
  const Bytes wanted = std::max(request.max_size.value() > 0 ? request.max_size : automatic, kSmallest);
  const Bytes most = most_that_fits(wanted, request.memory);
  if (most < std::min(kMinCurve, wanted)) {
    return too_little_memory("a latency curve", memory_of_curve(kMinCurve, Bytes()) * 3 / 2, request.memory);
  }
  const std::uint64_t close = std::max<std::uint64_t>(request.per_octave, 1);
  std::uint64_t wide = close;
  while (wide > 1 && time_of_round(grid(most, close, wide)) > request.budget / 2.0) wide /= 2;
  std::vector<Bytes> sizes = grid(most, close, wide);
  if (request.max_size.value() > 0) {
    const bool is_cut = wanted > most + most / 4;
    const std::string cut = is_cut ? "the memory allows less than " + in_mib(wanted) + ": " : "";
    const std::string named = cut + "a latency curve";
    const Seconds needed = time_to_set_up(most, request.memory) + time_of_round(sizes);
    const Status allowed = refuse_too_long(named, most, needed, request.budget);
    if (!allowed) return allowed.error();
  }
  const Bytes arena = arena_for(sizes.back(), request.memory);
  return LatencyPlan{std::move(sizes), arena};
}

}  // namespace groma::survey
