#include "hpcc/effective_bandwidth/verdict.hpp"

#include <gtest/gtest.h>

namespace groma::hpcc {
namespace {

constexpr Disturbance kQuiet{Seconds(20e-6), 1.001, Seconds(0.0)};

/// Eight rounds, the last `count` of them as `disturbed`.
std::vector<Disturbance> rounds_with(std::size_t count, const Disturbance& disturbed) {
  std::vector<Disturbance> rounds(8, kQuiet);
  std::fill(rounds.end() - static_cast<std::ptrdiff_t>(count), rounds.end(), disturbed);
  return rounds;
}

TEST(Verdict, TrustsQuietRounds) {
  EXPECT_FALSE(verdict_on(rounds_with(0, kQuiet)));
  EXPECT_FALSE(verdict_on({}));
}

TEST(Verdict, ForgivesSingleRounds) {
  EXPECT_FALSE(verdict_on(rounds_with(2, {Seconds(80e-6), 2.0, Seconds(0.1)})));
}

TEST(Verdict, TellsLostCpuSlowCoresAndStealOfManyRounds) {
  EXPECT_TRUE(verdict_on(rounds_with(3, {Seconds(20e-6), 1.5, Seconds(0.0)})));
  EXPECT_TRUE(verdict_on(rounds_with(3, {Seconds(40e-6), 1.0, Seconds(0.0)})));
  EXPECT_TRUE(verdict_on(rounds_with(3, {Seconds(20e-6), 1.0, Seconds(0.01)})));
}

TEST(Verdict, SaysHowManyRoundsAndWhatToDo) {
  const auto verdict = verdict_on(rounds_with(5, {Seconds(20e-6), 1.5, Seconds(0.0)}));
  ASSERT_TRUE(verdict);
  EXPECT_NE(verdict->what.find("5 of 8 rounds"), std::string::npos);
  EXPECT_FALSE(verdict->next.empty());
}

}  // namespace
}  // namespace groma::hpcc
