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

class Eviction : public ::testing::TestWithParam<Evicted> {
 protected:
  Topology topology = allowed_machine();
  std::map<LogicalCore, Bytes> largest_sets() const {
    std::map<LogicalCore, Bytes> sets;
    for (const LogicalCore core : topology.allowed) sets.emplace(core, 64_KiB);
    return sets;
  }
};

TEST_P(Eviction, EveryVictimLooksAsOftenAsAsked) {
  auto bench = EvictionBench::prepare(topology, largest_sets(), RandomStream(1));
  ASSERT_TRUE(bench);
  const SharingTest test{{topology.allowed.front()}, {topology.allowed.begin() + 1, topology.allowed.end()}};
  for (const bool in_turn : {true, false}) {
    const auto times = bench.value().run(test, 24_KiB, GetParam(), in_turn, 3);
    ASSERT_TRUE(times);
    ASSERT_EQ(times.value().size(), 1U);
    EXPECT_EQ(times.value().front().size(), 3U);
    for (const Seconds time : times.value().front()) EXPECT_GT(time.value(), 0.0);
  }
}

INSTANTIATE_TEST_SUITE_P(AllKinds, Eviction,
                         ::testing::Values(Evicted::kNothing, Evicted::kByOthers, Evicted::kByItself));

TEST_F(Eviction, VictimsInTurnLookAsOftenAsAtOnce) {
  auto bench = EvictionBench::prepare(topology, largest_sets(), RandomStream(1));
  ASSERT_TRUE(bench);
  const auto times = bench.value().run({topology.allowed, {}}, 64_KiB, Evicted::kByItself, true, 2);
  ASSERT_TRUE(times);
  for (const auto& victim : times.value()) EXPECT_EQ(victim.size(), 2U);
}

TEST(EvictionRoom, HoldsAWindowOfAllSets) {
  EXPECT_GE(EvictionBench::room_for(24_KiB), 4_MiB);
  EXPECT_GE(EvictionBench::room_for(20_MiB), 60_MiB);
}

}  // namespace
}  // namespace groma::survey
