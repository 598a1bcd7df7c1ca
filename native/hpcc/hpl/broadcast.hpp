// Sends a panel along a row of the grid while its ranks compute: every call of progress() forwards what has
// come in the meantime.
#pragma once

#include <span>
#include <vector>

#include "hpcc/plan.hpp"
#include "mpi/communicator.hpp"

namespace groma::hpcc::hpl {

/// The way of one piece of a message through a rank: positions count from the root, which is 0. -1: the
/// root's.
struct Hop {
  int parent = -1;
  std::vector<int> children;
  bool operator==(const Hop&) const = default;
};

/// A message cut into equal pieces, each with a way of its own; what one rank has to do with each of them.
struct Route {
  std::vector<Hop> pieces;
};

/// The route through `position` of `size` ranks:
/// - ring: each rank passes on to the next;
/// - two-ring: the root starts two rings, one through each half of the others;
/// - long: the root deals out one piece to each other rank, then every piece goes around among those;
/// - modified forms: the root first serves its neighbour, who factors the next panel and passes nothing on;
///   the others go as above without it.
Route route_of(PanelBroadcast kind, int size, int position);

/// Tells broadcasts that are under way at the same time from each other: a rank may pass on the later one
/// first.
struct BroadcastTag {
  int which;
  int of;
};

/// A broadcast that is under way. All ranks start their broadcasts in the same order.
class Broadcast {
 public:
  Broadcast() = default;
  /// Collective over `along`, but returns at once. `message` must live, and on the root keep its content,
  /// until finish().
  Broadcast(const mpi::Communicator& along, PanelBroadcast kind, int root, std::span<double> message,
            BroadcastTag tag = {0, 1});

  /// Forwards what has arrived. Whether the whole message is here.
  bool progress();
  /// Waits until the message is here; it is then passed on as far as this rank has to.
  void receive();
  /// Waits until no rank needs the message any longer.
  void finish();

 private:
  struct Piece {
    std::span<double> data;
    std::vector<int> children;
    mpi::Request receiving;
    bool here = false;
  };
  [[nodiscard]] int rank_at(int position) const;
  [[nodiscard]] int tag_of(std::size_t piece) const;
  void forward(std::size_t piece);

  const mpi::Communicator* along_ = nullptr;
  int root_ = 0;
  BroadcastTag tag_ = {0, 1};
  std::vector<Piece> pieces_;
  std::vector<mpi::Request> sending_;
};

}  // namespace groma::hpcc::hpl
