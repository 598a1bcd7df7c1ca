#include "base/team.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <thread>

#include "base/affinity.hpp"

namespace groma {
namespace {

TEST(Team, RunsOnePinnedMemberPerCpu) {
  const std::vector<PhysicalCore> cpus = allowed_cpus();
  std::vector<std::vector<PhysicalCore>> masks(cpus.size());
  ASSERT_TRUE(run_team(cpus, [&](const TeamMember& me) { masks[me.index] = allowed_cpus(); }));
  for (std::size_t i = 0; i < cpus.size(); ++i) EXPECT_EQ(masks[i], std::vector{cpus[i]});
}

TEST(Team, MayHaveSeveralMembersOnOneCpu) {
  const std::vector<PhysicalCore> cpus(4, allowed_cpus().front());
  std::atomic<std::uint32_t> before = 0;
  std::atomic<std::uint32_t> complete = 0;
  ASSERT_TRUE(run_team(cpus, [&](const TeamMember& me) {
    ++before;
    me.barrier.wait();
    if (before == 4) ++complete;
  }));
  EXPECT_EQ(complete, 4U);
}

TEST(Team, WithoutMembersIsDoneAtOnce) {
  EXPECT_TRUE(run_team({}, [](const TeamMember&) { FAIL(); }));
}

TEST(Team, RunsNobodyWhereOneCannotBePinned) {
  std::atomic<std::uint32_t> ran = 0;
  const Status status =
      run_team({allowed_cpus().front(), PhysicalCore(1'000'000)}, [&](const TeamMember&) { ++ran; });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "affinity.refused");
  EXPECT_EQ(ran, 0U);
}

TEST(Team, SaysSoWhereTheSystemRefusesThreads) {
  pthread_attr_t usual;
  ASSERT_EQ(pthread_getattr_default_np(&usual), 0);
  pthread_attr_t absurd;
  ASSERT_EQ(pthread_getattr_default_np(&absurd), 0);
  pthread_attr_setstacksize(&absurd, std::size_t{1} << 60U);
  ASSERT_EQ(pthread_setattr_default_np(&absurd), 0);
  const Status status = run_team({allowed_cpus().front()}, [](const TeamMember&) { FAIL(); });
  pthread_setattr_default_np(&usual);
  pthread_attr_destroy(&usual);
  pthread_attr_destroy(&absurd);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "team.no_thread");
  EXPECT_NE(status.error().what.find("thread 1 of 1"), std::string::npos);
}

TEST(TeamTimes, GrowByTheWorkOfEveryMember) {
  const std::vector<PhysicalCore> cpus = allowed_cpus();
  const TeamTimes before = team_times();
  ASSERT_TRUE(run_team(cpus, [](const TeamMember&) { std::this_thread::yield(); }));
  const TeamTimes after = team_times();
  EXPECT_GT(after.waited, before.waited);
  EXPECT_GT(after.wall, before.wall);
  EXPECT_GT(after.cpu, before.cpu);
}

}  // namespace
}  // namespace groma
