#include "survey/set_overflow.hpp"

#include <gtest/gtest.h>

#include <map>

namespace groma::survey {
namespace {

/// A cache with LRU replacement whose sets are chosen by a hash: a turn through more lines of one set than it
/// has ways misses with every one of them.
struct Cache {
  std::size_t sets;
  std::size_t ways;
  double noise = 0.0;
  std::size_t translated = 72;  ///< lines beyond this cost a translation each
  RandomStream random{11};

  double turn(std::span<const std::size_t> lines) {
    std::map<std::size_t, std::size_t> used;
    for (const std::size_t line : lines) ++used[RandomStream(line).next() % sets];
    double time = (lines.size() > translated ? 6.5 : 4.6) * static_cast<double>(lines.size());
    for (const auto& [set, count] : used) time += count > ways ? 8.0 * static_cast<double>(count) : 0.0;
    const bool disturbed = random.below(100) < static_cast<std::uint64_t>(100 * noise);
    return disturbed ? 3.0 * time : time * (1.0 + 1e-5 * static_cast<double>(random.below(300)));
  }

  std::optional<std::size_t> found(std::size_t lines, std::uint64_t seed) {
    return OverflowSearch(
               lines, [this](auto set) { return turn(set); }, [] { return false; }, RandomStream(seed))
        .count_ways();
  }
};

TEST(SetOverflow, CountsTheWaysOfManyShapes) {
  for (const std::size_t ways : {4U, 8U, 10U, 12U, 16U}) {
    for (const std::size_t sets : {16U, 32U, 128U}) {
      Cache cache{.sets = sets, .ways = ways};
      EXPECT_EQ(cache.found(4096, 5), ways) << sets << " sets";
    }
  }
}

TEST(SetOverflow, SurvivesDisturbedMeasurements) {
  std::size_t right = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Cache cache{.sets = 64, .ways = 8, .noise = 0.1, .random = RandomStream(seed)};
    right += cache.found(4096, seed) == std::optional<std::size_t>(8) ? 1U : 0U;
  }
  EXPECT_GE(right, 14U);
}

TEST(SetOverflow, FindsNothingWhereAllLinesFit) {
  Cache cache{.sets = 4096, .ways = 8};
  EXPECT_FALSE(cache.found(512, 1).has_value());
}

TEST(SetOverflow, GivesUpWhenTold) {
  int polls = 0;
  OverflowSearch search(
      1 << 20, [](auto set) { return 4.6 * static_cast<double>(set.size()); }, [&] { return ++polls > 3; },
      RandomStream(1));
  EXPECT_FALSE(search.count_ways().has_value());
  EXPECT_LT(polls, 10);
}

}  // namespace
}  // namespace groma::survey
