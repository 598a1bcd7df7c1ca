#include "base/work_watch.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace groma {
namespace {

TEST(LostCore, IsATimeOfWhichTheThreadDidNotGetAll) {
  // One period of 100 ms under a quota of half a processor, for two threads.
  EXPECT_TRUE(lost_core(Seconds(76e-3), Seconds(1e-3)));
  EXPECT_TRUE(lost_core(Seconds(1e-3), Seconds(0.9e-3)));
  EXPECT_TRUE(lost_core(Seconds(20e-6), Seconds(10e-6)));
}

TEST(LostCore, IsNotWhatReadingTheClocksCosts) {
  EXPECT_FALSE(lost_core(Seconds(1e-3), Seconds(1e-3)));
  EXPECT_FALSE(lost_core(Seconds(20e-6), Seconds(17e-6)));
  EXPECT_FALSE(lost_core(Seconds(1e-3), Seconds(0.97e-3)));
  EXPECT_FALSE(lost_core(Seconds(1e-3), Seconds(1.1e-3)));
}

TEST(WorkWatch, TellsAThreadThatSlept) {
  WorkWatch watch;
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  watch.stop();
  EXPECT_TRUE(watch.lost_core());
  EXPECT_GE(watch.elapsed(), Seconds(5e-3));
}

TEST(WorkWatch, TellsAThreadWhoseCoreAnotherOneHad) {
  WorkWatch watch;
  std::this_thread::sleep_for(std::chrono::nanoseconds(1));
  watch.stop();
  EXPECT_TRUE(watch.left_core());
}

TEST(WorkWatch, KnowsAThreadThatKeptItsCore) {
  bool kept = false;
  for (int tries = 0; tries < 1000 && !kept; ++tries) {  // another thread may come at any time
    WorkWatch watch;
    watch.stop();
    kept = !watch.left_core();
  }
  EXPECT_TRUE(kept);
}

}  // namespace
}  // namespace groma
