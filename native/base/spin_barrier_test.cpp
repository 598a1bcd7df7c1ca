#include "base/spin_barrier.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace groma {
namespace {

TEST(SpinBarrier, HoldsAllMembersTogetherWhereTheyOutnumberTheCores) {
  constexpr std::uint32_t kPhases = 100;
  const std::uint32_t members = 2 * std::thread::hardware_concurrency() + 3;
  SpinBarrier barrier(members);
  std::atomic<std::uint32_t> arrived = 0;
  std::atomic<std::uint32_t> early = 0;
  const auto member = [&] {
    for (std::uint32_t phase = 1; phase <= kPhases; ++phase) {
      ++arrived;
      barrier.wait();
      if (arrived < phase * members) ++early;
      barrier.wait();
    }
  };
  std::vector<std::jthread> threads;
  for (std::uint32_t i = 0; i < members; ++i) threads.emplace_back(member);
  threads.clear();
  EXPECT_EQ(arrived, kPhases * members);
  EXPECT_EQ(early, 0U);
}

TEST(SpinBarrier, LetsItsOnlyMemberPass) {
  SpinBarrier barrier(1);
  barrier.wait();
  barrier.wait();
}

}  // namespace
}  // namespace groma
