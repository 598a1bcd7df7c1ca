// The sampling loop of network probes: all ranks go through the same rounds together; the root keeps the
// samples and decides when to stop (docs/measuring.md).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/random.hpp"
#include "base/samples.hpp"
#include "survey/network/probe.hpp"

namespace groma::survey::network {

/// One sample of a case, from the rank that took it.
struct RankSample {
  std::uint64_t which;
  double value;
};

/// The samples and the disturbance that one rank notes in a round.
class RoundNotes {
 public:
  explicit RoundNotes(const Clock& clock) : clock_(clock) {}

  void sample(std::size_t which, double value) { taken_.push_back({which, value}); }

  /// Runs `work`, in which this rank is busy with messages: time in which it did not get its core is
  /// disturbance.
  template <class Work>
  void busy(const Work& work) {
    const Seconds wall = clock_.now();
    const Seconds cpu = clock_.thread_cpu();
    work();
    wall_ = wall_ + (clock_.now() - wall);
    cpu_ = cpu_ + (clock_.thread_cpu() - cpu);
  }

  [[nodiscard]] const std::vector<RankSample>& taken() const { return taken_; }
  /// 1 where it was never busy.
  [[nodiscard]] double wall_over_cpu() const { return cpu_.value() > 0.0 ? wall_ / cpu_ : 1.0; }

 private:
  const Clock& clock_;
  std::vector<RankSample> taken_;
  Seconds wall_{0.0};
  Seconds cpu_{0.0};
};

/// The numbers 0 … count - 1 in random order.
std::vector<std::size_t> shuffled_indices(std::size_t count, RandomStream& random);

/// Collective. Takes each case's sample once, in an order that follows from `random`, which is the same on
/// every rank.
using Round = std::function<void(RandomStream random, RoundNotes& notes)>;

/// The rule of the parameters for patterns in which many ranks send at once, whose noise goes both ways:
/// their median counts, of at least so many rounds.
SamplingRule median_rule(const Context& context, std::uint32_t least_rounds);

/// Rounds that are done however slow they are.
constexpr std::uint32_t kGuaranteedRounds = 3;

/// Whether to go on after `done` rounds, the first one of which took `one`; pure. At least
/// `kGuaranteedRounds`, the rule's fewest as far as half a budget more allows, and on while the budget has
/// room for another.
bool has_time(const SamplingRule& rule, std::uint32_t done, Seconds elapsed, Seconds one);

/// Collective. What is left of the budget since the probe was started, on the root.
Seconds time_left(const Context& context, const SamplingRule& rule);

/// Collective; only the root needs the cases. A first round that only warms up is dropped. Calls begin() and
/// end() of the root's sink.
void sample_rounds(const Context& context, const std::vector<Case>& cases, const SamplingRule& rule,
                   const Round& round);

}  // namespace groma::survey::network
