#include "hpcc/sizing.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "hpcc/estimate.hpp"
#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::hpcc {
namespace {

Machine one_node(int ranks, Bytes free) {
  return {.ranks = ranks, .fullest = {.ranks = ranks, .free = free}};
}

constexpr Bytes kFree(std::uint64_t{16} << 30U);
const Machine kMachine = {.ranks = 4, .fullest = {.ranks = 4, .free = kFree}, .last_level_cache = 32_MiB};

const InputText kInput = {
    "hpccinf.txt",
    "1\n2\n3\n4\n1\n1000\n1\n80\n0\n1\n2\n2\n16.0\n1\n2\n1\n4\n1\n2\n1\n1\n1\n1\n1\n1\n2\n64\n0\n0\n1\n"
    "8\n\n3\n470 480 2000\n1\n40\n"};

Plan planned(const Options& options, const std::optional<InputText>& input = {},
             const Machine& machine = kMachine) {
  const Result<Plan> plan = plan_for(options, input, machine);
  EXPECT_TRUE(plan) << plan.error().what;
  return plan ? plan.value() : Plan{};
}

std::string reason(const Plan& plan, std::string_view what) {
  const auto found = std::ranges::find(plan.choices, what, &Choice::what);
  return found == plan.choices.end() ? "none" : found->why;
}

TEST(PlanFor, RefusesAnUnknownAlgorithmWhateverTestsAreToRun) {
  for (const auto& only : {std::vector<std::string>{}, std::vector<std::string>{"stream"}}) {
    Options options;
    options.n = {600};
    options.only = only;
    options.random_access = "foo";
    const Result<Plan> plan = plan_for(options, {}, kMachine);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().code, "usage");
    EXPECT_EQ(plan.error().what, "no algorithm of RandomAccess is called 'foo'");
  }
}

TEST(PlanFor, RefusesAMatrixThatLeavesATestNothing) {
  Options options;
  options.n = {1};
  const Result<Plan> refused = plan_for(options, {}, kMachine);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "usage");
  EXPECT_NE(refused.error().what.find("order 1 is too small for dgemm"), std::string::npos);
  EXPECT_EQ(refused.error().next.find("choose a larger N"), 0U);
  options.only = {"hpl", "ptrans"};
  EXPECT_TRUE(plan_for(options, {}, kMachine));
  options.only.clear();
  options.n = {100};
  EXPECT_TRUE(plan_for(options, {}, kMachine));
}

/// It has no operations, and so no rate.
TEST(PlanFor, RefusesATransformOfOnePoint) {
  Options options;
  options.only = {"fft"};
  options.n = {3};
  const Result<Plan> refused = plan_for(options, {}, one_node(1, kFree));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "a matrix of order 3 is too small for fft");
  options.n = {4};
  const Result<Plan> smallest = plan_for(options, {}, one_node(1, kFree));
  ASSERT_TRUE(smallest);
  EXPECT_EQ(smallest.value().sizes.mpi_fft, 2U);
}

/// The figures of a run of HPCC 1.5.0 with N=6000 on 1 x 2 ranks.
TEST(PlanFor, DerivesTheSizesThatTheSuiteDerives) {
  Options options;
  options.n = {6000};
  const Machine two = one_node(2, kFree);
  const LocalSizes sizes = planned(options, {}, two).sizes;
  EXPECT_EQ(sizes.dgemm, 2448U);
  EXPECT_EQ(sizes.stream, 6'000'000U);
  EXPECT_EQ(sizes.random_access, std::uint64_t{1} << 24U);
  EXPECT_EQ(sizes.mpi_random_access, std::uint64_t{1} << 25U);
  EXPECT_EQ(sizes.fft, std::uint64_t{1} << 22U);
  EXPECT_EQ(sizes.mpi_fft, std::uint64_t{1} << 22U);
}

