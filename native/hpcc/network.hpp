// What messages cost between the ranks of a run, measured by a few of them before the plan is made: enough to
// choose how much fits into a budget, nothing is reported from it.
#pragma once

#include <functional>
#include <string>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/units.hpp"
#include "mpi/communicator.hpp"

namespace groma::hpcc {

/// A line through the times of a short and a long exchange.
struct MessageTime {
  Seconds latency;                ///< of an exchange of 8 bytes
  double seconds_per_byte = 0.0;  ///< beyond

  [[nodiscard]] Seconds of(std::uint64_t bytes) const {
    return latency + Seconds(seconds_per_byte * static_cast<double>(bytes));
  }
};

/// The defaults are those of messages within a node.
struct Network {
  MessageTime pair{Seconds(1e-6), 0.2e-9};         ///< one way between two ranks, mean over a few pairs
  MessageTime ring{Seconds(2e-6), 0.8e-9};         ///< to both neighbours in turn, the slowest rank
  MessageTime random_ring{Seconds(2e-6), 0.8e-9};  ///< the same in a random order
  bool is_measured = false;

  /// Bytes per second that leave each rank while all ranks send.
  [[nodiscard]] double exchange_rate() const;
};

/// Time of one of `times` exchanges in a row with messages of `bytes`, the same on every rank.
using TimedExchange = std::function<Seconds(std::uint64_t bytes, std::uint32_t times)>;

/// Measures one kind of exchange. Sizes double until a single exchange takes long, so that no network takes
/// more than a few times as long. Of each size the first exchange does not count: what shapes traffic lets a
/// burst pass after a pause.
MessageTime measure_exchange(const TimedExchange& exchange);

/// Natural ring, ring 1 of `seed`, and a few pairs. The same on every rank. Collective.
Network measure_network(const mpi::Communicator& world, const Clock& clock, std::uint64_t seed);

/// {"measured", "pair", "ring", "random_ring": {"latency", "seconds_per_byte"}}
Json to_json(const Network& network);

}  // namespace groma::hpcc
