#include "sim/torus/all_to_all.hpp"

#include <gtest/gtest.h>

#include <string>

#include "testing/one_thread.hpp"
#include "testing/torus_run.hpp"

namespace groma::sim::torus {
namespace {

using test::TorusRun;

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

/// As many packets of each node as in the whole exchange.
TEST_ON_ONE_THREAD(AllToAll, SendsToASampleAtTheSameShareOfThePeak) {
  for (const char* name : {"all-to-all", "two-phase"}) {
    const std::string start = std::string(R"({"shape": [8, 8, 4], "workload": {"name": ")") + name + '"';
    const TorusRun all(start + "}}");
    const TorusRun sample(start + R"(, "destinations": 64, "bytes": 960}})");
    EXPECT_TRUE(sample.is("complete"));
    EXPECT_EQ(sample.number("message_bytes"), 256 * 64 * 960.0);
    EXPECT_NEAR(sample.number("share_of_peak"), all.number("share_of_peak"), 0.04) << name;
    const TorusRun others(start + R"(, "destinations": 255}})");
    EXPECT_EQ(others.number("last_arrival"), all.number("last_arrival"));
  }
}

TEST(AllToAll, RefusesMoreDestinationsThanThereAreOthers) {
  const TorusRun run(R"({"shape": [4, 4], "workload": {"name": "all-to-all", "destinations": 16}})");
  EXPECT_NE(run.error().find("destinations"), std::string::npos) << run.error();
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
