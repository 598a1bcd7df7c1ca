// What is exchanged, and how often: the patterns of the effective bandwidth as data (HPCC 1.5.0, b_eff
// R1.5.1). A plan of patterns is a pure function, the same on every rank.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "base/units.hpp"
#include "hpcc/network.hpp"

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

/// How often each of some routes is sampled, and how long.
struct RouteSampling {
  std::uint32_t routes;  ///< pairs, or random rings beside the natural one
  std::uint32_t repeats;
  std::uint32_t warm_ups;
  std::uint32_t loop;

  bool operator==(const RouteSampling&) const = default;
};

/// How much of the original is measured in a round.
struct Scope {
  RouteSampling latency_pairs;
  RouteSampling bandwidth_pairs;
  RouteSampling latency_rings;
  RouteSampling bandwidth_rings;
  bool other_states;  ///< the other buffer states beside the original's
  bool curves;
};

/// What rounds may take.
struct Allowance {
  Seconds time;
  std::uint32_t rounds;  ///< that are asked for
};

/// The whole definition: 30 and 10 random rings, all pairs up to 64, and up to 1,024 where these take less
/// than a quarter of the time of a round (the original limits pairs by time as well); loops as long as the
/// clock and the caches ask for.
Scope whole_scope(const Network& network, const Allowance& allowance, int ranks, bool curves);

/// The whole definition where one round of it ends in time, and the other buffer states where all rounds do.
/// Else fewer pairs and rings of each kind, then fewer repeats, then shorter loops: down to a single sample
/// on the first of the routes.
Scope scope_for(const Network& network, const Allowance& allowance, int ranks, bool curves);

/// Largest message that any pattern sends.
std::uint64_t largest_message(bool curves);

/// In the order of their slots. The two ways to exchange in one ring stand side by side.
std::vector<Pattern> patterns_of(const Scope& scope);
std::size_t slots_of(const std::vector<Pattern>& patterns);

/// One sample of a round.
struct SampleSlot {
  std::size_t pattern;
  std::size_t slot;
};

/// Time of one sample with its barriers, filling and checking.
Seconds expected_time(const Network& network, int ranks, const Pattern& pattern);

/// All samples of a round in an order of its own.
std::vector<SampleSlot> random_order(const std::vector<Pattern>& patterns, RandomStream random);

/// The same so that any beginning of it is worth something: every kind of sample comes once before any comes
/// again, short messages before long ones. For a round that may not come to its end.
std::vector<SampleSlot> urgent_order(const std::vector<Pattern>& patterns, RandomStream random);

}  // namespace groma::hpcc
