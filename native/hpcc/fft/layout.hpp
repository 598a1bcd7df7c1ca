// One direction of a shared transform: which rank has what, and in which chunks it travels.
#pragma once

#include <vector>

#include "hpcc/fft/decomposition.hpp"

namespace groma::hpcc::fft {

/// A rank has the rows of points that `rows` gives it, and after them the columns that `columns` gives it.
/// The spectrum is a matrix of the transposed shape: first the rank has its share of columns (by `rows`), in
/// the end rows of it (by `columns`).
struct Layout {
  Layout(Shape whole, int ranks);

  Shape shape;
  Partition rows;
  Partition columns;
  std::vector<Range> column_groups;  ///< of all ranks, ascending

  /// Points of `rank` before and after the transform, by global index.
  [[nodiscard]] Range input(int rank) const;
  [[nodiscard]] Range output(int rank) const;
};

/// How a partition travels: chunk q of each part is its q-th `groups` groups.
struct Chunks {
  const Partition* partition;
  std::uint64_t groups;

  [[nodiscard]] std::uint64_t count() const;
  [[nodiscard]] Range of(int part, std::uint64_t chunk) const;
  /// The most indices that a chunk has.
  [[nodiscard]] std::uint64_t width() const { return groups * kGroup; }
};

/// Group number `which` of `chunk`.
Range group_of(const Range& chunk, std::uint64_t which);
std::uint64_t groups_in(const Range& chunk);

}  // namespace groma::hpcc::fft
