#include "randomaccess/study/plan.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "randomaccess/study/command.hpp"
#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::randomaccess {
namespace {

constexpr Bytes kNodeMemory(std::uint64_t{8} << 30U);

Result<StudyPlan> planned(const std::vector<std::string>& arguments, int ranks, int nodes = 1) {
  const auto options = parse_study_options(arguments);
  return study_plan(options.value(), assumed_machine(ranks, nodes, kNodeMemory));
}

std::string refused(const std::vector<std::string>& arguments, int ranks, int nodes = 1) {
  const auto plan = planned(arguments, ranks, nodes);
  return plan ? "accepted" : plan.error().code + ": " + plan.error().what;
}

TEST(StudyPlan, ChoosesWhatWasNotSaidAndTellsWhy) {
  const auto plan = planned({}, 2);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan.value().algorithm->name, "shared");
  EXPECT_EQ(plan.value().words, std::uint64_t{1} << 27U);
  EXPECT_EQ(plan.value().updates, 4 * plan.value().words);
  EXPECT_EQ(plan.value().choices.size(), 2U);
}

TEST(StudyPlan, SaysThatAGridDecidesOnTheAlgorithm) {
  const auto plan = planned({"--grid", "2x1"}, 2);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan.value().algorithm->name, "route");
  EXPECT_EQ(plan.value().choices[1].why, "the best one for this grid");
}

TEST(StudyPlan, RefusesABurdenThatNoExperimentShallFind) {
  EXPECT_NE(refused({"--burden", "update=1s"}, 4).find("usage: --burden has no effect"), std::string::npos);
}

TEST(StudyPlan, SaysWhyNoAlgorithmCanUseWhatWasAskedFor) {
  EXPECT_NE(refused({"--routers", "1"}, 4).find("'specialise' of RandomAccess cannot run here"),
            std::string::npos);
}

TEST(StudyPlan, AdvisesToChangeWhatKeepsEveryAlgorithmFromRunning) {
  for (const std::vector<std::string>& asked :
       {std::vector<std::string>{"--routers", "1"}, {"--routers", "9", "--mapping-mode", "5"}}) {
    const auto plan = planned(asked, 4);
    ASSERT_FALSE(plan);
    EXPECT_NE(plan.error().next.find("--mapping-mode"), std::string::npos) << plan.error().next;
    EXPECT_EQ(plan.error().next.find("look-ahead"), std::string::npos) << plan.error().next;
  }
}

TEST(StudyPlan, AdvisesOnlyWhatCanRun) {
  const auto plan = planned({"--algorithm", "shared"}, 4, 2);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().next.find("shared"), std::string::npos) << plan.error().next;
  EXPECT_NE(plan.error().next.find("direct"), std::string::npos) << plan.error().next;
}

TEST(StudyPlan, CutsTheRunIntoPartsThatAllHaveUpdates) {
  const auto repetitions = [](const std::vector<std::string>& arguments) {
    return planned(arguments, 2).value().effort.repetitions;
  };
  EXPECT_EQ(repetitions({"--table", "1"}), 2U);  // of 4 updates
  EXPECT_EQ(repetitions({"--table", "1024", "--updates", "1000", "--repeat", "600"}), 500U);
  EXPECT_EQ(repetitions({"--table", "1024", "--updates", "1"}), 1U);
  EXPECT_EQ(repetitions({"--table", "1024", "--repeat", "7"}), 7U);
}

TEST(StudyPlan, RoutesWithinNodesFirst) {
  const auto plan = planned({"--algorithm", "route"}, 32, 8);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan.value().grid, (std::vector<int>{4, 8}));
}

TEST(StudyPlan, RefusesATableThatDoesNotFitBeforeTakingMemory) {
  const std::string message = refused({"--table", "16GiB"}, 2);
  EXPECT_EQ(message.find("memory: a table of 16384 MiB takes 8208 MiB of each of 2 ranks, and 4096 MiB"), 0U)
      << message;
  EXPECT_EQ(refused({"--table", "16GiB"}, 2, 2).find("memory:"), 0U);
  EXPECT_EQ(refused({"--table", "4GiB"}, 2), "accepted");
}

TEST(StudyPlan, RefusesATableThatIsNoPowerOfTwo) {
  EXPECT_EQ(refused({"--table", "1000"}, 2), "usage: a table of 1000 words is not a power of two");
}

