// Updates on their way in messages, in one of the two ways that shares are for.
#pragma once

#include "randomaccess/algorithm.hpp"
#include "randomaccess/routed/route.hpp"
#include "randomaccess/routed/shares.hpp"

namespace groma::randomaccess {

struct MessageExchange {
  Setup setup;
  Partition ranks;  ///< its parts are ranks
  Route route;
  Shares shares;
  mpi::Communicator messages;  ///< of its own, so that no other message interferes
};

/// Collective: applies the sections of all ranks. Returns what this rank did. In turns: on every link a
/// bucket fills on either side while one message is on its way; two ranks send in turns, so that a posted
/// buffer waits for every message and no rank holds more updates than two buckets of each link have room for.
Activity exchange_in_turns(const MessageExchange& exchange, Section section);
/// The same in pools: see pool_routing.hpp.
Activity exchange_in_pools(const MessageExchange& exchange, Section section);

/// Collective: what passes updates along a topology whose nodes are the ranks.
std::unique_ptr<Updater> updater_along(const Setup& setup, const Topology& topology);
/// In the way that the shares are for.
std::unique_ptr<Updater> updater_along(const Setup& setup, const Topology& topology, Shares shares);

}  // namespace groma::randomaccess
