// The check: xor undoes itself, so that the same updates applied again must give the table of the start.
#pragma once

#include <cstdint>
#include <span>

#include "randomaccess/algorithm.hpp"

namespace groma::randomaccess {

/// Word i of the whole table is i; `first` is that of the first one here.
void fill(std::span<std::uint64_t> table, std::uint64_t first);

/// Words that differ from fill(); they are set right.
std::uint64_t mend(std::span<std::uint64_t> table, std::uint64_t first);

/// Collective: applies the sections of all ranks in another way than any algorithm: in large blocks sorted by
/// owner and exchanged by one collective operation each, without a limit on look-ahead. Not for timing.
void apply_safely(const Setup& setup, Section section);

/// Collective: applies the section again; words of this rank that are wrong then. The table is as filled
/// after.
std::uint64_t count_wrong_words(const Setup& setup, Section section);

}  // namespace groma::randomaccess
