#include "hpcc/hpl/row_exchange.hpp"

#include <numeric>
#include <unordered_map>

namespace groma::hpcc::hpl {
namespace {

/// Which row's content each row has after exchanges; rows that are not named have their own.
class Contents {
 public:
  std::int64_t of(std::int64_t row) const {
    const auto found = content_.find(row);
    return found == content_.end() ? row : found->second;
  }
  void set(std::int64_t row, std::int64_t content) { content_[row] = content; }
  [[nodiscard]] const std::unordered_map<std::int64_t, std::int64_t>& all() const { return content_; }

 private:
  std::unordered_map<std::int64_t, std::int64_t> content_;
};

void pack(const std::vector<RowMoves::Pick>& picks, const Matrix& columns, double* out) {
  for (std::int64_t j = 0; j < columns.columns; ++j) {
    const double* column = columns.at(0, j);
    for (const RowMoves::Pick& pick : picks) *out++ = column[pick.local];
  }
}

void unpack(const std::vector<RowMoves::Pick>& picks, const double* in, const Oriented& upper) {
  for (std::int64_t j = 0; j < upper.columns(); ++j) {
    for (const RowMoves::Pick& pick : picks) upper(pick.upper, j) = *in++;
  }
}

void pick_rows(const std::vector<RowMoves::Pick>& picks, const Matrix& columns, const Oriented& upper) {
  const std::int64_t step = upper.row_step();
  for (std::int64_t j = 0; j < columns.columns; ++j) {
    const double* column = columns.at(0, j);
    double* out = &upper(0, j);
    for (const RowMoves::Pick& pick : picks) out[pick.upper * step] = column[pick.local];
  }
}

void move_rows(const std::vector<RowMoves::Displaced>& displaced, const Matrix& columns) {
  for (std::int64_t j = 0; j < columns.columns; ++j) {
    double* column = columns.at(0, j);
    for (const RowMoves::Displaced& one : displaced) column[one.local] = column[one.top];
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
  Contents contents;
  for (std::int64_t j = 0; j < panel.width(); ++j) {
    const auto pivot = static_cast<std::int64_t>(panel.pivots()[static_cast<std::size_t>(j)]);
    const std::int64_t source = contents.of(pivot);
    moves.picks[static_cast<std::size_t>(rows.owner(source))].push_back({j, rows.local(source)});
    contents.set(pivot, contents.of(panel.first() + j));
  }
  for (const auto& [row, content] : contents.all()) {
    if (row < panel.first() + panel.width()) continue;  // retired
    moves.displaced[static_cast<std::size_t>(rows.owner(row))].push_back(
        {rows.local(content), rows.local(row)});
  }
  // One order on every rank and in every library, ascending in memory.
  for (auto& of_row : moves.displaced) {
    std::sort(of_row.begin(), of_row.end(),
              [](const Displaced& a, const Displaced& b) { return a.local < b.local; });
  }
  return moves;
}

Result<RowExchange> RowExchange::make(const ProcessGrid& grid, const HplCase& one, std::int64_t columns) {
  const auto nb = static_cast<std::int64_t>(one.nb);
  const std::int64_t parts = grid.rows() == 1 ? 1 : 3;
  // U in either form, its stride padded.
  const std::int64_t words =
      std::max(padded(nb, 8) * std::max<std::int64_t>(columns, 1), padded(columns, 8) * nb);
  Result<Block> memory =
      Block::map(Bytes(static_cast<std::uint64_t>(parts * words) * sizeof(double)), PageMode::kHuge);
  if (!memory) return memory.error();
  return RowExchange(grid, one.method, static_cast<std::uint64_t>(words), std::move(memory).value());
}

std::span<double> RowExchange::part(std::size_t which, std::size_t words) const {
  return memory_.as<double>().subspan(which * words_, words);
}

Oriented RowExchange::upper(std::int64_t width, std::int64_t columns) const {
  double* words = memory_.as<double>().data();
  if (method_->upper_transposed) return {{words, columns, width, padded(columns, 8)}, Transposed::kYes};
  return {{words, width, columns, padded(width, 8)}, Transposed::kNo};
}

Oriented RowExchange::apply(const Panel& panel, const RowMoves& moves, const Matrix& columns) {
  const Oriented rows = upper(panel.width(), columns.columns);
  if (grid_->rows() == 1) {
    pick_rows(moves.picks.front(), columns, rows);
    move_rows(moves.displaced.front(), columns);
    return rows;
  }
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

void RowExchange::gather(const RowMoves& moves, const Matrix& columns, const Oriented& upper) {
  const mpi::Communicator& ranks = grid_->along_column();
  const auto places = BlockPlaces::folded(message_lengths(moves.picks, columns.columns));
  const std::size_t all_words = std::accumulate(places.length.begin(), places.length.end(), std::size_t{0});
  const std::span<double> all = part(1, all_words);
  pack(moves.picks[static_cast<std::size_t>(ranks.rank())], columns, places.of(all, ranks.rank()).data());
  if (by_exchange(columns.columns)) {
    gather_by_exchange(ranks, places, all);
  } else {
    gather_by_rolling(ranks, places, all);
  }
  for (int row = 0; row < ranks.size(); ++row) {
    unpack(moves.picks[static_cast<std::size_t>(row)], places.of(all, row).data(), upper);
  }
}

void RowExchange::send_displaced(int owner, const RowMoves& moves, const Matrix& columns) {
  const auto places = BlockPlaces::folded(message_lengths(moves.displaced, columns.columns));
  std::vector<mpi::Request> sending;
  for (int row = 0; row < grid_->rows(); ++row) {
    if (row == owner) continue;
    const auto& displaced = moves.displaced[static_cast<std::size_t>(row)];
    const std::span<double> message =
        part(2, places.begin[static_cast<std::size_t>(row)] + places.length[static_cast<std::size_t>(row)])
            .subspan(places.begin[static_cast<std::size_t>(row)]);
    double* out = message.data();
    for (std::int64_t j = 0; j < columns.columns; ++j) {
      for (const RowMoves::Displaced& one : displaced) *out++ = *columns.at(one.top, j);
    }
    sending.push_back(grid_->along_column().start_send(std::span<const double>(message), row));
  }
  move_rows(moves.displaced[static_cast<std::size_t>(owner)], columns);
}

void RowExchange::receive_displaced(int owner, const RowMoves& moves, const Matrix& columns) {
  const auto& displaced = moves.displaced[static_cast<std::size_t>(grid_->my_row())];
  const std::span<double> message = part(2, displaced.size() * static_cast<std::size_t>(columns.columns));
  grid_->along_column().receive(message, owner);
  const double* in = message.data();
  for (std::int64_t j = 0; j < columns.columns; ++j) {
    for (const RowMoves::Displaced& one : displaced) *columns.at(one.local, j) = *in++;
  }
}

void store_upper(const Oriented& upper, const Matrix& top) {
  const std::int64_t step = upper.row_step();
  for (std::int64_t j = 0; j < top.columns; ++j) {
    const double* in = &upper(0, j);
    for (std::int64_t i = 0; i < top.rows; ++i) *top.at(i, j) = in[i * step];
  }
}

}  // namespace groma::hpcc::hpl
