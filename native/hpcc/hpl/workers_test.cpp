#include "hpcc/hpl/workers.hpp"

#include <gtest/gtest.h>

namespace groma::hpcc::hpl {
namespace {

TEST(Workers, EachDoEveryJobOnce) {
  for (const std::uint32_t threads : {1U, 2U, 5U}) {
    Workers workers(threads);
    ASSERT_EQ(workers.size(), threads);
    std::vector<int> done(threads, 0);
    for (int job = 0; job < 200; ++job) {
      workers.start([&](std::size_t number) { ++done[number]; });
      workers.finish();
    }
    EXPECT_EQ(done, std::vector<int>(threads, 200));
  }
}

TEST(Workers, LeaveTheirOwnerFreeUntilItFinishes) {
  Workers workers(2);
  std::atomic<bool> begun = false;
  workers.start([&](std::size_t number) {
    if (number == 1) begun = true;
  });
  while (!begun) std::this_thread::yield();
  workers.finish();
}

TEST(Workers, MayHaveNothingToDo) {
  const Workers workers(3);
  EXPECT_EQ(workers.size(), 3U);
}

}  // namespace
}  // namespace groma::hpcc::hpl
