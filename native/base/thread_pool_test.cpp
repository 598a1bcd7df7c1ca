#include "base/thread_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include "base/affinity.hpp"

namespace groma {
namespace {

TEST(ThreadPool, RunsEachTaskOnceOnEveryMember) {
  for (const std::size_t members : {1U, 2U, 5U}) {
    ThreadPool pool(members);
    ASSERT_EQ(pool.size(), members);
    std::vector<int> runs(members, 0);
    for (int task = 0; task < 200; ++task) {
      pool.run([&](std::size_t member) { ++runs[member]; });
      ASSERT_EQ(runs, std::vector<int>(members, task + 1));
    }
  }
}

TEST(ThreadPool, HasOneThreadForEachMemberAndTheCallerIsMemberZero) {
  ThreadPool pool(3);
  std::vector<std::thread::id> first(3);
  std::vector<std::thread::id> second(3);
  pool.run([&](std::size_t member) { first[member] = std::this_thread::get_id(); });
  pool.run([&](std::size_t member) { second[member] = std::this_thread::get_id(); });
  EXPECT_EQ(first, second);
  EXPECT_EQ(first.front(), std::this_thread::get_id());
  EXPECT_EQ(std::set(first.begin(), first.end()).size(), 3U);
}

TEST(ThreadPool, LeavesTheAffinityOfItsMembersWithoutPinning) {
  const auto allowed = allowed_cpus();
  ThreadPool pool(allowed.size(), Pinning::kNone);
  std::vector<std::vector<PhysicalCore>> masks(allowed.size());
  pool.run([&](std::size_t member) { masks[member] = allowed_cpus(); });
  for (const auto& mask : masks) EXPECT_EQ(mask, allowed);
}

TEST(ThreadPool, PinsEachMemberToACpuOfItsOwnWhereThereAreJustEnough) {
  const auto allowed = allowed_cpus();
  if (allowed.size() < 2) GTEST_SKIP() << "one CPU";
  ThreadPool pool(allowed.size());
  std::vector<std::vector<PhysicalCore>> masks(allowed.size());
  pool.run([&](std::size_t member) { masks[member] = allowed_cpus(); });
  for (std::size_t member = 0; member < masks.size(); ++member) {
    EXPECT_EQ(masks[member], std::vector{allowed[member]});
  }
}

TEST(ThreadPool, RestoresTheAffinityOfItsCaller) {
  const auto before = allowed_cpus();
  {
    ThreadPool pool(before.size());
    pool.run([](std::size_t) {});
  }
  EXPECT_EQ(allowed_cpus(), before);
}

TEST(ThreadPool, LeavesItsCallerFreeBetweenStartAndFinish) {
  ThreadPool pool(2);
  std::vector<int> runs(2, 0);
  for (int task = 0; task < 200; ++task) {
    std::atomic<bool> begun = false;
    pool.start([&](std::size_t member) {
      ++runs[member];
      if (member == 1) begun = true;
    });
    while (!begun) std::this_thread::yield();
    pool.finish();
  }
  EXPECT_EQ(runs, std::vector<int>(2, 200));
}

TEST(ThreadPool, WakesMembersThatHaveFallenAsleep) {
  ThreadPool pool(3);
  std::atomic<int> runs = 0;
  for (int task = 0; task < 3; ++task) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    pool.run([&](std::size_t member) {
      if (member == 2) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      ++runs;
    });
  }
  EXPECT_EQ(runs, 9);
}

TEST(ThreadPool, MayHaveNothingToDo) {
  const ThreadPool pool(3);
  EXPECT_EQ(pool.size(), 3U);
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