TEST(PlanFor, TakesFromAFileWhatNoOptionSays) {
  Options options;
  options.nb = {96};
  const Plan plan = planned(options, kInput);
  ASSERT_EQ(plan.hpl.size(), 1U);
  EXPECT_EQ(plan.hpl[0].n, 1000U);
  EXPECT_EQ(plan.hpl[0].nb, 96U);
  EXPECT_EQ(reason(plan, "N"), "from hpccinf.txt");
  EXPECT_EQ(reason(plan, "NB"), "as --nb asks");
  EXPECT_FALSE(plan.sized_by);
}

/// Smaller ones than 0.9486 N/2 are dropped; what is added comes first (HPCC 1.5.0).
TEST(PlanFor, AddsPtransSizesThatUseAsMuchMemoryAsHpl) {
  std::vector<std::uint64_t> orders;
  std::vector<std::uint64_t> blocks;
  for (const PtransCase& one : planned({}, kInput).ptrans) {
    orders.push_back(one.n);
    blocks.push_back(one.nb);
  }
  EXPECT_EQ(orders, (std::vector<std::uint64_t>{480, 480, 2000, 2000, 500, 500}));
  EXPECT_EQ(blocks, (std::vector<std::uint64_t>{40, 80, 40, 80, 40, 80}));
}

TEST(PlanFor, NamesTheLinesOfAGridWithTooManyRanks) {
  const Machine two = one_node(2, kFree);
  const Result<Plan> plan = plan_for({}, kInput, two);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, "usage");
  EXPECT_EQ(plan.error().what,
            "hpccinf.txt, lines 11 and 12: a grid of 2 x 2 needs 4 ranks, but there are 2");
}

TEST(PlanFor, NamesTheListsThatMultiplyToTooManyRuns) {
  std::string text = kInput.text;
  std::string eights;
  for (int i = 0; i < 64; ++i) eights += "8 ";
  const auto replace = [&text](const std::string& lines, const std::string& by) {
    const std::size_t at = text.find(lines);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, lines.size(), by);
  };
  replace("\n1\n1000\n1\n80\n", "\n64\n" + eights + "\n64\n" + eights + "\n");
  replace("\n16.0\n1\n2\n", "\n16.0\n3\n0 1 2\n");
  const InputText many{"many.txt", text};
  const Result<Plan> plan = plan_for({}, many, kMachine);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, "usage");
  EXPECT_EQ(plan.error().what, "many.txt: 64 N x 64 NB x 3 methods of lines 14 to 25 are 12288 runs of HPL");
  EXPECT_EQ(plan.error().next, "shorten the lists to 10000 runs at most");

  Options options;
  options.nb.assign(2, 8);
  options.grids.assign(64, Grid{1, 1});
  EXPECT_EQ(plan_for(options, many, kMachine).error().what,
            "many.txt: 64 N x 2 NB x 64 grids x 3 methods of lines 14 to 25 are 24576 runs of HPL");
}

TEST(PlanFor, NamesTheFileWithABrokenLine) {
  const Result<Plan> plan = plan_for({}, InputText{"mine.txt", "x\n"}, kMachine);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().what.rfind("mine.txt: ", 0), 0U);
}

TEST(PlanFor, RefusesMoreMemoryThanThereIsWithBothNumbers) {
  Options options;
  options.n = {100'000};
  const Result<Plan> plan = plan_for(options, {}, kMachine);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, "memory");
  EXPECT_NE(plan.error().what.find("on each of 4 ranks"), std::string::npos);
  EXPECT_NE(plan.error().what.find("16384 MiB are free"), std::string::npos);
}

/// On a grid of one rank, all ranks together would have 2^64 words of other tests, of 2^55 bytes each.
TEST(PlanFor, RefusesForMemoryWhatIsTooLargeToCount) {
  Options options;
  options.n = {std::uint64_t{1} << 26U};
  options.grids = {{1, 1}};
  const Result<Plan> plan = plan_for(options, {}, one_node(1 << 12, kFree));
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, "memory") << plan.error().what;
  EXPECT_EQ(plan.error().what.find("the run needs 1"), 0U) << plan.error().what;
}

