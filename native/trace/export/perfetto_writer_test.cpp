#include "trace/export/perfetto_writer.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace groma::trace {
namespace {

constexpr std::uint32_t kP2p = 50000001;
constexpr std::uint32_t kRegion = 90000000;

class Perfetto : public ::testing::Test {
 protected:
  Perfetto() {
    names.events[kP2p] = {9, "MPI", {{1, "MPI_Send"}, {2, "MPI_Recv"}}};
    names.events[kRegion] = {6, "Region", {{1, "a \"quoted\" one"}}};
    Layout layout;
    layout.objects = {{0, 0, 0, 0, 0}, {0, 1, 0, 1, 0}};
    writer.begin(layout);
  }
  std::vector<std::string> lines() {
    writer.end({});
    std::vector<std::string> found;
    std::istringstream text(out.str());
    for (std::string line; std::getline(text, line);) {
      if (line.find("\"ph\":\"M\"") == std::string::npos) found.push_back(line);
    }
    return found;
  }
  static std::string phases_of(const std::vector<std::string>& lines) {
    std::string phases;
    for (const std::string& line : lines) {
      if (line.size() > 7 && line[0] == '{' && line[2] == 'p') phases += line[7];
    }
    return phases;
  }
  std::string phases() { return phases_of(lines()); }
  Names names;
  std::ostringstream out;
  PerfettoWriter writer{out, names};
};

TEST_F(Perfetto, HasACallAsASliceInMicroseconds) {
  writer.event({0, 1001, kP2p, 1});
  writer.event({0, 1001, 50100001, 64});
  writer.event({0, 2500, kP2p, 0});
  const auto found = lines();
  EXPECT_EQ(
      found[1],
      R"({"ph":"B","pid":1,"tid":1,"ts":1.001,"cat":"MPI","name":"MPI_Send","args":{"type 50100001":64}},)");
  EXPECT_EQ(found[2], R"({"ph":"E","pid":1,"tid":1,"ts":2.500})");
}

TEST_F(Perfetto, LeadsAMessageFromSliceToSlice) {
  writer.communication({0, 1000, 1500, 1, 900, 2000, 8, 5});
  const auto found = lines();
  EXPECT_NE(found[1].find(R"("ph":"s","pid":1,"tid":1,"ts":1.000)"), std::string::npos);
  EXPECT_NE(found[2].find(R"("ph":"f","pid":2,"tid":1,"ts":1.999,"bp":"e")"), std::string::npos)
      << "within the call that ends at 2.000";
}

TEST_F(Perfetto, NestsRegionsAndEndsWhatIsOpen) {
  Nanoseconds time = 10;
  for (const std::uint64_t value : {1U, 2U, 1U, 0U, 1U}) writer.event({0, time++, kRegion, value});
  writer.event({1, 50, kP2p, 2});
  EXPECT_EQ(phases(), "BBEEBBEE");
  EXPECT_NE(out.str().find(R"(a \"quoted\" one)"), std::string::npos);
}

TEST_F(Perfetto, EndsTheInnermostFunctionAtZero) {
  constexpr std::uint32_t function = 60000019;
  Nanoseconds time = 10;
  for (const std::uint64_t value : {0U, 1U, 2U, 0U, 2U, 2U, 0U, 0U, 0U, 0U}) {
    writer.event({0, time++, function, value});
  }
  EXPECT_EQ(phases(), "BBEBBEEE");
}

/// In whatever order the line says it.
TEST_F(Perfetto, EndsACallBeforeTheRegionThatBeginsThere) {
  writer.event({0, 1000, kP2p, 1});
  writer.event({0, 2000, kRegion, 1});
  writer.event({0, 2000, kP2p, 0});
  writer.event({0, 9000, kRegion, 0});
  writer.event({0, 9000, kP2p, 2});
  const auto found = lines();
  ASSERT_EQ(phases_of(found), "BEBEBE");
  EXPECT_NE(found[1].find("MPI_Send"), std::string::npos);
  EXPECT_NE(found[2].find("2.000"), std::string::npos);
  EXPECT_NE(found[3].find("quoted"), std::string::npos);
  EXPECT_NE(found[5].find("MPI_Recv"), std::string::npos);
}

TEST_F(Perfetto, LetsARegionGoOnAfterTheCallInWhichItBegan) {
  writer.event({0, 10, kP2p, 1});
  writer.event({0, 20, kRegion, 1});
  writer.event({0, 30, kP2p, 0});
  writer.event({0, 40, kRegion, 0});
  const auto found = lines();
  ASSERT_EQ(phases_of(found), "BBEEBE");
  EXPECT_NE(found[5].find("quoted"), std::string::npos);
}

TEST_F(Perfetto, HasNumbersWithASign) {
  constexpr std::uint64_t minus_five = ~std::uint64_t{4};
  writer.event({0, 10, 42000050, minus_five});
  writer.communication({0, 1000, 1500, 1, 900, 2000, 8, ~std::uint64_t{0}});
  writer.event({0, 20, kP2p, 1});
  writer.event({0, 20, 50100003, minus_five});
  lines();
  EXPECT_EQ(out.str().find("18446744073709551"), std::string::npos);
  EXPECT_NE(out.str().find("\"tag\":-1"), std::string::npos);
  EXPECT_NE(out.str().find("{\"value\":-5}"), std::string::npos);
  EXPECT_NE(out.str().find("{\"type 50100003\":-5}"), std::string::npos);
}

TEST_F(Perfetto, EndsWhatIsOpenWithTheLastRecord) {
  writer.event({0, 10, kP2p, 1});
  writer.state({1, 0, 2000, 1});
  writer.communication({0, 10, 20, 1, 900, 3000, 8, 5});
  EXPECT_NE(lines().end()[-2].find(R"("ph":"E","pid":1,"tid":1,"ts":3.000)"), std::string::npos);
}

TEST(PerfettoOfThreads, HasCountersOfEachThread) {
  const Names names;
  std::ostringstream out;
  PerfettoWriter writer{out, names};
  Layout layout;
  layout.objects = {{0, 0, 0, 0, 0}, {0, 0, 1, 0, 0}};
  writer.begin(layout);
  writer.event({0, 10, 42000050, 1});
  writer.event({1, 10, 42000050, 2});
  writer.end({});
  EXPECT_NE(out.str().find(R"("tid":1,"ts":0.010,"name":)"), std::string::npos);
  EXPECT_NE(out.str().find(R"("tid":2,"ts":0.010,"id":"thread 1","name":)"), std::string::npos);
}

/// Also where lines of another thread stand between.
TEST_F(Perfetto, HasTheParametersOfEachCallOfATime) {
  writer.event({0, 10, kP2p, 1});
  writer.event({1, 10, kP2p, 1});
  writer.event({0, 10, 50100001, 64});
  writer.event({0, 10, kP2p, 0});
  writer.event({0, 10, kP2p, 2});
  writer.event({0, 10, 50100001, 32});
  const auto found = lines();
  ASSERT_EQ(phases_of(found), "BEBBEE");
  EXPECT_NE(found[1].find("\"MPI_Send\",\"args\":{\"type 50100001\":64}"), std::string::npos);
  EXPECT_NE(found[3].find("\"MPI_Recv\",\"args\":{\"type 50100001\":32}"), std::string::npos);
}

TEST_F(Perfetto, HasCallsWithoutTime) {
  for (const std::uint64_t value : {1U, 0U, 2U, 0U}) writer.event({0, 10, kP2p, value});
  EXPECT_EQ(lines().size(), 6U) << "head, begins and ends of two slices, brackets";
}

}  // namespace
}  // namespace groma::trace