TEST(StudyPlan, RefusesMoreUpdatesThanThereMayBe) {
  const int nodes = 1 << 20;
  EXPECT_EQ(refused({"--table", "2^45", "--updates", "1000000x"}, nodes, nodes),
            "usage: so many updates of each of 35184372088832 words are more than 2^60");
}

TEST(StudyPlan, RefusesGridsAndModesThatCannotBe) {
  EXPECT_NE(refused({"--algorithm", "route", "--grid", "3x3"}, 8).find("9 places for 8 ranks"),
            std::string::npos);
  EXPECT_NE(refused({"--mapping-mode", "3"}, 8).find("mapping mode 3"), std::string::npos);
  EXPECT_NE(refused({"--algorithm", "shared"}, 8, 2).find("several nodes"), std::string::npos);
}

TEST(StudyPlan, DividesTheLimitOfANodeAmongItsRanks) {
  EXPECT_EQ(refused({"--mapping-mode", "8", "--algorithm", "direct"}, 8), "accepted");
  EXPECT_EQ(refused({"--mapping-mode", "8", "--algorithm", "direct"}, 64), "accepted");
  EXPECT_NE(
      refused({"--mapping-mode", "6", "--algorithm", "direct"}, 64).find("look-ahead of 1024 of a node"),
      std::string::npos);
}

TEST(StudyPlan, RunsAlgorithmsOfMessagesOnNodesOfManyCoresWhereOneRankGenerates) {
  for (const std::string algorithm : {"direct", "hypercube", "route"}) {
    for (const int nodes : {1, 2}) {
      EXPECT_EQ(refused({"--mapping-mode", "8", "--algorithm", algorithm}, 64 * nodes, nodes), "accepted")
          << algorithm << ", " << nodes << " nodes";
    }
  }
}

TEST(StudyPlan, RunsEveryMappingModeOnNodesOfManyCores) {
  for (const int cores : {64, 128, 256}) {
    for (const std::string mode : {"5", "6", "7", "8"}) {
      EXPECT_EQ(refused({"--mapping-mode", mode}, cores), "accepted") << cores << " cores, mode " << mode;
      EXPECT_EQ(refused({"--mapping-mode", mode, "--algorithm", "specialise"}, cores), "accepted") << cores;
      EXPECT_EQ(refused({"--mapping-mode", mode, "--algorithm", "specialise"}, 8 * cores, 8), "accepted")
          << cores << " cores of 8 nodes, mode " << mode;
    }
  }
}

TEST(StudyPlan, RunsOnOneRank) {
  for (const std::string name : {"shared", "direct", "hypercube", "route"}) {
    EXPECT_EQ(refused({"--algorithm", name, "--look-ahead", "4"}, 1), "accepted") << name;
  }
}

TEST(AssumedMachine, HasAsManyNodesAsAskedFor) {
  const auto nodes = [](int ranks, int of_nodes) {
    return assumed_machine(ranks, of_nodes, kNodeMemory).site.placement.nodes;
  };
  EXPECT_EQ(nodes(4, 3), (std::vector<int>{0, 0, 2, 3}));
  EXPECT_EQ(nodes(4, 2), (std::vector<int>{0, 0, 2, 2}));
  EXPECT_EQ(nodes(7, 4), (std::vector<int>{0, 0, 2, 2, 4, 4, 6}));
}

TEST(AssumedMachine, TellsOnlyOfEvenNodesHowManyRanksEachHas) {
  const auto per_node = [](int ranks, int nodes) {
    return assumed_machine(ranks, nodes, kNodeMemory).site.per_node;
  };
  EXPECT_EQ(per_node(4, 3), 0);
  EXPECT_EQ(per_node(9, 4), 0);
  EXPECT_EQ(per_node(6, 3), 2);
}

TEST(StudyPlan, IsRefusedForMoreNodesThanRanks) {
  std::ostringstream out;
  std::ostringstream errors;
  const auto options = parse_study_options({"plan", "--ranks", "1", "--nodes", "3"});
  EXPECT_EQ(plan_study_command(options.value(), out, errors), kUsage);
  EXPECT_EQ(errors.str().substr(0, errors.str().find('\n')),
            "groma-randomaccess: 1 rank cannot be on 3 nodes");
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace groma::randomaccess
