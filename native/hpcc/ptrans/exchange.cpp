#include "hpcc/ptrans/exchange.hpp"

#include <algorithm>
#include <cstring>

namespace groma::hpcc {
namespace {

/// Elements of a message at least: shorter ones cost more in latency than they gain in overlap.
constexpr std::uint64_t kMessage = std::uint64_t{64} * 1024;
/// Messages of a share at most: every one waits in the library's queues from the start.
constexpr std::uint64_t kMessagesPerShare = 16;
/// Rows are cut at whole lines.
constexpr std::uint64_t kGrain = 8;

/// Elements of the blocks of a share along one side.
std::uint64_t length_of(const BlockDistribution& side, std::uint64_t first, std::uint64_t step,
                        std::uint64_t blocks) {
  return (blocks - 1) * side.size(first) + side.size(first + (blocks - 1) * step);
}

std::uint64_t rows_of(const Layout& layout, const Share& share) {
  return length_of(layout.rows(), share.row, share.step, layout.blocks_down(share));
}

/// Columns of C, rows of A.
std::uint64_t height_of(const Layout& layout, const Share& share) {
  return length_of(layout.columns(), share.column, share.step, layout.blocks_across(share));
}

std::vector<SharePart> parts_of(const Layout& layout, const Share& share) {
  const std::uint64_t rows = rows_of(layout, share);
  const std::uint64_t whole = kMessage / height_of(layout, share) / kGrain * kGrain;
  const std::uint64_t length =
      std::max({kGrain, whole, (rows / kMessagesPerShare + kGrain) / kGrain * kGrain});
  std::vector<SharePart> parts;
  for (std::uint64_t begin = 0; begin < rows; begin += length) {
    parts.push_back({share, begin, std::min(rows, begin + length)});
  }
  return parts;
}

/// Rows of one block of C, `offset` rows below its first, which are `begin` rows below that of the share.
struct BlockRows {
  std::uint64_t block;
  std::uint64_t offset;
  std::uint64_t rows;
  std::uint64_t begin;
};

template <class F>
void for_block_rows(const Layout& layout, const SharePart& part, F visit) {
  const std::uint64_t nb = layout.rows().size(part.share.row);
  for (std::uint64_t at = part.begin; at < part.end;) {
    const std::uint64_t rows = std::min(part.end - at, nb - at % nb);
    visit(BlockRows{part.share.row + at / nb * part.share.step, at % nb, rows, at});
    at += rows;
  }
}

/// `visit(block, elements, before)`: blocks of columns of C, and the elements of the share before them.
template <class F>
void for_block_columns(const Layout& layout, const Share& share, F visit) {
  std::uint64_t before = 0;
  for (std::uint64_t block = share.column; block < layout.columns().blocks(); block += share.step) {
    const std::uint64_t elements = layout.columns().size(block);
    visit(block, elements, before);
    before += elements;
  }
}

/// What one member of the pool does of a part.
SharePart cut(const SharePart& part, std::size_t member, std::size_t members) {
  const auto [begin, end] = part_of(part.end - part.begin, kGrain, member, members);
  return {part.share, part.begin + begin, part.begin + end};
}

}  // namespace

std::uint64_t buffer_elements(const Layout& layout, int rank, const std::vector<const double*>& readable) {
  const auto far = [&](int other) { return readable[static_cast<std::size_t>(other)] == nullptr; };
  std::uint64_t elements = 0;
  for (const Share& share : layout.shares_to(rank)) {
    if (far(share.from)) elements += rows_of(layout, share) * height_of(layout, share);
  }
  for (const Share& share : layout.shares_from(rank)) {
    if (far(share.to)) elements += rows_of(layout, share) * height_of(layout, share);
  }
  return elements;
}

PtransExchange::PtransExchange(const mpi::Communicator& grid, const Layout& layout, PtransOperands operands,
                               ThreadPool& pool, TransposeAdd add)
    : grid_(grid), layout_(layout), operands_(std::move(operands)), pool_(pool), add_(add) {
  std::span<double> buffer = operands_.buffer;
  plan(layout.shares_to(grid.rank()), true, buffer);
  plan(layout.shares_from(grid.rank()), false, buffer);
}

void PtransExchange::plan(const std::vector<Share>& shares, bool incoming, std::span<double>& buffer) {
  for (const Share& share : shares) {
    const int partner = incoming ? share.from : share.to;
    const bool near = operands_.readable[static_cast<std::size_t>(partner)] != nullptr;
    if (near && incoming) plan_readable(share);
    if (near) continue;
    int tag = 0;
    for (const SharePart& part : parts_of(layout_, share)) {
      const std::uint64_t elements = (part.end - part.begin) * height_of(layout_, share);
      (incoming ? incoming_ : outgoing_).push_back({part, buffer.first(elements), tag++});
      buffer = buffer.subspan(elements);
    }
  }
}

/// In pieces only where messages are to be looked after between them.
void PtransExchange::plan_readable(const Share& share) {
  const bool messages = std::ranges::count(operands_.readable, nullptr) > 0;
  const std::vector<SharePart> whole = {{share, 0, rows_of(layout_, share)}};
  for (const SharePart& part : messages ? parts_of(layout_, share) : whole) readable_parts_.push_back(part);
}

void PtransExchange::run() {
  post_receives();
  std::vector<mpi::Request> sent;
  send_all(sent);
  add_all_readable();
  take_rest();
}

void PtransExchange::post_receives() {
  for (const Message& message : incoming_) {
    pending_receives_.push_back(
        {&message, grid_.start_receive(message.data, message.part.share.from, message.tag)});
  }
}

void PtransExchange::send_all(std::vector<mpi::Request>& sent) {
  for (const Message& message : outgoing_) {
    pack(message);
    const std::span<const double> data = message.data;
    sent.push_back(grid_.start_send(data, message.part.share.to, message.tag));
    take_arrived();
  }
}

/// While messages fly. Nothing flies where all are readable.
void PtransExchange::add_all_readable() {
  for (const SharePart& part : readable_parts_) {
    add_readable(part);
    take_arrived();
  }
}

void PtransExchange::take_arrived() {
  std::erase_if(pending_receives_, [&](PendingReceive& one) {
    if (!one.request.test()) return false;
    unpack(*one.message);
    return true;
  });
}

void PtransExchange::take_rest() {
  while (!pending_receives_.empty()) {
    pending_receives_.front().request.wait();
    take_arrived();
  }
}

void PtransExchange::pack(const Message& message) {
  const double* const a = operands_.readable[static_cast<std::size_t>(grid_.rank())];
  const std::uint64_t stride = layout_.stride(grid_.rank());
  const std::uint64_t height = height_of(layout_, message.part.share);
  pool_.run([&](std::size_t member) {
    for_block_rows(layout_, cut(message.part, member, pool_.size()), [&](const BlockRows& rows) {
      const double* from = a + (layout_.columns().local_start(rows.block) + rows.offset) * stride;
      double* to = message.data.data() + (rows.begin - message.part.begin) * height;
      for (std::uint64_t row = 0; row < rows.rows; ++row, from += stride, to += height) {
        for_block_columns(layout_, message.part.share,
                          [&](std::uint64_t block, std::uint64_t elements, std::uint64_t before) {
                            std::memcpy(to + before, from + layout_.rows().local_start(block),
                                        elements * sizeof(double));
                          });
      }
    });
  });
}

void PtransExchange::unpack(const Message& message) {
  const std::uint64_t stride = layout_.stride(grid_.rank());
  const std::uint64_t height = height_of(layout_, message.part.share);
  pool_.run([&](std::size_t member) {
    for_block_rows(layout_, cut(message.part, member, pool_.size()), [&](const BlockRows& rows) {
      const double* const from = message.data.data() + (rows.begin - message.part.begin) * height;
      double* const to = operands_.c + layout_.rows().local_start(rows.block) + rows.offset;
      for_block_columns(layout_, message.part.share,
                        [&](std::uint64_t block, std::uint64_t elements, std::uint64_t before) {
                          add_({to + layout_.columns().local_start(block) * stride, stride, from + before,
                                height, rows.rows, elements});
                        });
    });
  });
}

void PtransExchange::add_readable(const SharePart& part) {
  const double* const a = operands_.readable[static_cast<std::size_t>(part.share.from)];
  const std::uint64_t a_stride = layout_.stride(part.share.from);
  const std::uint64_t stride = layout_.stride(grid_.rank());
  pool_.run([&](std::size_t member) {
    for_block_rows(layout_, cut(part, member, pool_.size()), [&](const BlockRows& rows) {
      const double* const from = a + (layout_.columns().local_start(rows.block) + rows.offset) * a_stride;
      double* const to = operands_.c + layout_.rows().local_start(rows.block) + rows.offset;
      for_block_columns(layout_, part.share,
                        [&](std::uint64_t block, std::uint64_t elements, std::uint64_t /*before*/) {
                          add_({to + layout_.columns().local_start(block) * stride, stride,
                                from + layout_.rows().local_start(block), a_stride, rows.rows, elements});
                        });
    });
  });
}

}  // namespace groma::hpcc
