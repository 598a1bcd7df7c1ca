// RandomAccess as HPC Challenge 1.5.0 defines it, in plain loops: what the kernels are verified with. It
// shares no code with them, neither their sequences and jumps nor their owners nor their updates: an error in
// one of those would undo itself otherwise, because xor does.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "randomaccess/stream.hpp"

namespace groma::randomaccess {

/// The values of a sequence, one after the other.
class DefinedStream {
 public:
  /// Its first value is that of update `first`.
  DefinedStream(Generator generator, std::uint64_t first);

  /// Writes the next values.
  void fill(std::span<std::uint64_t> values);

 private:
  Generator generator_;
  std::uint64_t value_;
};

/// The word, of so many, that each value updates. `words` is a power of two, here and below.
void defined_indices(Generator generator, std::uint64_t words, std::span<const std::uint64_t> values,
                     std::span<std::uint64_t> indices);

/// A table in parts of consecutive words, the first (words mod parts) of them one word longer.
struct DefinedLayout {
  std::uint64_t words;
  std::uint64_t parts;

  [[nodiscard]] std::uint64_t first(std::uint64_t part) const;
  [[nodiscard]] std::uint64_t owner(std::uint64_t index) const;
};

/// Applies updates of a whole table to `table`, the part of it that begins with word `first`; those of other
/// words are left out, so that the words which should have had them are wrong.
class DefinedUpdates {
 public:
  DefinedUpdates(std::span<std::uint64_t> table, std::uint64_t first, std::uint64_t words,
                 Generator generator)
      : table_(table), first_(first), words_(words), generator_(generator) {}

  void apply(std::span<const std::uint64_t> values);

 private:
  std::span<std::uint64_t> table_;
  std::uint64_t first_;
  std::uint64_t words_;
  Generator generator_;
  std::vector<std::uint64_t> indices_;
};

/// Applies a section to a whole table.
void apply_as_defined(std::span<std::uint64_t> table, Generator generator, Section section);

}  // namespace groma::randomaccess
