// How large a working set must be to be in memory and not in a cache (docs/measuring.md).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "base/units.hpp"

namespace groma::survey {

/// Sets this many times the last-level cache are wanted: of a cycle of accesses 2 % at most then hit.
inline constexpr std::uint64_t kTimesCache = 4;
/// Below this many times a figure is one of the cache: half of a cycle may hit already here.
inline constexpr std::uint64_t kMinTimesCache = 2;
/// Where none is declared; a virtual machine may hide it.
inline constexpr Bytes kUndeclaredCache = 32_MiB;

/// The smallest set whose figure may be called one of memory. `last_level` may be less than a hypervisor
/// lends.
constexpr Bytes least_beyond(Bytes last_level) {
  return std::max(last_level * kMinTimesCache, kUndeclaredCache);
}

inline std::string in_mib(Bytes amount) {
  return std::to_string((amount.value() + (std::uint64_t{1} << 20U) - 1) >> 20U) + " MiB";
}

/// What cannot be measured for lack of memory, how much it takes and how much there is.
inline Error too_little_memory(const std::string& measured, Bytes needed, Bytes available) {
  return {
      "probe.no_memory",
      measured + " needs " + in_mib(needed) + " of available memory and " + in_mib(available) +
          " can be used: not measured",
      "free memory, or raise what limits it to " + in_mib(needed) + " (memory.max of the cgroup, ulimit -v)"};
}

}  // namespace groma::survey
