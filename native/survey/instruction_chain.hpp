// Chains of dependent arithmetic instructions: their length over their time is the core's frequency.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/units.hpp"

namespace groma::survey {

/// Register-to-register only: some cores carry out additions of constants while renaming, in no cycle at all.
enum class Chain { kAdd, kXor, kMultiply };

inline constexpr std::array kChains = {Chain::kAdd, Chain::kXor, Chain::kMultiply};

std::string_view name_of(Chain chain);

/// A chain's last value, which depends on every step.
std::uint64_t run_chain(Chain chain, std::uint64_t start, std::uint64_t operand, std::uint32_t steps);

/// Time of one step; `steps` is rounded up to a multiple of 64.
Seconds time_chain(Chain chain, std::uint32_t steps);

}  // namespace groma::survey
