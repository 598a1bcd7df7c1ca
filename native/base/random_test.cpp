#include "base/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <vector>

namespace groma {
namespace {

TEST(RandomStream, GivesThePublishedNumbersOfSplitMix64) {
  RandomStream random(1234567);
  for (const std::uint64_t expected : {6457827717110365317U, 3203168211198807973U, 9817491932198370423U,
                                       4593380528125082431U, 16408922859458223821U}) {
    EXPECT_EQ(random.next(), expected);
  }
}

TEST(RandomStream, SkipsValuesAsIfTheyHadBeenTaken) {
  RandomStream walked(7);
  RandomStream skipped(7);
  for (int i = 0; i < 1000; ++i) walked.next();
  skipped.skip(1000);
  EXPECT_EQ(walked.next(), skipped.next());
}

TEST(RandomStream, StaysBelowItsBoundAndReachesAllOfIt) {
  RandomStream random(1);
  std::array<int, 6> counts{};
  for (int i = 0; i < 6000; ++i) ++counts.at(random.below(6));
  for (const int count : counts) EXPECT_NEAR(count, 1000, 180) << "six standard deviations";
  EXPECT_EQ(random.below(0), 0U);
  EXPECT_EQ(random.below(1), 0U);
}

TEST(RandomStream, ForksIntoStreamsThatDiffer) {
  const RandomStream parent(5);
  std::set<std::uint64_t> firsts = {RandomStream(parent).next()};
  for (std::uint64_t key = 0; key < 1000; ++key) firsts.insert(parent.fork(key).next());
  EXPECT_EQ(firsts.size(), 1001U);
  EXPECT_EQ(parent.fork(3).next(), parent.fork(3).next());
}

TEST(Shuffle, KeepsEveryItemAndRepeatsWithTheSeed) {
  std::vector<int> items(100);
  std::iota(items.begin(), items.end(), 0);
  const std::vector<int> sorted = items;
  RandomStream random(9);
  shuffle(std::span(items), random);
  EXPECT_NE(items, sorted);
  std::vector<int> again = sorted;
  RandomStream same(9);
  shuffle(std::span(again), same);
  EXPECT_EQ(again, items);
  std::sort(items.begin(), items.end());
  EXPECT_EQ(items, sorted);
}

TEST(Shuffle, MakesEveryOrderAboutEquallyOften) {
  RandomStream random(2);
  std::map<std::vector<int>, int> orders;
  for (int i = 0; i < 6000; ++i) {
    std::vector<int> items = {0, 1, 2};
    shuffle(std::span(items), random);
    ++orders[items];
  }
  EXPECT_EQ(orders.size(), 6U);
  for (const auto& [order, count] : orders) EXPECT_NEAR(count, 1000, 180);
}

}  // namespace
}  // namespace groma
