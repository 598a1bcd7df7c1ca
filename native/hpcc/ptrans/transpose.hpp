// Transposing while adding: the kernel of PTRANS, for every instruction set that it was written for
// (docs/hpcc/ptrans.md).
#pragma once

#include <cstdint>
#include <vector>

#include "base/stream_kernels.hpp"

namespace groma::hpcc {

/// C(i, k) += A(k, i) for `rows` x `columns` elements of C; both column-major, in elements.
struct Transposition {
  double* c;
  std::uint64_t c_stride;  ///< between columns
  const double* a;
  std::uint64_t a_stride;
  std::uint64_t rows;     ///< of C, columns of A
  std::uint64_t columns;  ///< of C, rows of A
};

using TransposeAdd = void (*)(const Transposition& work);

struct TransposeVariant {
  Isa isa;
  TransposeAdd add;
};

/// Those that this processor runs, the widest last.
const std::vector<TransposeVariant>& transpose_variants();

}  // namespace groma::hpcc
