#include "hpcc/sizing.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "hpcc/estimate.hpp"

namespace groma::hpcc {
namespace {

constexpr Machine kMachine = {
    .ranks = 4, .memory = Bytes(std::uint64_t{16} << 30U), .last_level_cache = 32_MiB};

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

/// The figures of a run of HPCC 1.5.0 with N=6000 on 1 x 2 ranks.
TEST(PlanFor, DerivesTheSizesThatTheSuiteDerives) {
  Options options;
  options.n = {6000};
  const Machine two = {.ranks = 2, .memory = kMachine.memory};
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
  const Machine two = {.ranks = 2, .memory = kMachine.memory};
  const Result<Plan> plan = plan_for({}, kInput, two);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, "usage");
  EXPECT_EQ(plan.error().what,
            "hpccinf.txt, lines 11 and 12: a grid of 2 x 2 needs 4 ranks, but there are 2");
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

TEST(PlanFor, FillsTheMemoryThatIsAskedFor) {
  Options options;
  options.memory_share = 0.5;
  const Plan plan = planned(options);
  const double filled = 8.0 * static_cast<double>(plan.hpl[0].n * plan.hpl[0].n);
  const double asked = 0.5 * static_cast<double>(kMachine.memory.value());
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
  EXPECT_LE(8 * larger.hpl[0].n * larger.hpl[0].n, kMachine.memory.value() / 4);
}

TEST(PlanFor, FitsAnyNumberOfRanks) {
  for (int ranks = 1; ranks <= 64; ++ranks) {
    const Machine machine = {.ranks = ranks, .memory = Bytes(std::uint64_t{1} << 30U)};
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

TEST(PlanFor, KnowsTheNamesOfTests) {
  Options options;
  options.only = {"dgemm", "linpakc"};
  const Result<Plan> plan = plan_for(options, {}, kMachine);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().what, "no test is called 'linpakc'");
}

TEST(Estimate, KnowsEveryTestThatItsPlanRuns) {
  Options options;
  options.n = {2000};
  const Plan plan = planned(options);
  for (const std::string& test : plan.tests) {
    EXPECT_GT(memory_of(test, plan).value(), 0U) << test;
    EXPECT_GT(time_of(test, plan).value(), 0.0) << test;
  }
}

TEST(MostLocal, IsTheShareOfTheFirstRank) {
  EXPECT_EQ(most_local(10, 2, 2), 6U);
  EXPECT_EQ(most_local(8, 2, 2), 4U);
  EXPECT_EQ(most_local(9, 2, 2), 5U);
  EXPECT_EQ(most_local(1, 64, 3), 1U);
}

}  // namespace
}  // namespace groma::hpcc
