// The check: xor undoes itself, so that the same updates applied again must give the table of the start. They
// are applied as they are defined (definition.hpp), without any code of the kernels.
#pragma once

#include <cstdint>
#include <span>

#include "randomaccess/algorithm.hpp"

namespace groma::randomaccess {

/// Word i of the whole table is i; `first` is that of the first one here.
void fill(std::span<std::uint64_t> table, std::uint64_t first);

/// Counts the words that differ from fill(), and corrects them.
std::uint64_t repair(std::span<std::uint64_t> table, std::uint64_t first);

/// Updates of each rank that are exchanged at once: all of them may be for one rank, which counts them as int
/// for MPI.
std::uint64_t updates_per_exchange(int ranks);

/// Collective: applies the sections of all ranks as they are defined, in large blocks sorted by owner and
/// exchanged by one collective operation each, without a limit on look-ahead. Not for timing.
void apply_safely(const Setup& setup, Section section);

/// Collective: applies the section again; words of this rank that are wrong then. The table is as filled
/// after.
std::uint64_t count_wrong_words(const Setup& setup, Section section);

/// The same of a whole table that this process has for itself. Not collective.
std::uint64_t count_wrong_words(std::span<std::uint64_t> table, Generator generator, Section section);

}  // namespace groma::randomaccess
