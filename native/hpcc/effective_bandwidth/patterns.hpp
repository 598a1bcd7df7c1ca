// What is exchanged, and how often: the patterns of the effective bandwidth as data (HPCC 1.5.0, b_eff
// R1.5.1). A plan of patterns is a pure function, the same on every rank.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "base/units.hpp"

namespace groma::hpcc {

enum class Exchange {
  kPingPong,     ///< one message there and one back; time of one way
  kSendReceive,  ///< in a ring, to both neighbours: two MPI_Sendrecv, one after the other
  kNonBlocking,  ///< in a ring, to both neighbours: two MPI_Irecv, two MPI_Isend, MPI_Waitall
};

enum class BufferState {
  kReused,      ///< the same memory in each iteration, on small pages: as in the original suite
  kReusedHuge,  ///< the same on 2 MiB pages, where the kernel gives them
  kRotating,    ///< other memory in each iteration, not touched for longer than the caches remember
};

enum class Purpose {
  kDefinition,  ///< as the suite defines its values; those of reused buffers are the ones it is known by
  kCurve,       ///< over all sizes
};

std::string_view name_of(Exchange exchange);
std::string_view name_of(BufferState buffers);
std::string_view name_of(Purpose purpose);

struct Pattern {
  Exchange exchange;
  Purpose purpose;
  BufferState buffers;
  std::uint32_t route;  ///< number of the pair, or of the ring (0: the natural one)
  std::uint64_t bytes;  ///< of one message
  std::uint32_t warm_ups;
  std::uint32_t loop;     ///< timed iterations of a sample
  std::uint32_t repeats;  ///< samples in a round
  std::size_t slot = 0;   ///< of the first repeat, among all samples of a round
};

constexpr std::uint64_t kLatencyBytes = 8;
constexpr std::uint64_t kBandwidthBytes = 2'000'000;

/// Time of one iteration, and of one whole sample with its barrier and checks, on the slowest rank.
struct Cost {
  Seconds iteration;
  Seconds sample;
};
struct Costs {
  Cost ping_pong_latency;
  Cost ping_pong_bandwidth;
  Cost ring_latency;
  Cost ring_bandwidth;
};

/// Iterations of one sample.
struct Iterations {
  std::uint32_t warm_ups;
  std::uint32_t loop;
};

/// How much of the original fits in the time there is.
struct Scope {
  std::size_t latency_pairs;
  std::size_t bandwidth_pairs;
  std::uint32_t latency_rings;    ///< random ones
  std::uint32_t bandwidth_rings;  ///< random ones
  Iterations latency_pair;
  Iterations bandwidth_pair;
  Iterations latency_ring;
  Iterations bandwidth_ring;
  bool other_states;  ///< the other buffer states beside the original's
  bool curves;
};

/// 30 and 10 random rings and up to 1,024 pairs, fewer where a round would take longer than `round`: never
/// fewer than 3 rings and 5 pairs where there are that many. Where even these take longer, the other buffer
/// states are left out.
Scope scope_for(const Costs& costs, Seconds round, int ranks, bool curves);

/// Largest message that any pattern sends.
std::uint64_t largest_message(bool curves);

/// In the order of their slots. The two ways to exchange in one ring stand side by side.
std::vector<Pattern> patterns_of(const Scope& scope);
std::size_t slots_of(const std::vector<Pattern>& patterns);

/// One sample of a round.
struct Turn {
  std::size_t pattern;
  std::size_t slot;
};

/// All samples of a round in an order of its own.
std::vector<Turn> turns_of_round(const std::vector<Pattern>& patterns, RandomStream random);

}  // namespace groma::hpcc
