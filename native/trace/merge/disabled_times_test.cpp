#include <gtest/gtest.h>

#include "trace/merge/processes.hpp"

namespace groma::trace {
namespace {

TEST(DisabledTimes, HoldFromTheirBeginToBeforeTheirEnd) {
  DisabledTimes off;
  off.switch_off(10);
  off.switch_on(20);
  off.switch_off(30);
  off.switch_on(40);
  for (const Nanoseconds time : {10U, 19U, 30U, 39U}) EXPECT_TRUE(off.at(time)) << time;
  for (const Nanoseconds time : {0U, 9U, 20U, 29U, 40U}) EXPECT_FALSE(off.at(time)) << time;
}

TEST(DisabledTimes, LastToTheEndWhereNothingSwitchesOn) {
  DisabledTimes off;
  off.switch_on(5);  // it was on
  off.switch_off(10);
  off.switch_off(15);  // it was off
  EXPECT_FALSE(off.at(9));
  EXPECT_TRUE(off.at(12));
  EXPECT_TRUE(off.at(1'000'000));
  off.switch_on(50);
  EXPECT_TRUE(off.at(49));
  EXPECT_FALSE(off.at(50));
}

}  // namespace
}  // namespace groma::trace
