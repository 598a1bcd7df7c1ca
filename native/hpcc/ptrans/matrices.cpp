#include "hpcc/ptrans/matrices.hpp"

#include <algorithm>

#include "hpcc/ptrans/exchange.hpp"

namespace groma::hpcc {
namespace {

/// Rows of one column that follow each other in the whole matrix and in the local one.
struct Piece {
  std::uint64_t row;  ///< in the whole matrix
  std::uint64_t column;
  std::uint64_t at;  ///< in local memory
  std::uint64_t rows;
};

template <class F>
void for_pieces_of_column(const Layout& layout, int rank, std::uint64_t block, std::uint64_t offset,
                          F visit) {
  const std::uint64_t column = layout.columns().start(block) + offset;
  const std::uint64_t base = (layout.columns().local_start(block) + offset) * layout.stride(rank);
  const BlockDistribution& rows = layout.rows();
  for (std::uint64_t down = layout.row_of(rank); down < rows.blocks(); down += rows.parts()) {
    visit(Piece{rows.start(down), column, base + rows.local_start(down), rows.size(down)});
  }
}

/// `visit(member, piece)` for all local columns, dealt out to the pool.
template <class F>
void for_all_pieces(const Layout& layout, int rank, ThreadPool& pool, F visit) {
  const BlockDistribution& columns = layout.columns();
  pool.run([&](std::size_t member) {
    for (std::uint64_t block = layout.column_of(rank); block < columns.blocks(); block += columns.parts()) {
      const auto [begin, end] = part_of(columns.size(block), 1, member, pool.size());
      for (std::uint64_t offset = begin; offset < end; ++offset) {
        for_pieces_of_column(layout, rank, block, offset, [&](const Piece& piece) { visit(member, piece); });
      }
    }
  });
}

std::uint64_t most_elements(const std::vector<Layout>& layouts, int rank) {
  std::uint64_t most = 0;
  for (const Layout& layout : layouts) {
    if (rank < layout.ranks()) most = std::max(most, layout.local_elements(rank));
  }
  return most;
}

Bytes bytes_of(std::uint64_t elements) {
  return Bytes(elements * sizeof(double));
}

/// For each rank of the world, whether it shares the memory of this one's node. Collective over both.
std::vector<bool> ranks_here(const mpi::Communicator& world, const mpi::Communicator& node) {
  const auto leader = node.broadcast_value(std::int64_t{world.rank()});
  std::vector<bool> here;
  for (const std::int64_t other : world.gather_to_all(leader)) here.push_back(other == leader);
  return here;
}

}  // namespace

Result<PtransMatrices> PtransMatrices::make(const mpi::Communicator& world,
                                            const std::vector<Layout>& layouts, Sharing sharing,
                                            ThreadPool& pool) {
  PtransMatrices matrices(pool);
  Status status = matrices.place(world, layouts, sharing);
  // Together: giving back shared memory is collective.
  status = world.agree(status);
  if (!status) return status.error();
  return matrices;
}

Status PtransMatrices::place(const mpi::Communicator& world, const std::vector<Layout>& layouts,
                             Sharing sharing) {
  const std::uint64_t elements = most_elements(layouts, world.rank());
  if (const Status placed = place_a(world, bytes_of(elements), sharing); !placed) return placed;
  std::uint64_t buffered = 0;
  for (const Layout& layout : layouts) {
    if (world.rank() >= layout.ranks()) continue;
    buffered = std::max(buffered, buffer_elements(layout, world.rank(), readable_));
  }
  auto c = Block::map(bytes_of(elements), PageMode::kHuge);
  if (!c) return c.error();
  auto buffer = Block::map(bytes_of(buffered), PageMode::kHuge);
  if (!buffer) return buffer.error();
  c_ = std::move(c).value();
  buffer_ = std::move(buffer).value();
  return Done{};
}

Status PtransMatrices::place_a(const mpi::Communicator& world, Bytes size, Sharing sharing) {
  const mpi::Communicator node = world.split_by_node();
  const std::vector<bool> here = ranks_here(world, node);
  readable_.assign(here.size(), nullptr);
  if (sharing == Sharing::kNodes && node.size() > 1) {
    if (auto shared = mpi::SharedParts::allocate(node, size)) {
      shared_ = std::move(shared).value();
      int on_node = 0;
      for (std::size_t rank = 0; rank < here.size(); ++rank) {
        if (here[rank]) readable_[rank] = shared_->of<double>(on_node++).data();
      }
      a_ = shared_->of<double>(node.rank());
      return Done{};
    }
  }
  auto own = Block::map(size, PageMode::kHuge);
  if (!own) return own.error();
  own_ = std::move(own).value();
  a_ = own_->as<double>();
  readable_[static_cast<std::size_t>(world.rank())] = a_.data();
  return Done{};
}

void PtransMatrices::fill(const Layout& layout, int rank, const Elements& elements) {
  double* const a = a_.data();
  double* const c = this->c().data();
  for_all_pieces(layout, rank, *pool_, [&](std::size_t /*member*/, const Piece& piece) {
    for (std::uint64_t k = 0; k < piece.rows; ++k) {
      a[piece.at + k] = elements.a(piece.row + k, piece.column);
      c[piece.at + k] = elements.c(piece.row + k, piece.column);
    }
  });
  if (shared_) shared_->synchronize();
}

PtransMatrices::WrongElements PtransMatrices::mistakes(const Layout& layout, int rank,
                                                       const Elements& elements) const {
  std::vector<WrongElements> of_member(pool_->size());
  const double* const c = this->c().data();
  for_all_pieces(layout, rank, *pool_, [&](std::size_t member, const Piece& piece) {
    WrongElements& all = of_member[member];
    for (std::uint64_t k = 0; k < piece.rows; ++k) {
      const double right = elements.c(piece.row + k, piece.column) + elements.a(piece.column, piece.row + k);
      if (c[piece.at + k] != right) all.add(c[piece.at + k] - right);
    }
  });
  WrongElements all;
  for (const WrongElements& one : of_member) all.add(one);
  return all;
}

void PtransMatrices::WrongElements::add(double distance) {
  ++elements;
  farthest.take(distance);
}

void PtransMatrices::WrongElements::add(const WrongElements& others) {
  elements += others.elements;
  farthest.take(others.farthest);
}

}  // namespace groma::hpcc
