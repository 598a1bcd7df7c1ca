// One round: every sample of every pattern once, in an order of its own, between two looks at the clocks of
// the other ranks and two at how undisturbed the cores are.
#pragma once

#include <optional>
#include <vector>

#include "hpcc/effective_bandwidth/sampler.hpp"
#include "hpcc/effective_bandwidth/verdict.hpp"
#include "mpi/clock_sync.hpp"

namespace groma::hpcc {

/// What one told rank saw. Times by slot, NaN where it had no part.
struct RankView {
  int rank;
  std::vector<double> times;
  std::vector<double> warm_ups;
  mpi::ClockModel clock;
  Disturbance disturbance;
};

/// A round, on the root.
struct RoundResult {
  /// By slot: the client's time of a ping-pong, or the largest over the ranks of a ring.
  std::vector<double> times;
  /// The same where each rank of a ring takes its faster way to exchange; see headlines_of.
  std::vector<double> decisive;
  std::vector<double> warm_ups;
  std::vector<double> skews;    ///< by slot: from the first to the last rank that starts, on one time scale
  std::vector<RankView> views;  ///< of the ranks that are told
  Seconds clock_uncertainty;    ///< the largest
  Disturbance disturbance;      ///< the worst of each over all ranks
  std::uint64_t wrong = 0;      ///< messages or bytes, all ranks
};

/// Ranks whose own times are kept: all of few, else `most` spread evenly with the first and the last.
std::vector<int> told_ranks(int ranks, int most);

/// What it costs to sample here: the natural ring, and the pair of the first and the last rank. Collective.
Costs measure_costs(const mpi::Communicator& all, const Clock& clock, Sampler& sampler);

class Rounds {
 public:
  /// Collective.
  Rounds(const mpi::Communicator& all, const Clock& clock, Sampler& sampler,
         const std::vector<Pattern>& patterns, const Routes& routes, std::uint64_t seed);

  /// Collective. Samples of all rounds are numbered through.
  RoundResult run(std::uint32_t round);

 private:
  std::vector<Lap> sample_all(std::uint32_t round);
  [[nodiscard]] std::vector<double> decisive_of(const std::vector<double>& times) const;
  void reduce_times(const std::vector<Lap>& laps, RoundResult& result) const;
  void reduce_skews(const std::vector<Lap>& laps, const mpi::ClockModel& model, RoundResult& result) const;
  void reduce_disturbance(const Disturbance& own, RoundResult& result) const;
  void gather_views(const std::vector<Lap>& laps, const mpi::ClockModel& model, const Disturbance& own,
                    RoundResult& result) const;

  const mpi::Communicator& all_;
  const Clock& clock_;
  Sampler& sampler_;
  const std::vector<Pattern>& patterns_;
  const Routes& routes_;
  std::uint64_t seed_;
  mpi::ClockSync sync_;
  std::vector<int> told_;
  std::optional<mpi::Communicator> told_ranks_;  ///< this rank is among them
};

}  // namespace groma::hpcc
