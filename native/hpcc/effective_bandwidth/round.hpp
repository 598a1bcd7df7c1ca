// One round: every sample of every pattern once, in slices of about a second, so that what was measured is
// known, and kept, before the round is over. Before and after a slice the clocks of the ranks are compared,
// and the disturbance of the cores is measured.
#pragma once

#include <atomic>
#include <optional>
#include <vector>

#include "base/samples.hpp"
#include "hpcc/effective_bandwidth/sampler.hpp"
#include "hpcc/effective_bandwidth/schedule.hpp"
#include "hpcc/effective_bandwidth/verdict.hpp"
#include "mpi/clock_sync.hpp"

namespace groma::hpcc {

/// What one sampled rank measured. Times as in the slice, NaN where it took no part.
struct RankView {
  int rank;
  std::vector<double> times;
  mpi::ClockModel clock;
  Disturbance disturbance;
};

/// Part of a round. The samples in their order, of which only the root has the times.
struct Slice {
  std::vector<SampleSlot> samples;
  std::vector<double> times;  ///< the client's of a ping-pong, or the largest over the ranks of a ring
  std::vector<double> warm_ups;
  std::vector<double> skews;    ///< from the first to the last rank that starts, on one time scale
  std::vector<RankView> views;  ///< of the sampled ranks
  Seconds clock_uncertainty;    ///< the largest
  Disturbance disturbance;      ///< the worst of each over all ranks
  RoundReport report;           ///< of the root
  std::uint64_t wrong = 0;      ///< messages or bytes, all ranks
};

/// A round, on the root. Times by slot, NaN of samples that were left out.
struct RoundResult {
  std::vector<double> times;
  /// The same where each rank of a ring takes its faster way to exchange; see headlines_of.
  std::vector<double> decisive;
  std::vector<double> skews;
  Seconds clock_uncertainty;  ///< the largest of its slices
};

/// Ranks whose own times are kept: all of few, else `most` spread evenly with the first and the last.
std::vector<int> sampled_ranks(int ranks, int most);

/// Where and what a round measures; outlives it.
struct Measured {
  const mpi::Communicator& all;
  const Clock& clock;
  const std::atomic<bool>& cancelled;
  const std::vector<Pattern>& patterns;
  const Routes& routes;
};

class Rounds {
 public:
  /// Collective.
  Rounds(const Measured& what, Sampler& sampler);

  /// Collective. Begins round number `round`. Samples of all rounds are numbered through.
  void begin(std::uint32_t round, Schedule schedule);
  /// Collective. The next slice; nothing once the round is over: whole, out of time, or cancelled on any
  /// rank.
  std::optional<Slice> next();
  /// Collective. What the round gave, to the root.
  RoundResult finish();

  /// The round came to its end. The same on every rank.
  [[nodiscard]] bool is_whole() const { return schedule_ && schedule_->is_whole(); }
  /// A rank got the signal to stop. The same on every rank.
  [[nodiscard]] bool is_cancelled() const { return cancelled_; }
  [[nodiscard]] const std::vector<int>& sampled() const { return sampled_; }

 private:
  Seconds agreed_time();
  std::vector<RankSample> measure(std::vector<SampleSlot>& slots);
  void keep(const std::vector<RankSample>& samples, const Slice& slice);
  void reduce_times(const std::vector<RankSample>& samples, Slice& slice) const;
  void reduce_skews(const std::vector<RankSample>& samples, const mpi::ClockModel& model, Slice& slice) const;
  void reduce_disturbance(const Disturbance& own, Slice& slice) const;
  void gather_views(const std::vector<RankSample>& samples, const mpi::ClockModel& model,
                    const Disturbance& own, Slice& slice) const;
  [[nodiscard]] double own_time(const Pattern& pattern, const RankSample& sample) const;
  [[nodiscard]] std::vector<double> decisive() const;

  Measured what_;
  Sampler& sampler_;
  mpi::ClockSync sync_;
  std::vector<int> sampled_;
  std::optional<mpi::Communicator> sampled_ranks_;  ///< this rank is among them
  std::uint32_t round_ = 0;
  std::optional<Schedule> schedule_;
  Seconds began_;
  bool over_ = true;
  bool cancelled_ = false;
  std::vector<double> own_;  ///< of this rank by slot, NaN where no rank measured
  RoundResult result_;
};

}  // namespace groma::hpcc
