#include "hpcc/hpl/row_exchange.hpp"

#include <numeric>
#include <unordered_map>

namespace groma::hpcc::hpl {
namespace {

// What the parts of the memory are for on a grid of several rows.
constexpr std::size_t kPivotRows = 0;
constexpr std::size_t kGathered = 1;
constexpr std::size_t kDisplaced = 2;
constexpr std::size_t kSpare = 3;
constexpr std::size_t kPurposes = 4;

/// A permutation of rows, as the exchanges so far have made it: where the content of each row came from.
class RowPermutation {
 public:
  std::int64_t source_of(std::int64_t row) const {
    const auto found = sources_.find(row);
    return found == sources_.end() ? row : found->second;
  }
  void set(std::int64_t row, std::int64_t source) { sources_[row] = source; }
  [[nodiscard]] const std::unordered_map<std::int64_t, std::int64_t>& moved() const { return sources_; }

 private:
  std::unordered_map<std::int64_t, std::int64_t> sources_;
};

/// Row `row` of a matrix, as a matrix.
MatrixView row_of(const MatrixView& matrix, std::int64_t row) {
  return matrix.part(row, 0, 1, matrix.columns());
}

/// A row of so many columns that lies contiguous.
MatrixView contiguous_row(double* data, std::int64_t columns) {
  return MatrixView::by_rows(data, 1, columns, columns);
}

void pack(const std::vector<RowMoves::Pick>& picks, const MatrixView& columns, double* out) {
  for (const RowMoves::Pick& pick : picks) {
    copy(row_of(columns, pick.local), contiguous_row(out, columns.columns()));
    out += columns.columns();
  }
}

void unpack(const std::vector<RowMoves::Pick>& picks, double* in, const MatrixView& upper) {
  for (const RowMoves::Pick& pick : picks) {
    copy(contiguous_row(in, upper.columns()), row_of(upper, pick.upper));
    in += upper.columns();
  }
}

void move_rows(const std::vector<RowMoves::Displaced>& displaced, const MatrixView& columns) {
  for (const RowMoves::Displaced& one : displaced) {
    copy(row_of(columns, one.top), row_of(columns, one.local));
  }
}

/// Both within one rank, so few columns at a time that the rows stay in the second-level cache from the one
/// to the other.
void exchange_locally(const RowMoves& moves, const MatrixView& columns, const MatrixView& upper) {
  constexpr std::int64_t kTogether = 128;
  for (std::int64_t j = 0; j < columns.columns(); j += kTogether) {
    const std::int64_t count = std::min(kTogether, columns.columns() - j);
    const MatrixView some = columns.part(0, j, columns.rows(), count);
    const MatrixView some_upper = upper.part(0, j, upper.rows(), count);
    for (const RowMoves::Pick& pick : moves.picks.front()) {
      copy(row_of(some, pick.local), row_of(some_upper, pick.upper));
    }
    move_rows(moves.displaced.front(), some);
  }
}

template <class Moves>
std::vector<std::size_t> message_lengths(const std::vector<Moves>& moves, std::int64_t columns) {
  std::vector<std::size_t> lengths;
  for (const Moves& of_row : moves) lengths.push_back(of_row.size() * static_cast<std::size_t>(columns));
  return lengths;
}

}  // namespace

RowMoves RowMoves::of(const Panel& panel, const BlockCyclic& rows) {
  RowMoves moves;
  moves.picks.resize(static_cast<std::size_t>(rows.parts));
  moves.displaced.resize(moves.picks.size());
  RowPermutation permutation;
  for (std::int64_t j = 0; j < panel.width(); ++j) {
    const auto pivot = static_cast<std::int64_t>(panel.pivots()[static_cast<std::size_t>(j)]);
    const std::int64_t source = permutation.source_of(pivot);
    moves.picks[static_cast<std::size_t>(rows.owner(source))].push_back({j, rows.local(source)});
    permutation.set(pivot, permutation.source_of(panel.first() + j));
  }
  for (const auto& [row, source] : permutation.moved()) {
    if (row < panel.first() + panel.width()) continue;  // retired
    moves.displaced[static_cast<std::size_t>(rows.owner(row))].push_back(
        {rows.local(source), rows.local(row)});
  }
  // One order on every rank and in every library, ascending in memory.
  for (auto& of_row : moves.displaced) {
    std::sort(of_row.begin(), of_row.end(),
              [](const Displaced& a, const Displaced& b) { return a.local < b.local; });
  }
  return moves;
}

Result<RowExchange> RowExchange::make(const ProcessGrid& grid, const HplCase& one, std::int64_t columns,
                                      std::size_t threads) {
  const auto nb = static_cast<std::int64_t>(one.nb);
  const std::size_t parts = grid.rows() == 1 ? threads : kPurposes;
  // Rows in either form, their stride padded.
  const auto words = static_cast<std::uint64_t>(
      std::max(padded(nb, 8) * std::max<std::int64_t>(columns, 1), padded(columns, 8) * nb));
  Result<Block> memory = Block::map(Bytes(parts * words * sizeof(double)), PageMode::kHuge);
  if (!memory) return memory.error();
  return RowExchange(grid, one.method, words, std::move(memory).value());
}

std::span<double> RowExchange::part(std::size_t which, std::size_t words) const {
  return memory_.as<double>().subspan(which * words_, words);
}

MatrixView RowExchange::pivot_rows(std::size_t which, std::int64_t width, std::int64_t columns) const {
  double* words = part(which, 0).data();
  if (method_->upper_transposed) return {{words, columns, width, padded(columns, 8)}, Transposed::kYes};
  return {{words, width, columns, padded(width, 8)}, Transposed::kNo};
}

MatrixView RowExchange::spare(std::int64_t width, std::int64_t columns) const {
  return MatrixView::by_rows(part(kSpare, 0).data(), width, columns, padded(columns, 8));
}

void RowExchange::apply_alone(const RowMoves& moves, const MatrixView& columns, const UpperTiles& upper) {
  for (const RowMoves::Pick& pick : moves.picks.front()) upper.set_row(pick.upper, &columns(pick.local, 0));
  move_rows(moves.displaced.front(), columns);
}

MatrixView RowExchange::apply_alone(std::size_t thread, const Panel& panel, const RowMoves& moves,
                                    const MatrixView& columns) {
  const MatrixView rows = pivot_rows(thread, panel.width(), columns.columns());
  exchange_locally(moves, columns, rows);
  return rows;
}

MatrixView RowExchange::apply(const Panel& panel, const RowMoves& moves, const MatrixView& columns) {
  const MatrixView rows = pivot_rows(kPivotRows, panel.width(), columns.columns());
  gather(moves, columns, rows);
  if (panel.has_top()) {
    send_displaced(panel.owner_row(), moves, columns);
  } else {
    receive_displaced(panel.owner_row(), moves, columns);
  }
  return rows;
}

bool RowExchange::by_exchange(std::int64_t columns) const {
  if (method_->swap != RowSwap::kMix) return method_->swap == RowSwap::kBinaryExchange;
  return columns <= static_cast<std::int64_t>(method_->swap_threshold);
}

void RowExchange::gather(const RowMoves& moves, const MatrixView& columns, const MatrixView& upper) {
  const mpi::Communicator& ranks = grid_->along_column();
  const auto places = BlockPlaces::folded(message_lengths(moves.picks, columns.columns()));
  const std::size_t all_words = std::accumulate(places.length.begin(), places.length.end(), std::size_t{0});
  const std::span<double> all = part(kGathered, all_words);
  pack(moves.picks[static_cast<std::size_t>(ranks.rank())], columns, places.of(all, ranks.rank()).data());
  if (by_exchange(columns.columns())) {
    gather_by_exchange(ranks, places, all);
  } else if (method_->equilibrate) {
    const BlockPlaces even = BlockPlaces::even(all_words, ranks.size());
    redistribute(ranks, places, even, all);
    gather_by_rolling(ranks, even, all);
  } else {
    gather_by_rolling(ranks, places, all);
  }
  for (int row = 0; row < ranks.size(); ++row) {
    unpack(moves.picks[static_cast<std::size_t>(row)], places.of(all, row).data(), upper);
  }
}

void RowExchange::send_displaced(int owner, const RowMoves& moves, const MatrixView& columns) {
  const auto places = BlockPlaces::folded(message_lengths(moves.displaced, columns.columns()));
  std::vector<mpi::Request> sending;
  for (int row = 0; row < grid_->rows(); ++row) {
    if (row == owner) continue;
    const auto& displaced = moves.displaced[static_cast<std::size_t>(row)];
    const std::span<double> message = part(kDisplaced, places.begin[static_cast<std::size_t>(row)] +
                                                           places.length[static_cast<std::size_t>(row)])
                                          .subspan(places.begin[static_cast<std::size_t>(row)]);
    double* out = message.data();
    for (const RowMoves::Displaced& one : displaced) {
      copy(row_of(columns, one.top), contiguous_row(out, columns.columns()));
      out += columns.columns();
    }
    sending.push_back(grid_->along_column().start_send(std::span<const double>(message), row));
  }
  move_rows(moves.displaced[static_cast<std::size_t>(owner)], columns);
}

void RowExchange::receive_displaced(int owner, const RowMoves& moves, const MatrixView& columns) {
  const auto& displaced = moves.displaced[static_cast<std::size_t>(grid_->my_row())];
  const std::span<double> message =
      part(kDisplaced, displaced.size() * static_cast<std::size_t>(columns.columns()));
  grid_->along_column().receive(message, owner);
  double* in = message.data();
  for (const RowMoves::Displaced& one : displaced) {
    copy(contiguous_row(in, columns.columns()), row_of(columns, one.local));
    in += columns.columns();
  }
}

}  // namespace groma::hpcc::hpl
