#include "trace/sums/timeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <utility>

namespace groma::trace {
namespace {

using Times = std::vector<std::uint64_t>;

std::uint64_t sum(const Times& times) {
  return std::accumulate(times.begin(), times.end(), std::uint64_t{0});
}

TEST(Timeline, PutsTheTimeOfAStateIntoTheBinsThatItCovers) {
  Timeline timeline;
  timeline.begin(1);
  ASSERT_TRUE(timeline.add({0, 100, 130, 1}));
  ASSERT_TRUE(timeline.add({0, 130, 180, 3}));
  const auto made = timeline.picture(4);
  EXPECT_EQ(made.begin, 100U);
  EXPECT_EQ(made.width, 20U);
  ASSERT_EQ(made.rows.size(), 1U);
  ASSERT_EQ(made.rows[0].lines.size(), 2U);
  EXPECT_EQ(made.rows[0].lines[0].state, 1U);
  EXPECT_EQ(made.rows[0].lines[0].times, (Times{20, 10, 0, 0}));
  EXPECT_EQ(made.rows[0].lines[1].times, (Times{0, 10, 20, 20}));
}

TEST(Timeline, HasNoRowsWithoutTime) {
  Timeline timeline;
  timeline.begin(3);
  EXPECT_TRUE(timeline.picture(10).rows.empty());
  ASSERT_TRUE(timeline.add({1, 50, 50, 1}));
  EXPECT_TRUE(timeline.picture(10).rows.empty());
}

TEST(Timeline, JoinsNeighboursOfManyThreadsToRowsOfOneSize) {
  Timeline timeline;
  timeline.begin(130);
  for (ObjectIndex i = 0; i < 130; ++i) ASSERT_TRUE(timeline.add({i, 0, 10, 1}));
  const auto made = timeline.picture(1);
  ASSERT_EQ(made.rows.size(), 44U) << "of three";
  EXPECT_EQ(made.rows[43].first, 129U);
  EXPECT_EQ(made.rows[43].last, 129U);
  EXPECT_EQ(made.rows[0].lines[0].times, Times{30});
}

TEST(Timeline, HoldsTheTimesOfStatesInAnyOrderAtAnyTime) {
  Timeline timeline;
  timeline.begin(1);
  const Nanoseconds last = ~Nanoseconds{0};
  ASSERT_TRUE(timeline.add({0, last - 5, last, 1}));
  ASSERT_TRUE(timeline.add({0, 0, 7, 1}));
  ASSERT_TRUE(timeline.add({0, last / 2, last / 2 + 9, 1}));
  const auto made = timeline.picture(100);
  EXPECT_EQ(made.begin, 0U);
  const Times& times = made.rows[0].lines[0].times;
  EXPECT_LE(times.size(), 100U);
  EXPECT_EQ(times.front(), 7U);
  EXPECT_EQ(times.back(), 5U);
  EXPECT_EQ(sum(times), 21U);
}

TEST(Timeline, HasNoRoomForStatesThatMeanNothing) {
  Timeline timeline;
  timeline.begin(1);
  for (std::uint32_t state = 0; state < 64; ++state) ASSERT_TRUE(timeline.add({0, 0, 1, state}));
  EXPECT_FALSE(timeline.add({0, 0, 1, 64}));
  EXPECT_TRUE(timeline.add({0, 1, 2, 63}));
}

// Each nanosecond for itself.
TEST(Timeline, AddsUpToTheTimesOfTheStates) {
  std::mt19937_64 chance(5);  // NOLINT: the same states in every run
  for (int round = 0; round < 50; ++round) {
    Timeline timeline;
    timeline.begin(3);
    std::vector<State> states;
    for (int i = 0; i < 30; ++i) {
      const Nanoseconds begin = 1000 + chance() % 9000;
      const auto object = static_cast<ObjectIndex>(chance() % 3);
      states.push_back({object, begin, begin + chance() % 900, static_cast<std::uint32_t>(chance() % 4)});
      ASSERT_TRUE(timeline.add(states.back()));
    }
    const auto made = timeline.picture(60);
    std::map<std::pair<ObjectIndex, std::uint32_t>, Times> expected;
    for (const State& one : states) {
      Times& times = expected[{one.object, one.state}];
      times.resize(60);
      for (Nanoseconds at = one.begin; at < one.end; ++at) ++times.at((at - made.begin) / made.width);
    }
    for (const auto& row : made.rows) {
      for (const auto& line : row.lines) {
        Times times = line.times;
        times.resize(60);
        EXPECT_EQ(times, expected.at({row.first, line.state}));
      }
    }
  }
}

}  // namespace
}  // namespace groma::trace
