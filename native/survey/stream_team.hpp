// Threads that stream at once: timed passes from a common start, and a background that streams at a chosen
// pace until it is stopped.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "base/work_watch.hpp"
#include "survey/stream_memory.hpp"

namespace groma::survey {

struct KernelPass {
  const StreamKernel& kernel;
  StreamPass pass;
};

/// What a pass over `amount` bytes of a ring counts for: streams are cut to whole lines and skewed.
Bytes counted_bytes(Bytes amount, const StreamKernel& kernel);

/// Time of one pass over the next `amount` bytes of a ring, on the calling thread, until its stores have
/// left.
WorkWatch time_window(StreamRing& ring, const KernelPass& stream, Bytes amount);

/// Untimed passes over `amount` bytes.
void stream_through(StreamRing& ring, const KernelPass& stream, Bytes amount);

/// One pass of all threads: from the first start to the last finish.
struct PassTime {
  Seconds elapsed;
  bool disturbed;  ///< some thread lost its core, or came late to the start
};

struct TimedStream {
  KernelPass stream;
  Bytes slice;  ///< of the ring, per thread and pass
  std::uint32_t passes;
};

/// Passes of all streamers, each from a common start, after a warm-up.
Result<std::vector<PassTime>> time_passes(std::span<const Streamer> streamers, const TimedStream& timed);

/// The variant of each kernel that is fastest for one thread, by a low quantile of a few interleaved passes,
/// or a simpler one that is as fast within the trial's error; only those of the instruction set `isa`, or all
/// for "auto". Null for kernels that have none.
Result<std::vector<const StreamVariant*>> choose_variants(std::span<const StreamKernel* const> kernels,
                                                          std::string_view isa, const Streamer& streamer);

/// Pieces streamed in the background, in a cache line of its own.
struct alignas(64) StreamProgress {
  std::atomic<std::uint64_t> pieces{0};
};

/// How a background streams.
struct Pace {
  std::size_t piece;        ///< elements of each stream at a time, a multiple of 8
  std::uint64_t pause = 0;  ///< turns of pause_for() after each piece
};

/// Large enough to cost nothing, small enough to stop in time.
constexpr Pace kFullPace{8192};

/// Spends `turns` steps without touching memory, about a cycle each.
void pause_for(std::uint64_t turns);

/// Of pause_for() on the calling thread, also by a clock that goes in long steps.
Seconds time_of_turn(const Clock& clock);

/// Streams until `stop` is set, which also ends a long pause.
void stream_until(const std::atomic<bool>& stop, StreamRing& ring, const KernelPass& stream, Pace pace,
                  StreamProgress& progress);

}  // namespace groma::survey
