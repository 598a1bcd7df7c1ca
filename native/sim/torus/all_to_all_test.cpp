#include "sim/torus/all_to_all.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "testing/one_thread.hpp"
#include "testing/torus_run.hpp"

namespace groma::sim::torus {
namespace {

using testing::TorusRun;

TEST(CheapPermutation, ReachesEveryNumberOnce) {
  for (const std::uint32_t size : {1U, 2U, 3U, 7U, 63U, 64U, 65U, 1000U}) {
    const CheapPermutation order(size, 42);
    std::set<std::uint32_t> seen;
    for (std::uint32_t i = 0; i < size; ++i) seen.insert(order(i));
    EXPECT_EQ(seen.size(), size);
    EXPECT_LT(*seen.rbegin(), size);
  }
}

TEST(CheapPermutation, DiffersWithItsKey) {
  const CheapPermutation one(1000, 1);
  const CheapPermutation other(1000, 2);
  int equal = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) equal += one(i) == other(i) ? 1 : 0;
  EXPECT_LT(equal, 20);
}

TEST_ON_ONE_THREAD(AllToAll, BringsEveryMessageAtLessThanThePeak) {
  for (const char* name : {"all-to-all", "two-phase"}) {
    for (const char* shape : {"[4, 3, 2]", "[8]", "[5, 4]"}) {
      for (const char* bytes : {"1", "240", "1000"}) {
        const TorusRun run(std::string(R"({"shape": )") + shape + R"(, "workload": {"name": ")" + name +
                           R"(", "bytes": )" + bytes + "}}");
        EXPECT_TRUE(run.is("complete")) << name << shape << bytes;
        EXPECT_GT(run.number("share_of_peak"), 0.1);
        EXPECT_LE(run.number("share_of_peak"), 1.0);
      }
    }
  }
}

TEST_ON_ONE_THREAD(AllToAll, GivesTheShareOfWhatArrivedUntilItWasStopped) {
  const char* request = R"({"shape": [16, 4, 4], "workload": {"name": "all-to-all"}})";
  const double messages = 256 * 255 * 240.0;
  const TorusRun whole(request);
  EXPECT_EQ(whole.number("message_bytes"), messages);
  EXPECT_EQ(whole.number("share_of_peak"), whole.number("least_time") / whole.number("last_arrival"));

  const TorusRun stopped(request, 200'000);
  EXPECT_FALSE(stopped.is("complete"));
  const double arrived = stopped.number("message_bytes") / messages;
  EXPECT_LT(arrived, 0.9);
  EXPECT_DOUBLE_EQ(stopped.number("share_of_peak"),
                   arrived * stopped.number("least_time") / stopped.number("last_arrival"));
  EXPECT_GT(stopped.number("share_of_peak"), 0.7) << "though the network had to fill first";
}

/// Every message that changes its place in two parts is sent twice, so there are more packets, but no more
/// hops.
TEST(AllToAll, GoesThroughIntermediateNodesInTwoPhases) {
  const std::string shape = R"({"shape": [7, 3, 3], "workload": {"name": )";
  const TorusRun direct(shape + R"("all-to-all"}})");
  const TorusRun two_phase(shape + R"("two-phase"}})");
  const double nodes = 63;
  EXPECT_EQ(direct.number("packets"), nodes * 62);
  EXPECT_EQ(two_phase.number("packets"), nodes * (62 + (6 * 8)));
  EXPECT_EQ(direct.number("packet_hops"), two_phase.number("packet_hops"));
}

/// Links of the long dimension carry most; in two phases nothing else holds up what waits for them.
TEST_ON_ONE_THREAD(AllToAll, NearsThePeakOfALongTorusInTwoPhases) {
  const std::string shape = R"({"shape": [16, 4, 4], "workload": {"bytes": 240, "name": )";
  const TorusRun two_phase(shape + R"("two-phase"}})");
  EXPECT_GT(two_phase.number("share_of_peak"), 0.95);
  const TorusRun direct(R"({"shape": [16, 4, 4], "network": {"injection_packets": 64},
                           "workload": {"bytes": 240, "name": "all-to-all"}})");
  EXPECT_LT(direct.number("share_of_peak"), 0.9);
}

TEST(AllToAll, IsTheSameWithTwoThreads) {
  const std::string start = R"({"shape": [8, 4, 4], "workload": {"name": "two-phase"}, "run": {"threads": )";
  const TorusRun one(start + "1}}");
  const TorusRun two(start + "2}}");
  EXPECT_GT(one.number("last_arrival"), 0);
  EXPECT_EQ(one.number("last_arrival"), two.number("last_arrival"));
  EXPECT_EQ(one.number("latency.mean"), two.number("latency.mean"));
}

TEST(AllToAll, IsBoundByTheProcessorsWhereTheyAreSlow) {
  const TorusRun run(R"({"shape": [4, 4], "processor": {"send": 5000, "receive": {"single": 5000}},
                        "workload": {"name": "all-to-all", "bytes": 2400}})");
  EXPECT_NEAR(run.number("last_arrival"), 15 * 10 * 10000.0, 15 * 10 * 10000 * 0.05);
}

}  // namespace
}  // namespace groma::sim::torus
