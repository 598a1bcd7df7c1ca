#include "survey/eviction.hpp"

#include <gtest/gtest.h>

#include "base/affinity.hpp"

namespace groma::survey {
namespace {

/// The first one or two CPUs that this process may use.
Topology allowed_machine() {
  Topology topology;
  for (const PhysicalCore cpu : allowed_cpus()) {
    if (topology.cores.size() == 2) break;
    const LogicalCore core(static_cast<std::uint32_t>(topology.cores.size()));
    topology.cores.push_back({core, cpu, core.number(), 0, NumaNode(0)});
    topology.allowed.push_back(core);
  }
  return topology;
}

class Eviction : public ::testing::TestWithParam<EvictionSource> {
 protected:
  Topology topology = allowed_machine();
  std::map<LogicalCore, std::vector<Bytes>> sets() const {
    std::map<LogicalCore, std::vector<Bytes>> all;
    for (const LogicalCore core : topology.allowed) all.emplace(core, std::vector{24_KiB, 64_KiB, 3_MiB});
    return all;
  }
};

TEST_P(Eviction, EveryVictimLooksAtLeastAsOftenAsAsked) {
  auto bench = EvictionBench::prepare(topology, sets(), RandomStream(1));
  ASSERT_TRUE(bench);
  const SharingTest test{{topology.allowed.front()}, {topology.allowed.begin() + 1, topology.allowed.end()}};
  for (const bool in_turn : {true, false}) {
    const auto samples = bench.value().run(test, 24_KiB, GetParam(), in_turn, 3);
    ASSERT_TRUE(samples);
    ASSERT_EQ(samples.value().size(), 1U);
    EXPECT_GE(samples.value().front().size(), 3U);
    for (const VictimSample& sample : samples.value().front()) EXPECT_GT(sample.per_load.value(), 0.0);
  }
}

INSTANTIATE_TEST_SUITE_P(AllKinds, Eviction,
                         ::testing::Values(EvictionSource::kNone, EvictionSource::kOthers,
                                           EvictionSource::kSelf));

TEST_F(Eviction, VictimsInTurnLookAsOftenAsAtOnce) {
  auto bench = EvictionBench::prepare(topology, sets(), RandomStream(1));
  ASSERT_TRUE(bench);
  const auto samples = bench.value().run({topology.allowed, {}}, 64_KiB, EvictionSource::kSelf, true, 2);
  ASSERT_TRUE(samples);
  for (const auto& victim : samples.value()) EXPECT_GE(victim.size(), 2U);
}

TEST_F(Eviction, LargeSetsCanBeLookedAtAgain) {
  auto bench = EvictionBench::prepare(topology, sets(), RandomStream(1));
  ASSERT_TRUE(bench);
  for (int i = 0; i < 2; ++i) {
    const auto samples =
        bench.value().run({{topology.allowed.front()}, {}}, 3_MiB, EvictionSource::kSelf, true, 2);
    ASSERT_TRUE(samples);
    EXPECT_GE(samples.value().front().size(), 2U);
  }
}

TEST(VictimSamples, OfAVisitAreWorthTheLeastUndisturbedOne) {
  const std::vector<VictimSample> samples = {
      {Seconds(4e-9), false}, {Seconds(1e-9), true}, {Seconds(3e-9), false}};
  EXPECT_EQ(quietest(samples), Seconds(3e-9));
}

TEST(VictimSamples, OfAVisitAreWorthNothingWhereAThreadLostItsCoreInEach) {
  const std::vector<VictimSample> samples = {{Seconds(4e-9), true}, {Seconds(1e-9), true}};
  EXPECT_EQ(quietest(samples), std::nullopt);
  EXPECT_EQ(quietest({}), std::nullopt);
}

/// The victim waits for an evictor that cannot run beside it.
TEST_F(Eviction, LooksOfAVictimThatGivesUpItsCoreAreDisturbed) {
  if (topology.allowed.size() < 2) GTEST_SKIP() << "needs two logical cores";
  topology.cores[1].physical = topology.cores[0].physical;
  auto bench = EvictionBench::prepare(topology, sets(), RandomStream(1));
  ASSERT_TRUE(bench);
  const SharingTest test{{topology.allowed[0]}, {topology.allowed[1]}};
  const auto samples = bench.value().run(test, 64_KiB, EvictionSource::kOthers, true, 3);
  ASSERT_TRUE(samples);
  EXPECT_EQ(samples.value().front().size(), 12U);
  EXPECT_EQ(quietest(samples.value().front()), std::nullopt);
}

TEST(CoreSets, KeepAllSetsApart) {
  const std::vector<Bytes> sets = {24_KiB, 3_MiB, 5_MiB};
  const Bytes room = CoreSets::room_for(sets);
  Result<Block> block = Block::map(room, PageMode::kSmall);
  ASSERT_TRUE(block);
  std::byte* const start = block.value().data();
  CoreSets core(std::move(block).value(), sets, RandomStream(1));
  const CoreSets::View middle = core.view(3_MiB);
  const CoreSets::View large = core.view(5_MiB);
  EXPECT_EQ(middle.own + (3_MiB).value(), large.own);
  EXPECT_EQ(large.own + (5_MiB).value(), start + room.value());
  EXPECT_LE(large.evicting + 2 * (5_MiB).value(), middle.own);
  for (int i = 0; i < 100; ++i) {
    const CoreSets::View small = core.view(24_KiB);
    EXPECT_EQ(small.linked, nullptr);
    EXPECT_LE(small.evicting + 2 * (24_KiB).value(), middle.own);
  }
}

}  // namespace
}  // namespace groma::survey
