#include "hpcc/ptrans/transpose.hpp"

namespace groma::hpcc {
namespace {

/// Tiles of this many rows and columns are turned in registers or in the nearest cache.
constexpr std::uint64_t kTile = 8;

/// Columns of C ahead of which lines are fetched: those of A lie in as many columns as C has rows, which no
/// hardware prefetcher follows.
constexpr std::uint64_t kAhead = 2 * kTile;

/// What no whole tile covers.
void add_elements(const Transposition& work, std::uint64_t row, std::uint64_t rows, std::uint64_t column,
                  std::uint64_t columns) {
  for (std::uint64_t k = column; k < column + columns; ++k) {
    for (std::uint64_t i = row; i < row + rows; ++i) {
      work.c[i + k * work.c_stride] += work.a[k + i * work.a_stride];
    }
  }
}

void fetch_ahead(const Transposition& work, std::uint64_t row, std::uint64_t column) {
  for (std::uint64_t j = 0; j < kTile; ++j) {
    __builtin_prefetch(work.a + column + kAhead + (row + j) * work.a_stride, 0);
    __builtin_prefetch(work.c + row + (column + kAhead + j) * work.c_stride, 1);
  }
}

void add_tile_portable(const Transposition& work, std::uint64_t row, std::uint64_t column) {
  add_elements(work, row, kTile, column, kTile);
}

#if defined(__x86_64__)
using Four [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;
using Eight [[gnu::vector_size(64), gnu::aligned(8), gnu::may_alias]] = double;

// GCC 11 has only the older builtin, which takes the places as a vector of integers.
#if __has_builtin(__builtin_shufflevector)
#define GROMA_SHUFFLE(one, other, ...) __builtin_shufflevector(one, other, __VA_ARGS__)
#else
#define GROMA_SHUFFLE(one, other, ...) __builtin_shuffle(one, other, decltype((one) < (other)){__VA_ARGS__})
#endif

/// Four by four elements, whose columns begin at `a` and `c`.
[[gnu::target("avx2")]] inline void add_quarter_avx2(double* c, std::uint64_t c_stride, const double* a,
                                                     std::uint64_t a_stride) {
  const Four a0 = *reinterpret_cast<const Four*>(a);
  const Four a1 = *reinterpret_cast<const Four*>(a + a_stride);
  const Four a2 = *reinterpret_cast<const Four*>(a + 2 * a_stride);
  const Four a3 = *reinterpret_cast<const Four*>(a + 3 * a_stride);
  // Even columns of C, then odd ones; rows 0 and 1, then 2 and 3.
  const Four even01 = GROMA_SHUFFLE(a0, a1, 0, 4, 2, 6);
  const Four odd01 = GROMA_SHUFFLE(a0, a1, 1, 5, 3, 7);
  const Four even23 = GROMA_SHUFFLE(a2, a3, 0, 4, 2, 6);
  const Four odd23 = GROMA_SHUFFLE(a2, a3, 1, 5, 3, 7);
  *reinterpret_cast<Four*>(c) += GROMA_SHUFFLE(even01, even23, 0, 1, 4, 5);
  *reinterpret_cast<Four*>(c + c_stride) += GROMA_SHUFFLE(odd01, odd23, 0, 1, 4, 5);
  *reinterpret_cast<Four*>(c + 2 * c_stride) += GROMA_SHUFFLE(even01, even23, 2, 3, 6, 7);
  *reinterpret_cast<Four*>(c + 3 * c_stride) += GROMA_SHUFFLE(odd01, odd23, 2, 3, 6, 7);
}

[[gnu::target("avx2")]] void add_tile_avx2(const Transposition& work, std::uint64_t row,
                                           std::uint64_t column) {
  for (std::uint64_t i = row; i < row + kTile; i += 4) {
    for (std::uint64_t k = column; k < column + kTile; k += 4) {
      add_quarter_avx2(work.c + i + k * work.c_stride, work.c_stride, work.a + k + i * work.a_stride,
                       work.a_stride);
    }
  }
}

/// Columns `column`, + 2, + 4, + 6 of C, of which `rows01` to `rows67` hold two rows each.
[[gnu::target("avx512f")]] inline void add_alternate_columns(const Transposition& work, double* column,
                                                             const Eight& rows01, const Eight& rows23,
                                                             const Eight& rows45, const Eight& rows67) {
  const std::uint64_t two = 2 * work.c_stride;
  const Eight upper04 = GROMA_SHUFFLE(rows01, rows23, 0, 1, 8, 9, 4, 5, 12, 13);
  const Eight upper26 = GROMA_SHUFFLE(rows01, rows23, 2, 3, 10, 11, 6, 7, 14, 15);
  const Eight lower04 = GROMA_SHUFFLE(rows45, rows67, 0, 1, 8, 9, 4, 5, 12, 13);
  const Eight lower26 = GROMA_SHUFFLE(rows45, rows67, 2, 3, 10, 11, 6, 7, 14, 15);
  *reinterpret_cast<Eight*>(column) += GROMA_SHUFFLE(upper04, lower04, 0, 1, 2, 3, 8, 9, 10, 11);
  *reinterpret_cast<Eight*>(column + two) += GROMA_SHUFFLE(upper26, lower26, 0, 1, 2, 3, 8, 9, 10, 11);
  *reinterpret_cast<Eight*>(column + 2 * two) += GROMA_SHUFFLE(upper04, lower04, 4, 5, 6, 7, 12, 13, 14, 15);
  *reinterpret_cast<Eight*>(column + 3 * two) += GROMA_SHUFFLE(upper26, lower26, 4, 5, 6, 7, 12, 13, 14, 15);
}

[[gnu::target("avx512f")]] void add_tile_avx512(const Transposition& work, std::uint64_t row,
                                                std::uint64_t column) {
  Eight even[4];
  Eight odd[4];
#pragma GCC unroll 4
  for (std::uint64_t pair = 0; pair < 4; ++pair) {
    const double* const a = work.a + column + (row + 2 * pair) * work.a_stride;
    const Eight one = *reinterpret_cast<const Eight*>(a);
    const Eight other = *reinterpret_cast<const Eight*>(a + work.a_stride);
    even[pair] = GROMA_SHUFFLE(one, other, 0, 8, 2, 10, 4, 12, 6, 14);
    odd[pair] = GROMA_SHUFFLE(one, other, 1, 9, 3, 11, 5, 13, 7, 15);
  }
  double* const c = work.c + row + column * work.c_stride;
  add_alternate_columns(work, c, even[0], even[1], even[2], even[3]);
  add_alternate_columns(work, c + work.c_stride, odd[0], odd[1], odd[2], odd[3]);
}
#endif

template <void (*kAddTile)(const Transposition&, std::uint64_t, std::uint64_t)>
void add_by_tiles(const Transposition& work) {
  const std::uint64_t rows = work.rows / kTile * kTile;
  const std::uint64_t columns = work.columns / kTile * kTile;
  for (std::uint64_t column = 0; column < columns; column += kTile) {
    for (std::uint64_t row = 0; row < rows; row += kTile) {
      if (column + kAhead < columns) fetch_ahead(work, row, column);
      kAddTile(work, row, column);
    }
    add_elements(work, rows, work.rows - rows, column, kTile);
  }
  add_elements(work, 0, work.rows, columns, work.columns - columns);
}

std::vector<TransposeVariant> variants_here() {
  std::vector<TransposeVariant> variants = {{Isa::kPortable, add_by_tiles<add_tile_portable>}};
#if defined(__x86_64__)
  if (runs_here(Isa::kAvx2)) variants.push_back({Isa::kAvx2, add_by_tiles<add_tile_avx2>});
  if (runs_here(Isa::kAvx512)) variants.push_back({Isa::kAvx512, add_by_tiles<add_tile_avx512>});
#endif
  return variants;
}

}  // namespace

const std::vector<TransposeVariant>& transpose_variants() {
  static const std::vector<TransposeVariant> variants = variants_here();
  return variants;
}

}  // namespace groma::hpcc
