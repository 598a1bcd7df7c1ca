// A factored block column on its way: its triangle, its pivots and its rows below, packed or not, in one
// stretch of memory that is sent as it lies.
#pragma once

#include <span>

#include "hpcc/hpl/local_matrix.hpp"
#include "hpcc/hpl/matrix_view.hpp"
#include "hpcc/hpl/trailing_product.hpp"

namespace groma::hpcc::hpl {

class Panel {
 public:
  /// Room for any block column of `one`. Where L is packed, it is so on all ranks. Errors: memory. Not
  /// collective.
  static Result<Panel> make(const LocalMatrix& matrix, const HplCase& one, bool packed);

  /// Becomes the panel of global columns [first, first + width) for the rows that this rank has from `first`
  /// on.
  void begin(const LocalMatrix& matrix, std::int64_t first);

  [[nodiscard]] std::int64_t first() const { return first_; }
  [[nodiscard]] std::int64_t width() const { return width_; }
  /// Row and column of the grid that hold its diagonal block.
  [[nodiscard]] int owner_row() const { return owner_row_; }
  [[nodiscard]] int owner_column() const { return owner_column_; }
  /// Whether the first `width` of this rank's rows are those of the diagonal block.
  [[nodiscard]] bool has_top() const { return has_top_; }

  /// The diagonal block after factorization, L and U in one, the same on every rank. During it, row j is what
  /// was the pivot row of step j.
  [[nodiscard]] MatrixView triangle() const { return triangle_; }
  /// Global row that step j exchanged with row first + j, as a double: exact up to 2^53.
  [[nodiscard]] std::span<double> pivots() const { return pivots_; }
  /// This rank's rows from global row `first` on. Those of the diagonal block go stale as they become pivots.
  [[nodiscard]] Matrix rows() const { return rows_; }
  /// How many of them lie below the diagonal block.
  [[nodiscard]] std::int64_t rows_below() const { return rows_.rows - (has_top_ ? width_ : 0); }
  /// Brings what is below the diagonal block into the form that is sent. On the ranks that factored the
  /// panel.
  void pack() const;
  [[nodiscard]] bool is_packed() const { return packed_; }
  /// L below the diagonal block, once factored or received: by columns, or packed.
  [[nodiscard]] ConstMatrix lower() const { return below(); }
  [[nodiscard]] const double* packed_lower() const { return behind_head(); }
  /// All of it, as it is sent along rows of the grid.
  [[nodiscard]] std::span<double> message() const;

 private:
  Panel(Block memory, std::int64_t nb, const HplMethod& method, bool packed)
      : memory_(std::move(memory)),
        nb_(nb),
        transposed_(method.lower_transposed),
        packed_(packed),
        alignment_(static_cast<std::int64_t>(method.alignment)) {}

  [[nodiscard]] Matrix below() const {
    return rows_.part(rows_.rows - rows_below(), 0, rows_below(), width_);
  }
  [[nodiscard]] double* behind_head() const;

  Block memory_;
  std::int64_t nb_;
  bool transposed_;  ///< form of the triangle
  bool packed_;
  std::int64_t alignment_;
  std::int64_t first_ = 0;
  std::int64_t width_ = 0;
  int owner_row_ = 0;
  int owner_column_ = 0;
  bool has_top_ = false;
  MatrixView triangle_{};
  std::span<double> pivots_;
  Matrix rows_{};
};

}  // namespace groma::hpcc::hpl
