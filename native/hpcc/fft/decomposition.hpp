// How a one-dimensional transform of n points becomes short ones, and which rank has which of them
// (docs/hpcc/fft.md#decomposition). All pure functions.
#pragma once

#include <complex>
#include <cstdint>

namespace groma::hpcc::fft {

using Complex = std::complex<double>;

/// Points as a matrix with rows of consecutive points: j = row * columns + column.
struct Shape {
  std::uint64_t rows;
  std::uint64_t columns;
  [[nodiscard]] std::uint64_t points() const { return rows * columns; }
  [[nodiscard]] Shape transposed() const { return {columns, rows}; }
  bool operator==(const Shape&) const = default;
};

/// The shape of n points that is closest to a square, no more rows than columns. 1 x n for a prime n.
Shape squarest_shape(std::uint64_t n);

/// Consecutive indices.
struct Range {
  std::uint64_t first;
  std::uint64_t count;
  [[nodiscard]] std::uint64_t end() const { return first + count; }
  bool operator==(const Range&) const = default;
};

/// Vectors that are transformed together: eight points are two cache lines, the least that a strided walk
/// through memory should take at once.
constexpr std::uint64_t kGroup = 8;
/// Points of a cache line; vectors in cache are padded by one, so that they begin in different sets.
constexpr std::uint64_t kLine = 4;

/// `count` indices cut into `parts` ranges in ascending order, as equal as they can be without cutting
/// through lines; where there are more parts than indices, some are empty.
class Partition {
 public:
  Partition(std::uint64_t count, int parts);

  [[nodiscard]] int parts() const { return static_cast<int>(parts_); }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] Range of(int part) const;
  /// The most that a part has.
  [[nodiscard]] std::uint64_t largest() const { return largest_; }
  /// How many groups of at most kGroup cover a part.
  [[nodiscard]] std::uint64_t groups_of(int part) const;
  /// Indices of groups [first, first + groups) of a part; clipped to what it has.
  [[nodiscard]] Range groups_range(int part, std::uint64_t first, std::uint64_t groups) const;

 private:
  std::uint64_t count_;
  std::uint64_t parts_;
  std::uint64_t unit_;
  std::uint64_t largest_;
};

}  // namespace groma::hpcc::fft
