#include "hpcc/machine.hpp"

#include <gtest/gtest.h>

#include "hpcc/calibration.hpp"

namespace groma::hpcc {
namespace {

RankMemory rank_on(const std::string& machine, Bytes free, Bytes cache = 32_MiB) {
  return {machine, free, cache};
}

TEST(MachineOf, CountsRanksThatShareTheMemoryOfAMachine) {
  const Machine machine = machine_of({rank_on("a", 4096_MiB), rank_on("a", 4096_MiB)});
  EXPECT_EQ(machine.ranks, 2);
  EXPECT_EQ(machine.nodes, 1);
  EXPECT_EQ(machine.fullest.ranks, 2);
  EXPECT_EQ(machine.room(), 4096_MiB);
}

TEST(MachineOf, TakesTheMachineWithMostRanksWhereMemoryIsEqual) {
  const Machine machine = machine_of({rank_on("a", 6000_MiB), rank_on("b", 6000_MiB), rank_on("a", 6000_MiB),
                                      rank_on("a", 6000_MiB), rank_on("b", 6000_MiB)});
  EXPECT_EQ(machine.nodes, 2);
  EXPECT_EQ(machine.fullest.ranks, 3);
  EXPECT_EQ(machine.room(), Bytes(5 * (2000_MiB).value()));
}

TEST(MachineOf, TakesTheMachineWithTheLeastMemoryWhereRanksAreEven) {
  const Machine machine =
      machine_of({rank_on("a", 8000_MiB), rank_on("a", 8000_MiB), rank_on("b", 1000_MiB),
                  rank_on("b", 1000_MiB), rank_on("c", 9000_MiB), rank_on("c", 9000_MiB)});
  EXPECT_EQ(machine.nodes, 3);
  EXPECT_EQ(machine.fullest.free, 1000_MiB);
  EXPECT_EQ(machine.room(), 3000_MiB);
}

/// Six ranks on much memory have less each than one on little.
TEST(MachineOf, WeighsRanksAgainstMemory) {
  std::vector<RankMemory> ranks(6, rank_on("large", 3000_MiB));
  ranks.push_back(rank_on("small", 1000_MiB));
  EXPECT_EQ(machine_of(ranks).fullest.for_each(), 500_MiB);
}

/// Two containers on one kernel: the memory of the tighter one is all that both are known to have.
TEST(MachineOf, TakesTheLeastThatRanksOfAMachineSee) {
  const Machine machine = machine_of({rank_on("a", 8000_MiB), rank_on("a", 500_MiB)});
  EXPECT_EQ(machine.nodes, 1);
  EXPECT_EQ(machine.fullest.free, 500_MiB);
}

TEST(MachineOf, TakesTheLargestCaches) {
  EXPECT_EQ(machine_of({rank_on("a", 1_MiB, 8_MiB), rank_on("b", 1_MiB, 64_MiB)}).last_level_cache, 64_MiB);
}

TEST(MachineLikeThis, SpreadsRanksAsTheyAreAskedFor) {
  const Machine several = machine_like_this(5, 2);
  EXPECT_EQ(several.nodes, 3);
  EXPECT_EQ(several.fullest.ranks, 2);
  EXPECT_FALSE(several.is_counted);
  const Machine one = machine_like_this(3, 8);
  EXPECT_EQ(one.nodes, 1);
  EXPECT_EQ(one.fullest.ranks, 3);
  EXPECT_TRUE(one.is_counted);
  EXPECT_GT(one.fullest.free, Bytes(0));
}

TEST(SetRates, MeasuresNothingWhereAllAreGiven) {
  std::vector<GivenRate> given;
  for (const RateName& one : rate_names()) given.push_back({one.value, 7.0});
  Machine machine;
  set_rates(machine, given, 1, []() -> Result<BaseRates> {
    ADD_FAILURE() << "measured in vain";
    return BaseRates{};
  });
  for (const RateName& one : rate_names()) EXPECT_EQ(machine.rates.*one.value, 7.0) << one.name;
  EXPECT_EQ(machine.rates_from, "given by --rates");
}

TEST(SetRates, MeasuresWhatIsNotGivenForAllThreadsOfARank) {
  Machine machine;
  set_rates(machine, {{&Rates::updates, 5e6}}, 4,
            [] { return Result<BaseRates>(BaseRates{.multiply = 10e9, .bandwidth = 3e9, .updates = 1e6}); });
  EXPECT_EQ(machine.rates.multiply, 40e9);
  EXPECT_EQ(machine.rates.bandwidth, 12e9);
  EXPECT_EQ(machine.rates.updates, 5e6);
  EXPECT_LT(machine.rates.transform, machine.rates.multiply);
  EXPECT_EQ(machine.rates_from, "some given by --rates, the others measured");
}

TEST(SetRates, AssumesWhereNothingCanBeMeasuredAndSaysWhy) {
  Machine machine;
  set_rates(machine, {}, 1, []() -> Result<BaseRates> { return Error{"memory", "no room", ""}; });
  EXPECT_EQ(machine.rates.multiply, Rates{}.multiply);
  EXPECT_EQ(machine.rates_from, "assumed: no room");
}

TEST(MeasureBasics, FindsRatesOfEveryThreadWhileAllWork) {
  for (const std::uint32_t threads : {1U, 3U}) {
    const auto basics = measure_basics(threads, 1_MiB);
    ASSERT_TRUE(basics);
    for (const double rate : {basics.value().multiply, basics.value().bandwidth, basics.value().updates}) {
      EXPECT_GT(rate, 1e3);
      EXPECT_LT(rate, 1e14);
    }
  }
}

TEST(BasicsOfNode, SharesTheCpusAmongMoreThreadsThan32BitsCount) {
  constexpr int kRanks = 1 << 20;
  constexpr std::uint32_t kThreads = 4096;
  const Machine crowded{.ranks = kRanks, .fullest = {.ranks = kRanks}};
  const auto share = basics_of_node(crowded, kThreads);
  ASSERT_TRUE(share);
  EXPECT_GT(share.value().multiply, 0.0);
  EXPECT_LT(share.value().multiply, 1e9) << "of a CPU, thousands of threads";
}

}  // namespace
}  // namespace groma::hpcc