TEST(PlanFor, RefusesLessMemoryThanOneBlockTakes) {
  Options options;
  options.memory = Bytes(192 * 192 * 8 - 1);
  const Result<Plan> refused = plan_for(options, {}, kMachine);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "usage");
  EXPECT_EQ(refused.error().what, "--memory has no room for one block: N=192 takes 288 KiB");
  options.memory = Bytes(192 * 192 * 8);
  EXPECT_EQ(planned(options).hpl[0].n, 192U);
  options.memory.reset();
  options.memory_share = 1e-9;
  EXPECT_FALSE(plan_for(options, {}, kMachine));
}

TEST(PlanFor, FillsMemoryWithWholeBlocksOfTheFile) {
  Options options;
  options.memory = 64_MiB;
  EXPECT_EQ(planned(options, kInput).hpl[0].n % 80, 0U);
  options.memory = Bytes(80 * 80 * 8);
  options.only = {"hpl"};
  EXPECT_EQ(planned(options, kInput).hpl[0].n, 80U) << "less than a block of those groma would take";
}

TEST(PlanFor, FillsTheMemoryThatIsAskedFor) {
  Options options;
  options.memory_share = 0.5;
  const Plan plan = planned(options);
  const double filled = 8.0 * static_cast<double>(plan.hpl[0].n * plan.hpl[0].n);
  const double asked = 0.5 * static_cast<double>(kFree.value());
  EXPECT_LE(filled, asked);
  EXPECT_GT(filled, 0.95 * asked);
  EXPECT_TRUE(plan.sized_by);
}

TEST(PlanFor, SizesItselfToTimeMemoryAndCaches) {
  const Plan plan = planned({});
  EXPECT_EQ(plan.hpl[0].grid, (Grid{2, 2}));
  EXPECT_EQ(plan.hpl[0].n % plan.hpl[0].nb, 0U);
  EXPECT_GE(plan.sizes.stream * sizeof(double) * 4, 4 * kMachine.last_level_cache.value());
  EXPECT_NE(reason(plan, "N"), "none");
  Options patient;
  patient.effort.budget = Seconds(1e9);
  const Plan larger = planned(patient);
  EXPECT_GT(larger.hpl[0].n, plan.hpl[0].n);
  EXPECT_LE(8 * larger.hpl[0].n * larger.hpl[0].n, kFree.value() / 4);
}

/// Vectors beyond the caches are worth half as much time again, not any time.
TEST(PlanFor, KeepsAboutToTheBudgetWhereRanksAreSlow) {
  Options options;
  for (const double budget : {5.0, 20.0, 60.0, 300.0}) {
    options.effort.budget = Seconds(budget);
    const Plan plan = planned(options);
    EXPECT_LE(full_time_of(plan).value(), 1.5 * budget);
    EXPECT_GT(plan.hpl[0].n, 192U);
  }
}

TEST(PlanFor, SizesItselfForTheGridsAndBlocksThatAreAskedFor) {
  const Machine crowded = one_node(4, kFree);
  Options asked;
  asked.grids = {{1, 1}};
  EXPECT_LE(full_time_of(planned(asked, {}, crowded)).value(), 60.0);
  asked.effort.budget = Seconds(1e9);
  EXPECT_LE(memory_per_rank(planned(asked, {}, crowded)), crowded.fullest.for_each()) << "not refused";
  Options many;
  many.nb = {64, 96, 128, 192};
  many.grids = {{1, 4}, {2, 2}};
  EXPECT_LE(full_time_of(planned(many, {}, crowded)).value(), 60.0);
}

TEST(PlanFor, FitsAnyNumberOfRanks) {
  for (const int ranks : {1, 2, 3, 5, 6, 7, 12, 17, 36, 61, 64}) {
    const Machine machine = one_node(ranks, Bytes(std::uint64_t{1} << 30U));
    const Plan plan = planned({}, {}, machine);
    ASSERT_FALSE(plan.hpl.empty());
    EXPECT_EQ(plan.hpl[0].grid.ranks(), ranks);
  }
}

TEST(PlanFor, WarnsOfVectorsThatFitIntoCaches) {
  Options options;
  options.n = {500};
  options.only = {"stream"};
  EXPECT_EQ(planned(options).warnings.size(), 1U);
}

