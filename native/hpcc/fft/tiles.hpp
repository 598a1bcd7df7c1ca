// Moving small tiles between the matrix in memory, where a row of a tile is a few cache lines, and the
// columns in cache that are transformed. The widest vectors of this processor are used.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

#include "hpcc/fft/decomposition.hpp"
#include "hpcc/fft/roots.hpp"

namespace groma::hpcc::fft {

/// Consecutive vectors in cache: element i of vector c at data[c * pitch + i].
struct Columns {
  Complex* data;
  std::size_t pitch;
};

/// Rows in memory that are `stride` points apart.
struct Rows {
  Complex* data;
  std::size_t stride;
  std::size_t count;
};
struct ConstRows {
  const Complex* data;
  std::size_t stride;
  std::size_t count;
};

/// The factors w^(row * column) of a tile, with w the first power of `roots`.
struct Twiddles {
  const Roots* roots;
  std::uint64_t first_row;
  std::uint64_t first_column;
};

/// Plain stores, or ones that leave the caches to others.
enum class Stores { kCached, kBypassing };

/// Thread-safe. Widths are at most kGroup points.
struct TileKernels {
  std::string_view name;
  /// columns[c][at + i] := from[i][c]
  void (*gather)(const ConstRows& from, std::size_t width, const Columns& to, std::size_t at);
  /// to[i][c] := columns[c][at + i]
  void (*scatter)(const Columns& from, std::size_t at, std::size_t width, const Rows& to, Stores stores);
  /// The same, times the twiddle factor of row `first_row + i` and column `first_column + c`.
  void (*scatter_twiddled)(const Columns& from, std::size_t at, std::size_t width, const Rows& to,
                           Stores stores, const Twiddles& twiddles);
};

/// All that this processor can run, the best last.
std::vector<const TileKernels*> tile_kernels();

/// Copies at most kGroup points.
inline void copy_points(Complex* to, const Complex* from, std::size_t count) {
  if (count == kGroup) {
    std::memcpy(to, from, kGroup * sizeof(Complex));  // a known length needs no call
  } else {
    std::copy_n(from, count, to);
  }
}

/// Asks for the two lines of a group. The address may lie outside of any memory.
inline void prefetch_group(const Complex* points) {
  // Into the second level: rows a power of two apart would drive each other out of the few ways of the first.
  __builtin_prefetch(points, 0, 2);
  __builtin_prefetch(points + kGroup / 2, 0, 2);
}

/// Waits until bypassing stores are seen by others.
void drain_stores();

}  // namespace groma::hpcc::fft
