// Two cores that write words of their own at the same time: slow where both words lie in one coherence line.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/units.hpp"

namespace groma::survey {

/// Counts up until `stop`.
void keep_writing(std::uint64_t& word, const std::atomic<bool>& stop);

/// Time of one of `writes` increments of `word`; nothing where `other`, which another core increments
/// meanwhile, did not move along: that core then did something else.
std::optional<Seconds> time_writes(std::uint64_t& word, std::uint64_t& other, std::uint32_t writes);

}  // namespace groma::survey
