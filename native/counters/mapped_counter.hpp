// A counter of the processor that user mode reads itself, through the page that the kernel keeps for it.
#pragma once

#include <cstdint>
#include <optional>

#include "counters/system.hpp"

namespace groma::counters {

/// The low `width` bits of a counter as a signed number of 64 bits, so that the kernel's offset extends it.
constexpr std::uint64_t extended(std::uint64_t counter, unsigned width) noexcept {
  if (width == 0 || width >= 64) return counter;
  const unsigned unused = 64 - width;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(counter << unused) >> unused);
}

/// What a counter of `width` bits has counted since `before`, also over its end, once.
constexpr std::uint64_t counted_since(std::uint64_t before, std::uint64_t now, unsigned width) noexcept {
  const std::uint64_t mask = width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  return (now - before) & mask;
}

/// As the header of perf events tells it: the page may change while it is read, and then is read again.
/// None where the counter is not on the processor now.
inline std::optional<std::uint64_t> read_mapped(const perf_event_mmap_page& page,
                                                const System& system) noexcept {
  const auto& shared = const_cast<const volatile perf_event_mmap_page&>(page);
  for (;;) {
    const std::uint32_t sequence = shared.lock;
    asm volatile("" ::: "memory");
    const std::uint32_t index = shared.index;
    if (!shared.cap_user_rdpmc || index == 0) return std::nullopt;
    const std::uint64_t offset = static_cast<std::uint64_t>(shared.offset);
    const std::uint64_t value = offset + extended(system.read_processor(index - 1), shared.pmc_width);
    asm volatile("" ::: "memory");
    if (shared.lock == sequence) return value;
  }
}

}  // namespace groma::counters
