// The memory that the streaming kernels walk: a ring for each core, so large that nothing of the last turn is
// left in the caches, first touched by its core and used by no other; and a window of it seen as streams.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/pages.hpp"
#include "base/stream_kernels.hpp"
#include "base/topology.hpp"

namespace groma::survey {

/// The largest data or unified cache above `core` and the allowed cores that share it; 32 MiB and all cores
/// of its package where none is declared (a virtual machine may hide it).
struct CacheShare {
  Bytes size;
  std::vector<LogicalCore> cores;
};
CacheShare last_level_of(LogicalCore core, const Topology& topology);

/// 1, 2, 4, … and `all`.
std::vector<std::size_t> thread_counts(std::size_t all);

/// For pinning.
std::vector<PhysicalCore> physical_cores(std::span<const LogicalCore> cores, const Topology& topology);

/// The memory of one core. Windows follow each other around the ring, whatever kernels they are for: between
/// two visits of a line the core has moved a whole ring, which is larger than its caches.
class StreamRing {
 public:
  explicit StreamRing(std::span<double> memory) : memory_(memory) {}

  /// The next `elements`, or as many as the ring has; begins at a cache line.
  std::span<double> next(std::size_t elements);

  [[nodiscard]] Bytes size() const { return Bytes(memory_.size_bytes()); }

 private:
  std::span<double> memory_;
  std::size_t position_ = 0;
};

/// Elements of each stream when `elements` doubles are cut into the streams of a kernel.
std::size_t stream_length(std::size_t elements, const StreamKernel& kernel);

/// A window of a ring cut into the streams of a kernel.
class StreamWindow {
 public:
  StreamWindow(std::span<double> memory, const StreamKernel& kernel);

  /// Elements of each stream.
  [[nodiscard]] std::size_t length() const { return length_; }

  /// One pass over `elements` of every stream from element `at` on, a multiple of 8.
  void pass(StreamPass run, std::size_t at, std::size_t elements) const;

 private:
  double* start_;
  std::uint32_t writes_;
  std::size_t length_;
};

/// A thread that streams.
struct Streamer {
  PhysicalCore cpu;
  StreamRing* ring;
  /// Moved before measuring, until nothing of an earlier kernel is left in its part of the cache: clean lines
  /// would make stores too cheap, dirty ones make loads too dear.
  Bytes warm_up;
};

/// Rings for some cores.
class StreamMemory {
 public:
  /// `wanted` bytes for each core, all together at most a quarter of `available`; 0 for four times the
  /// last-level cache, or twice at least: an error where half of `available` does not hold that. Every core
  /// touches its own ring first; every element is 1.
  static Result<StreamMemory> place(const Topology& topology, std::span<const LogicalCore> cores,
                                    Bytes wanted, Bytes available);

  /// Threads on `active` cores that run at once. Streamers of one core share its ring: one at a time may run.
  [[nodiscard]] std::vector<Streamer> streamers(std::span<const LogicalCore> active,
                                                const Topology& topology);

  [[nodiscard]] Bytes ring_size() const { return rings_.begin()->second.size(); }

 private:
  std::vector<Block> blocks_;
  std::map<LogicalCore, StreamRing> rings_;
};

}  // namespace groma::survey
