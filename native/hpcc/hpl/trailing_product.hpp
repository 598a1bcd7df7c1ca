// The update of the trailing matrix, C := C - L U, which takes nearly all of the time. Where the instruction
// set has fast tiles, L is packed for them once, by the rank that factors the panel, and travels so: dgemm
// would pack it on every rank, and in each call (Goto and van de Geijn 2008 describe the loops). Elsewhere
// dgemm does the product.
#pragma once

#include <functional>

#include "hpcc/hpl/matrix_view.hpp"
#include "hpcc/hpl/panel_kernels.hpp"

namespace groma::hpcc::hpl {

/// Words of so many packed rows of L.
std::int64_t packed_words(std::int64_t rows, std::int64_t columns);

/// Packs L, stored by columns, for tiles: kGroupRows rows together, zeros behind the last.
void pack_lower(ConstMatrix lower, double* packed);

/// C := C - L U by dgemm, for L as it is stored, by columns. The rows of C and of U are contiguous. Calls
/// `after_block` after each block of C, about every 10 ms, for messages. Thread-safe for different C.
void subtract_product_by_blocks(ConstMatrix lower, const MatrixView& upper, const MatrixView& c,
                                const std::function<void()>& after_block);

}  // namespace groma::hpcc::hpl
