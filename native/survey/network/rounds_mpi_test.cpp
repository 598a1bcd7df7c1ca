#include <gtest/gtest.h>

#include "survey/network/rounds.hpp"
#include "testing/network_probe_harness.hpp"
#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::survey::network {
namespace {

const ProbeInfo kNone{.name = "test_rounds",
                      .title = "",
                      .measures = "",
                      .method = "",
                      .traffic = "",
                      .reference = "",
                      .order = 4'000'000'000,
                      .parameters = {{"rounds", "5", "5", "5", ""}}};

/// Every rank reports its number and one common random number in each round.
Result<Outcome> run(const Context& context) {
  const auto ranks = static_cast<std::size_t>(context.world.size());
  std::vector<Case> cases(ranks + 1, Case("s"));
  const SamplingRule rule{.budget = Seconds(60.0), .min_rounds = 4, .max_rounds = 4, .seed = 9};
  sample_rounds(context, cases, rule, [&](RandomStream random, RoundNotes& notes) {
    const auto rank = static_cast<std::size_t>(context.world.rank());
    notes.sample(rank, static_cast<double>(rank));
    const auto drawn = static_cast<double>(random.below(1000));
    EXPECT_EQ(drawn, context.world.reduce_to_all(drawn, mpi::Reduction::kMax));
    if (rank + 1 == ranks) notes.sample(ranks, drawn);
  });
  return Outcome{};
}

const Registration kRegistered(kNone, run);

TEST(Rounds, BringTheSamplesOfAllRanksToTheRootWithoutTheWarmUp) {
  const ProbeRun probe = run_probe("test_rounds", {});
  ASSERT_TRUE(probe.outcome);
  EXPECT_EQ(probe.sink.labels.empty(), !mpi::Communicator::world().is_root());
  if (probe.sink.labels.empty()) return;
  for (std::size_t rank = 0; rank + 1 < probe.sink.values.size(); ++rank) {
    EXPECT_EQ(probe.sink.values[rank], std::vector<double>(4, static_cast<double>(rank)));
  }
  EXPECT_EQ(probe.sink.rounds.size(), 4U);
  EXPECT_EQ(probe.sink.ended, EndReason::kRounds);
}

}  // namespace
}  // namespace groma::survey::network
