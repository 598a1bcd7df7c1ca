#include "base/disturbance.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "testing/fakes.hpp"

namespace groma {
namespace {

TEST(Steal, IsTheEighthFieldInTicks) {
  const fake::Tree tree;
  tree.write("stat", "cpu  10 20 30 40 50 60 70 250 90 100\ncpu0 1 2 3 4 5 6 7 8 9 10\n");
  const double ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  EXPECT_DOUBLE_EQ(steal_since_boot(tree.root() + "stat").value(), 250 / ticks_per_second);
}

TEST(Steal, IsNothingWhereTheKernelDoesNotTell) {
  const fake::Tree tree;
  EXPECT_EQ(steal_since_boot(tree.root() + "stat"), Seconds(0.0));
  for (const char* text : {"", "cpu  10 20 30 40\n", "cpu a b c d e f g h\n", "intr 1 2 3 4 5 6 7 8 9\n"}) {
    tree.write("stat", text);
    EXPECT_EQ(steal_since_boot(tree.root() + "stat"), Seconds(0.0)) << text;
  }
}

TEST(RoundWatch, TellsHowMuchLongerARoundTookThanItsThreadWorked) {
  fake::ManualClock clock;
  clock.cpu = Seconds(5.0);
  clock.time = Seconds(100.0);
  const RoundWatch watch(clock, 3);
  clock.time = Seconds(103.0);
  clock.cpu = Seconds(7.0);
  const RoundReport report = watch.report();
  EXPECT_EQ(report.round, 3U);
  EXPECT_DOUBLE_EQ(report.elapsed.value(), 3.0);
  EXPECT_DOUBLE_EQ(report.wall_over_cpu, 1.5);
  EXPECT_GT(report.fixed_work, Seconds(0.0));
  EXPECT_GE(report.steal, Seconds(0.0));
}

TEST(RoundWatch, CallsARoundOfNoWorkUndisturbed) {
  const fake::ManualClock clock;
  EXPECT_DOUBLE_EQ(RoundWatch(clock, 0).report().wall_over_cpu, 1.0);
}

}  // namespace
}  // namespace groma
