#include "base/crew.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <set>

#include "base/affinity.hpp"

namespace groma {
namespace {

TEST(Crew, RunsEachPieceOnceOnEveryMember) {
  for (const std::uint32_t members : {1U, 2U, 5U}) {
    Crew crew(members);
    ASSERT_EQ(crew.size(), members);
    std::vector<int> runs(members, 0);
    for (int piece = 0; piece < 200; ++piece) {
      crew.run([&](std::size_t member) { ++runs[member]; });
      ASSERT_EQ(std::accumulate(runs.begin(), runs.end(), 0), (piece + 1) * static_cast<int>(members));
    }
  }
}

TEST(Crew, HasOneThreadForEachMemberAndTheCallerIsTheFirst) {
  Crew crew(3);
  std::vector<std::thread::id> first(3);
  std::vector<std::thread::id> second(3);
  crew.run([&](std::size_t member) { first[member] = std::this_thread::get_id(); });
  crew.run([&](std::size_t member) { second[member] = std::this_thread::get_id(); });
  EXPECT_EQ(first, second);
  EXPECT_EQ(first.front(), std::this_thread::get_id());
  EXPECT_EQ(std::set(first.begin(), first.end()).size(), 3U);
}

TEST(Crew, GivesTheCallersAffinityBack) {
  const auto before = allowed_cpus();
  {
    Crew crew(static_cast<std::uint32_t>(before.size()));
    crew.run([](std::size_t) {});
  }
  EXPECT_EQ(allowed_cpus(), before);
}

TEST(PartOf, CoversAllInOrderOnWholeGrains) {
  for (const std::uint64_t count : {0U, 1U, 7U, 512U, 1000U, 4097U}) {
    for (const std::size_t parts : {1U, 2U, 3U, 7U}) {
      std::uint64_t at = 0;
      for (std::size_t part = 0; part < parts; ++part) {
        const auto [begin, end] = part_of(count, 8, part, parts);
        EXPECT_EQ(begin, at);
        EXPECT_TRUE(end == count || end % 8 == 0);
        EXPECT_LE(end - begin, count / parts + 8);
        at = end;
      }
      EXPECT_EQ(at, count);
    }
  }
}

TEST(PartOf, HoldsSizesBeyondThirtyTwoBits) {
  const std::uint64_t count = std::uint64_t{1} << 60U;
  EXPECT_EQ(part_of(count, 512, 63, 64).second, count);
  EXPECT_EQ(part_of(count, 512, 32, 64).first, count / 2);
}

}  // namespace
}  // namespace groma
