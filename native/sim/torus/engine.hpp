// Runs the packets of a torus through simulated time, with any number of threads and the same result.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/torus/fabric.hpp"
#include "sim/torus/histogram.hpp"
#include "sim/torus/processors.hpp"
#include "sim/torus/worker.hpp"

namespace groma::sim::torus {

/// What had been done at a time.
struct Progress {
  Cycles time = 0;
  Tally tally;
};

struct RunOptions {
  std::size_t threads = 1;
  /// Work after which the run ends, though packets may be on their way; 0 to go on until nothing is left to
  /// do.
  std::uint64_t enough_work = 0;
  std::uint64_t work_per_sample = 0;  ///< 0 for no samples
  /// The caches are taken to hold so much. While nodes and packets take more, what visits read of them is
  /// prefetched, which makes 4,096 nodes take 0.7 of the time, but 1,024 nodes 1.4 times as long (Zen 3, 32
  /// MiB of L3 that others share). No result depends on it.
  std::size_t cached_bytes = std::size_t{10} << 20U;
  /// Asked now and then, by one thread: whether to stop.
  std::function<bool(const Progress&)> stop;
};

enum class Ending : std::uint8_t {
  kDone,     ///< nothing is left to do, or enough was done
  kStopped,  ///< as `stop` asked for
  kStuck,    ///< packets are left that nothing will move
};

struct LinkUse {
  Cycles busy = 0;
  Cycles stalled = 0;
  std::uint32_t packets = 0;
  bool exists = false;
};

struct Outcome {
  Ending ending = Ending::kDone;
  Progress end;
  std::vector<Progress> samples;
  Histogram latencies;
  std::vector<LinkUse> links;   ///< node by node, port by port
  std::int64_t tokens_out = 0;  ///< of packets in the network; 0 where none is left in it
  std::size_t bytes_used = 0;   ///< by the simulator for the state of the network and its packets
};

/// Refuses networks that check() refuses, more queues at a node than a router can look at, and runs that are
/// not over by kEndOfTime (all: usage). A run after which a channel lacks tokens or packets has no outcome:
/// code "validation". Throws what a part of a run throws, by any thread.
Result<Outcome> simulate(const Shape& shape, const Network& network, Processors& processors,
                         const RunOptions& options);

}  // namespace groma::sim::torus