TEST(PlanFor, AdvisesFewerRanksWhereItChoseTheMatrix) {
  const Machine crowded = {.ranks = 100'000,
                           .nodes = 1,
                           .fullest = {.ranks = 100'000, .free = 4096_MiB},
                           .last_level_cache = 32_MiB};
  const Result<Plan> refused = plan_for({}, {}, crowded);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().next.find("run fewer ranks"), 0U) << refused.error().next;
}

TEST(PlanFor, KnowsTheNamesOfTests) {
  Options options;
  options.only = {"dgemm", "linpakc"};
  const Result<Plan> plan = plan_for(options, {}, kMachine);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().what, "no test is called 'linpakc'");
  EXPECT_NE(plan.error().next.find("random_access, fft, effective_bandwidth"), std::string::npos)
      << plan.error().next;
}

/// Six ranks need less on two machines of 4 GiB than their sum: the one with four of them is full first.
TEST(PlanFor, LetsTheFullestMachineDecide) {
  Machine uneven = {
      .ranks = 6, .nodes = 2, .fullest = {.ranks = 4, .free = 4096_MiB}, .last_level_cache = 32_MiB};
  Options options;
  options.n = {28'000};  // 6 GiB, 1 GiB in each rank and a little more
  options.only = {"hpl"};
  const Result<Plan> refused = plan_for(options, {}, uneven);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "memory");
  EXPECT_NE(refused.error().what.find("on the fullest of 2 machines"), std::string::npos);
  EXPECT_NE(refused.error().what.find("on each of 4 ranks"), std::string::npos);
  uneven.fullest.ranks = 3;
  EXPECT_TRUE(plan_for(options, {}, uneven));
}

TEST(PlanFor, TakesShareOfMemoryFromWhatEveryRankCanHave) {
  Options options;
  options.memory_share = 0.5;
  const Machine uneven = {.ranks = 6, .nodes = 2, .fullest = {.ranks = 4, .free = 4096_MiB}};
  const Plan plan = planned(options, {}, uneven);
  EXPECT_LE(8 * plan.hpl[0].n * plan.hpl[0].n, (3072_MiB).value());
  EXPECT_GT(8 * plan.hpl[0].n * plan.hpl[0].n, (2800_MiB).value());
}

TEST(PlanFor, SaysWhatItKnowsOfOtherMachines) {
  Options options;
  options.n = {2000};
  const auto reason_on = [&](int nodes, bool is_counted) {
    const Machine machine = {.ranks = 2 * nodes,
                             .nodes = nodes,
                             .fullest = {.ranks = 2, .free = 1024_MiB},
                             .is_counted = is_counted};
    return reason(planned(options, {}, machine), "memory");
  };
  EXPECT_EQ(reason_on(1, true), "free on this machine");
  EXPECT_EQ(reason_on(3, true), "2 ranks on 1024 MiB, the least for each of 3 machines");
  EXPECT_EQ(reason_on(3, false),
            "2 ranks on 1024 MiB, as this machine has; the other 2 are counted as they start");
}

TEST(PlanFor, ChoosesALargerMatrixForFasterRanks) {
  Machine fast = kMachine;
  fast.rates = {.multiply = 300e9,
                .solve = 220e9,
                .bandwidth = 80e9,
                .transpose = 10e9,
                .transform = 20e9,
                .shared_transform = 10e9,
                .updates = 400e6,
                .shared_updates = 200e6};
  fast.rates_from = "a test";
  const Plan plan = planned({}, {}, fast);
  EXPECT_GT(plan.hpl[0].n, planned({}).hpl[0].n);
  EXPECT_EQ(reason(plan, "speed"), "a test");
}

TEST(MostLocal, IsTheShareOfTheFirstRank) {
  EXPECT_EQ(most_local(10, 2, 2), 6U);
  EXPECT_EQ(most_local(8, 2, 2), 4U);
  EXPECT_EQ(most_local(9, 2, 2), 5U);
  EXPECT_EQ(most_local(1, 64, 3), 1U);
}

}  // namespace
}  // namespace groma::hpcc
