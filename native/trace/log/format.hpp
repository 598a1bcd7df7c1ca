// The log of a thread: what the tracer writes and the merge reads. docs/trace.md describes it.
//
// A log is a header and chunks. Both are written through shared mappings, so that what a killed process wrote
// is there. A chunk is a header and records; the rest of it is zero. A record begins with its length, which
// is written last: a record that was not finished has the length zero and ends the chunk. A chunk that has a
// successor has room for no more than kLongestRecord bytes left.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/varint.hpp"

namespace groma::trace::log {

constexpr std::array<char, 8> kMagic{'g', 'r', 'o', 'm', 'a', 'l', 'o', 'g'};
constexpr std::uint32_t kVersion = 6;
constexpr std::size_t kHeaderBytes = 4096;
constexpr std::size_t kChunkBytes = std::size_t{256} << 10U;
constexpr std::size_t kLongestRecord = 254;
constexpr std::size_t kMaxCounters = 8;
constexpr std::size_t kLongestCounterName = 191;  ///< src/groma/trace/preload.py refuses longer ones

/// Ticks of the clock of the log and the clock of the system at the same time.
struct ClockPair {
  std::uint64_t ticks;
  std::uint64_t realtime;   ///< ns since 1970
  std::uint64_t monotonic;  ///< ns, not steered
};

/// Ticks here and on the host of rank 0 at the same time, known to half a round trip.
struct SyncSample {
  std::uint64_t ticks;
  std::uint64_t reference;  ///< ticks of rank 0
  std::uint64_t half_trip;  ///< ticks here
};
constexpr std::size_t kMaxSyncs = 64;

enum class Clock : std::uint32_t { system = 0, counter = 1 };
enum class WhenFull : std::uint32_t { stop = 0, newest = 1 };
enum class Progress : std::uint32_t { running = 0, finished = 1 };

struct Header {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t chunk_bytes;
  std::uint64_t calls;  ///< calls_hash() of the writer
  std::uint64_t run;    ///< the same in all logs of one `groma trace`
  std::uint64_t world;  ///< the same in all logs of one MPI_COMM_WORLD
  std::uint32_t rank;
  std::uint32_t ranks;
  std::uint32_t thread;  ///< from 0 in order of first calls
  std::uint32_t process;
  Clock clock;
  WhenFull when_full;
  Progress progress;
  std::uint32_t syncs;
  ClockPair begin;
  ClockPair latest;           ///< of the last chunk or the end
  std::uint64_t begin_ticks;  ///< when the process began to be traced
  std::uint64_t cost;         ///< of a recorded call in all, in 1/256 ticks
  std::uint64_t cost_inside;  ///< the part that lies in the recorded duration, in 1/256 ticks
  std::uint64_t lost;         ///< records that were not kept
  std::uint64_t lost_since;   ///< ticks of the first of them
  std::uint64_t in_call;      ///< number of the call that the thread is in, from 1; 0: in none
  std::uint64_t entered;      ///< ticks of its begin
  std::uint64_t counters;     ///< number of counters that each record has before it
  std::array<char, 64> host;
  std::array<char, 128> library;
  std::array<char, 256> program;
  std::array<std::array<char, kLongestCounterName + 1>, kMaxCounters> counter_names;
  std::array<char, 160> no_counters;  ///< why this thread counts nothing, though it was asked to
  std::array<std::uint64_t, kMaxCounters> counted_inside;  ///< by a recorded call itself, in 1/256
  std::array<std::uint64_t, kMaxCounters> counted_outside;
  std::array<SyncSample, kMaxSyncs> sync;
  std::uint64_t bytes;  ///< of the log, from when it is closed; 0: not closed, or old chunks may be replaced
  std::uint64_t unnamed;        ///< regions and values whose names were too many
  std::uint64_t no_logs;        ///< of thread 0: further threads of the process that have none
  std::uint64_t unknown_comms;  ///< of thread 0: communicators that were too many to be told apart
  std::uint64_t untraced;       ///< ranks of the world that were found to have no tracer; 0: all have it
};
static_assert(sizeof(Header) <= kHeaderBytes);

struct ChunkHeader {
  std::uint64_t number;  ///< from 1 in the order of writing; 0: not written yet
  std::uint64_t ticks;   ///< what the first record counts from
};

/// Heads of records, after their length. Others are calls: kFirstCall + 2 * index, plus 1 if the call failed.
enum class Head : std::uint8_t {
  requests = 1,      ///< those that the next call of the thread completes or starts
  communicator = 2,  ///< a communicator
  members = 3,       ///< runs of ranks that belong to the last communicator
  name = 4,          ///< a text gets a number
  region = 5,        ///< begin or end of a region of the program
  value = 6,         ///< a value of the program
  counters = 7,      ///< what was counted before the next call and in it, or before the next region or value
  misses = 8,        ///< calls before the next one that got nothing: of each kind of Miss number and ticks
  module = 9,  ///< an executable or library gets a number: bytes and time of its file, begin of its path
  module_path = 10,  ///< more of the path of the last module
  site = 11,         ///< a place that calls gets a number: module (0: none), address in it
};
// A call ends with the number of its site, where sites are recorded. Numbers of modules and sites begin at 1,
// and hold in their chunk. Those of names hold in the log; each chunk says again what it uses.
constexpr std::size_t kMaxNames = 256;
constexpr std::size_t kMaxModules = 256;
constexpr std::size_t kMaxSites = 2048;
constexpr std::uint64_t kFirstCall = 16;

/// In a requests record, after each handle's difference to the last.
enum class Completion : std::uint8_t { plain = 0, with_status = 1, cancelled = 2 };

// All numbers of a record are of variable length; what may be below 0 goes through zigzag().
using groma::zigzag;
[[gnu::always_inline]] inline std::uint8_t* put_number(std::uint8_t* at, std::uint64_t value) {
  return put_varint(at, value);
}

}  // namespace groma::trace::log
