// C := A^T + C between the ranks of a grid (docs/hpcc/ptrans.md#method).
#pragma once

#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "hpcc/ptrans/layout.hpp"
#include "hpcc/ptrans/transpose.hpp"
#include "mpi/communicator.hpp"

namespace groma::hpcc {

/// What a rank works on.
struct PtransOperands {
  /// A of each rank of the grid where this one can read it, its own among them; else null.
  std::vector<const double*> readable;
  double* c;
  std::span<double> buffer;  ///< of buffer_elements()
};

/// Elements that `rank` sends to and receives from those whose A it cannot read.
std::uint64_t buffer_elements(const Layout& layout, int rank, const std::vector<const double*>& readable);

/// Rows [begin, end) of a share, counted without the gaps between its blocks. As a message: the columns of A
/// that they are, one after the other, each without gaps.
struct SharePart {
  Share share;
  std::uint64_t begin;
  std::uint64_t end;
};

class PtransExchange {
 public:
  /// `grid` has just the ranks of the layout, in their order. It, the layout and the pool outlive this.
  PtransExchange(const mpi::Communicator& grid, const Layout& layout, PtransOperands operands,
                 ThreadPool& pool, TransposeAdd add);

  /// Collective over the grid. A of every rank must be visible to those that read it, and stay unchanged
  /// until all have finished.
  void run();

 private:
  struct Message {
    SharePart part;
    std::span<double> data;
    int tag;
  };
  struct PendingReceive {
    const Message* message;
    mpi::Request request;
  };

  void plan(const std::vector<Share>& shares, bool incoming, std::span<double>& buffer);
  void plan_readable(const Share& share);
  void post_receives();
  void send_all(std::vector<mpi::Request>& sent);
  void pack(const Message& message);
  void unpack(const Message& message);
  void add_readable(const SharePart& part);
  void add_all_readable();
  void take_arrived();
  void take_rest();

  const mpi::Communicator& grid_;
  const Layout& layout_;
  PtransOperands operands_;
  ThreadPool& pool_;
  TransposeAdd add_;
  std::vector<SharePart> readable_parts_;
  std::vector<Message> incoming_;
  std::vector<Message> outgoing_;
  std::vector<PendingReceive> pending_receives_;
};

}  // namespace groma::hpcc
