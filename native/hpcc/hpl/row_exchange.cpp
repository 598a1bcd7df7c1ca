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

/// Columns that are moved together where U lies transposed: they fill its cache lines.
constexpr std::int64_t kTogether = 8;

/// work(j, count) for groups of columns.
template <class Work>
void for_groups(std::int64_t columns, std::int64_t group, const Work& work) {
  for (std::int64_t j = 0; j < columns; j += group) work(j, std::min(group, columns - j));
}

void pick_rows(const std::vector<RowMoves::Pick>& picks, const Matrix& columns, const Oriented& upper) {
  for (const RowMoves::Pick& pick : picks) {
    const double* in = columns.at(pick.local, 0);
    double* out = &upper(pick.upper, 0);
    for (std::int64_t j = 0; j < columns.columns; ++j) out[j * upper.column_step()] = in[j * columns.stride];
  }
}

void move_rows(const std::vector<RowMoves::Displaced>& displaced, const Matrix& columns) {
  for (std::int64_t j = 0; j < columns.columns; ++j) {
    double* column = columns.at(0, j);
    for (const RowMoves::Displaced& one : displaced) column[one.local] = column[one.top];
  }
}

/// Both within one rank, a few columns at a time.
void exchange_locally(const RowMoves& moves, const Matrix& columns, const Oriented& upper) {
  for_groups(columns.columns, upper.turned() ? kTogether : 1, [&](std::int64_t j, std::int64_t count) {
    const Matrix some = columns.part(0, j, columns.rows, count);
    pick_rows(moves.picks.front(), some, upper.part(0, j, upper.rows(), count));
    move_rows(moves.displaced.front(), some);
  });
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

Oriented RowExchange::pivot_rows(std::size_t which, std::int64_t width, std::int64_t columns) const {
  double* words = part(which, 0).data();
  if (method_->upper_transposed) return {{words, columns, width, padded(columns, 8)}, Transposed::kYes};
  return {{words, width, columns, padded(width, 8)}, Transposed::kNo};
}

Matrix RowExchange::spare(std::int64_t width, std::int64_t columns) const {
  return {part(kSpare, 0).data(), width, columns, padded(width, 8)};
}

Oriented RowExchange::apply_alone(std::size_t thread, const Panel& panel, const RowMoves& moves,
                                  const Matrix& columns) {
  const Oriented rows = pivot_rows(thread, panel.width(), columns.columns);
  exchange_locally(moves, columns, rows);
  return rows;
}

Oriented RowExchange::apply(const Panel& panel, const RowMoves& moves, const Matrix& columns) {
  const Oriented rows = pivot_rows(kPivotRows, panel.width(), columns.columns);
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
  const std::span<double> all = part(kGathered, all_words);
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
    const std::span<double> message = part(kDisplaced, places.begin[static_cast<std::size_t>(row)] +
                                                           places.length[static_cast<std::size_t>(row)])
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
  const std::span<double> message =
      part(kDisplaced, displaced.size() * static_cast<std::size_t>(columns.columns));
  grid_->along_column().receive(message, owner);
  const double* in = message.data();
  for (std::int64_t j = 0; j < columns.columns; ++j) {
    for (const RowMoves::Displaced& one : displaced) *columns.at(one.local, j) = *in++;
  }
}

}  // namespace groma::hpcc::hpl
