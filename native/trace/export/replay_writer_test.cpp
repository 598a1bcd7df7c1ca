#include "trace/export/replay_writer.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "testing/any_replay.hpp"

namespace groma::trace {
namespace {

constexpr std::uint32_t kP2p = 50000001;
constexpr std::uint32_t kCollective = 50000002;
constexpr std::uint32_t kOther = 50000003;
constexpr std::uint32_t kIo = 50000005;

enum Value : std::uint64_t {
  kSend = 1,
  kRecv = 2,
  kIsend = 3,
  kIrecv = 4,
  kWait = 5,
  kWaitall = 6,
  kBcast = 7,
  kBarrier = 8,
  kAllreduce = 10,
  kAlltoallv = 12,
  kGatherv = 14,
  kInit = 31,
  kFinalize = 32,
  kBsend = 33,
  kIbsend = 36,
  kTest = 39,
  kSendrecv = 41,
  kStart = 123,
  kIbarrier = 156,
  kMrecv = 192,
  kAllreduceInit = 323,
};

class Replays : public ::testing::Test {
 protected:
  void begin(std::uint32_t ranks, std::vector<Communicator> communicators = {}) {
    Layout layout;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) layout.objects.push_back({0, rank, 0, rank, 0});
    layout.communicators = std::move(communicators);
    writer.begin(layout);
  }
  /// With what a .prv says of a collective: bytes sent and received, whether the rank is the root, where.
  void call(ObjectIndex object, Nanoseconds from, Nanoseconds to, std::uint32_t type, std::uint64_t value,
            const std::vector<std::uint64_t>& extra = {}) {
    writer.event({object, from, type, value});
    for (std::uint32_t i = 0; i < extra.size(); ++i) writer.event({object, from, 50100001 + i, extra[i]});
    writer.event({object, to, type, 0});
  }
  /// The lines of all ranks but `init`, `waitall` and `finalize`, which each has.
  std::string lines() {
    writer.end({});
    std::istringstream text(out.str());
    std::string found;
    for (std::string line; std::getline(text, line);) {
      if (line.ends_with(" init") || line.ends_with(" waitall") || line.ends_with(" finalize")) continue;
      if (line.starts_with('#')) continue;
      found += (found.empty() ? "" : ", ") + line;
    }
    return found;
  }
  std::ostringstream out;
  ReplayWriter writer{out};
};

/// What is mutated to look for faults holds what can be replayed.
TEST_F(Replays, ReadTheirOwnTextOfEveryKindOfCall) {
  const std::string trace = test::trace_of_all_replayed();
  ASSERT_TRUE(read_prv_text(trace, writer));
  ASSERT_TRUE(writer.status()) << writer.status().error().what;
  EXPECT_NE(out.str().find(" recv "), std::string::npos);
  EXPECT_NE(out.str().find(" allreduce "), std::string::npos);
  const auto programs = sim::torus::read_trace({{"", out.str()}}, {});
  ASSERT_TRUE(programs) << programs.error().what;
  EXPECT_EQ(programs.value().of_ranks.size(), 3U);
  EXPECT_TRUE(test::is_replayed_or_refused(trace.substr(0, trace.size() / 2)));
  EXPECT_TRUE(test::is_replayed_or_refused("no trace"));
}

/// As Extrae writes them where it reads counters of the uncore in tasks of their own.
TEST_F(Replays, TakeTheApplicationThatCallsMpi) {
  const std::string text =
      "#Paraver (01/01/2026 at 10:00):900_ns:1(3):2:2(1:1,1:1),1(1:1),2\nc:1:1:2:1:2\nc:2:1:1:1\n"
      "1:3:2:1:1:0:900:1\n2:3:2:1:1:0:46333728:5\n2:1:1:1:1:100:50000002:8\n2:2:1:2:1:110:50000002:8\n"
      "2:1:1:1:1:200:50000002:0\n2:2:1:2:1:210:50000002:0\n";
  ASSERT_TRUE(read_prv_text(text, writer));
  EXPECT_TRUE(writer.status());
  EXPECT_NE(out.str().find("1 barrier"), std::string::npos);
  EXPECT_EQ(out.str().find("2 "), std::string::npos) << "a rank of the other application";

  ReplayWriter other(out);
  ASSERT_TRUE(read_prv_text(text + "2:3:2:1:1:300:50000002:8\n", other));
  EXPECT_EQ(other.status().error().what, "several applications of the trace call MPI");
}

TEST_F(Replays, ComputeBetweenCallsAndSendWithinThem) {
  begin(2);
  call(0, 0, 50, kOther, kInit);
  call(1, 0, 50, kOther, kInit);
  call(0, 150, 180, kP2p, kSend);
  call(1, 60, 210, kP2p, kRecv);
  writer.communication({0, 150, 180, 1, 60, 210, 1000, 7});
  call(0, 200, 220, kOther, kFinalize);
  EXPECT_EQ(lines(), "0 compute 100, 0 send 1 0 1000, 0 compute 20, 1 compute 10, 1 recv 0 0 1000");
}

/// Its end may follow the begin of the next call, which goes on.
TEST_F(Replays, EndACallAtTheBeginOfTheNext) {
  begin(2);
  call(0, 0, 50, kOther, kInit);
  writer.event({0, 60, kIo, 1});
  writer.event({0, 90, kP2p, kSend});
  writer.event({0, 90, kIo, 0});
  writer.event({0, 100, kP2p, 0});
  call(0, 130, 140, kCollective, kBarrier);
  call(1, 0, 50, kOther, kInit);
  call(1, 60, 210, kP2p, kRecv);
  call(1, 210, 240, kCollective, kBarrier);
  writer.communication({0, 90, 95, 1, 60, 210, 8, 7});
  EXPECT_EQ(lines(),
            "0 compute 40, 0 send 1 0 8, 0 compute 30, 0 barrier, 1 compute 10, 1 recv 0 0 8, 1 barrier");
}

TEST_F(Replays, ReadTheBytesOfEachOfTwoCollectivesOfATime) {
  begin(1);
  call(0, 0, 50, kOther, kInit);
  writer.event({0, 60, kCollective, kAllreduce});
  writer.event({0, 60, 50100001, 16});
  writer.event({0, 60, kCollective, 0});
  writer.event({0, 60, kCollective, kBcast});
  writer.event({0, 60, 50100001, 32});
  writer.event({0, 60, 50100003, 1});
  writer.event({0, 70, kCollective, 0});
  EXPECT_EQ(lines(), "0 compute 10, 0 allreduce 16 0, 0 bcast 32 0");
}

/// The second message arrives first: tags tell them apart.
TEST_F(Replays, WaitForTheMessagesThatArrivedInTheCall) {
  begin(2);
  call(0, 0, 10, kP2p, kIsend);
  call(0, 10, 20, kP2p, kIsend);
  call(0, 20, 30, kP2p, kWait);
  call(0, 30, 40, kP2p, kWaitall);
  call(1, 0, 10, kP2p, kIrecv);
  call(1, 10, 20, kP2p, kIrecv);
  call(1, 20, 30, kOther, kTest);
  call(1, 30, 40, kOther, kTest);
  call(1, 40, 50, kP2p, kWait);
  writer.communication({0, 0, 10, 1, 10, 50, 8, 1});
  writer.communication({0, 10, 20, 1, 20, 40, 9, 2});
  EXPECT_EQ(lines(),
            "0 isend 1 0 8, 0 isend 1 1 9, 0 wait 0 1 0, 0 wait 0 1 1, "
            "1 irecv 0 0 8, 1 irecv 0 1 9, 1 wait 0 1 1, 1 wait 0 1 0");
}

/// A buffered send goes on at once, and no wait that follows is for it.
TEST_F(Replays, NeverWaitForBufferedSends) {
  begin(2);
  call(0, 0, 10, kP2p, kBsend);
  call(0, 10, 20, kP2p, kIbsend);
  call(0, 20, 30, kP2p, kIsend);
  call(0, 30, 40, kP2p, kWait);
  call(0, 40, 50, kP2p, kWaitall);
  for (std::uint64_t i = 0; i < 3; ++i) {
    call(1, 100 * i, 100 * i + 10, kP2p, kRecv);
    writer.communication({0, 10 * i, 10 * i + 10, 1, 100 * i, 100 * i + 10, 5000 + i, 1});
  }
  EXPECT_TRUE(lines().starts_with("0 isend 1 0 5000, 0 isend 1 1 5001, 0 isend 1 2 5002, 0 wait 0 1 2, 1 "));
}

/// Extrae posts the receives of MPI_Start, MPI_Startall and MPI_Mrecv when the call begins.
TEST_F(Replays, FindReceivesThatAreAskedForWhenACallBegins) {
  begin(2);
  call(0, 0, 10, kP2p, kIsend);
  call(0, 10, 20, kP2p, kIsend);
  call(0, 20, 30, kP2p, kIsend);
  call(1, 0, 10, kOther, kStart);
  call(1, 10, 20, kOther, kStart);
  call(1, 20, 40, kP2p, kWaitall);
  call(1, 40, 50, kP2p, kMrecv);
  writer.communication({0, 0, 10, 1, 0, 40, 7, 1});
  writer.communication({0, 10, 20, 1, 20, 40, 8, 1});
  writer.communication({0, 20, 30, 1, 40, 50, 9, 1});
  EXPECT_TRUE(lines().ends_with("1 irecv 0 0 7, 1 irecv 0 1 8, 1 wait 0 1 0, 1 wait 0 1 1, 1 recv 0 2 9"));
  EXPECT_EQ(writer.losses().unplaced, 0U);
}

/// A trace does not say which request a call starts. One that sends or receives is no persistent collective.
TEST_F(Replays, CountPersistentCollectivesThatTheyLeaveOut) {
  begin(2);
  call(0, 0, 10, kP2p, kStart);
  call(0, 10, 20, kOther, kAllreduceInit);
  call(0, 20, 30, kOther, kStart);
  call(0, 30, 40, kP2p, kWait);
  call(0, 40, 50, kOther, kStart);
  call(0, 50, 60, kP2p, kWait);
  call(1, 0, 100, kP2p, kRecv);
  writer.communication({0, 20, 30, 1, 0, 100, 8, 1});
  EXPECT_EQ(lines(), "0 isend 1 0 8, 0 wait 0 1 0, 1 recv 0 0 8");
  EXPECT_EQ(writer.losses().left_out, 1U);
}

TEST_F(Replays, ExchangeBothWays) {
  begin(2);
  call(0, 0, 10, kP2p, kSendrecv);
  call(1, 0, 10, kP2p, kSendrecv);
  writer.communication({0, 0, 0, 1, 0, 10, 8, 1});
  writer.communication({1, 0, 0, 0, 0, 10, 9, 1});
  EXPECT_EQ(lines(),
            "0 irecv 1 0 9, 0 isend 1 0 8, 0 wait 1 0 0, 0 wait 0 1 0, "
            "1 irecv 0 0 8, 1 isend 0 0 9, 1 wait 0 1 0, 1 wait 1 0 0");
}

TEST_F(Replays, KeepCollectivesInTheirCommunicators) {
  begin(4, {{0, 1, {0, 1, 2, 3}}, {0, 5, {3, 1}}});
  for (const ObjectIndex rank : {0U, 1U, 2U, 3U}) call(rank, 0, 10, kCollective, kBarrier, {0, 0, 0, 1});
  call(1, 10, 20, kCollective, kBcast, {64, 0, 1, 5});
  call(3, 10, 20, kCollective, kBcast, {0, 64, 0, 5});
  call(3, 20, 30, kCollective, kAllreduce, {8, 8, 0, 5});
  call(1, 20, 30, kCollective, kAllreduce, {8, 8, 0, 5});
  EXPECT_EQ(lines(),
            "communicator 1 3 1, 0 barrier, 1 barrier, 1 bcast 64 1 @1, 1 allreduce 8 0 @1, "
            "2 barrier, 3 barrier, 3 bcast 64 1 @1, 3 allreduce 8 0 @1");
}

TEST_F(Replays, DivideTheSumsOfRanks) {
  begin(2);
  call(0, 0, 10, kCollective, kAlltoallv, {30, 20, 0});
  call(1, 0, 10, kCollective, kAlltoallv, {10, 20, 0});
  call(0, 10, 20, kCollective, kGatherv, {0, 64, 1});
  call(1, 10, 20, kCollective, kGatherv, {64, 0, 0});
  EXPECT_EQ(lines(),
            "0 alltoallv 30 15 15 20 15 5, 0 gather 64 64 0, 1 alltoallv 10 5 5 20 15 5, 1 gather 64 64 0");
  EXPECT_EQ(writer.losses().divided, 1U);
}

TEST_F(Replays, DivideNoCollectivesThatTheyLeaveOut) {
  begin(2);
  for (const ObjectIndex rank : {0U, 1U}) call(rank, 0, 10, kCollective, kBarrier, {0, 0, 0});
  call(0, 10, 20, kCollective, kAlltoallv, {8, 8, 0});
  EXPECT_EQ(lines(), "0 barrier, 1 barrier");
  EXPECT_EQ(writer.losses().cut, 1U);
  EXPECT_EQ(writer.losses().divided, 0U);
}

TEST_F(Replays, BeginCollectivesThatDoNotBlock) {
  begin(2);
  for (const ObjectIndex rank : {0U, 1U}) {
    call(rank, 0, 10, kCollective, kIbarrier, {0, 0, 0});
    call(rank, 15, 20, kP2p, kWait);
  }
  EXPECT_EQ(lines(), "0 ibarrier, 0 compute 5, 0 waitcollective, 1 ibarrier, 1 compute 5, 1 waitcollective");
}

TEST_F(Replays, TakeNoWorkFromAWaitByQuestions) {
  begin(1);
  for (const Nanoseconds at : {100U, 200U, 300U}) call(0, at, at + 10, kOther, kTest);
  call(0, 50'000, 50'010, kOther, kTest);
  call(0, 50'100, 50'200, kOther, kFinalize);
  EXPECT_EQ(lines(), "0 compute 49780");
}

TEST_F(Replays, ComputeFromTheFirstStateOfAPart) {
  begin(1);
  writer.state({0, 0, 100, 2});
  writer.state({0, 100, 300, 1});
  call(0, 300, 310, kCollective, kBarrier);
  EXPECT_EQ(lines(), "0 compute 200, 0 barrier");
}

TEST_F(Replays, TellWhatTheyLeaveOut) {
  begin(2);
  call(0, 0, 10, kIo, 143);
  call(0, 10, 20, kCollective, kBarrier, {0, 0, 0});
  call(0, 20, 30, kCollective, 174, {8, 8, 0});
  call(1, 0, 10, kP2p, kRecv);
  writer.communication({0, 3, 4, 1, 0, 10, 8, 1});
  EXPECT_EQ(lines(), "0 compute 10, 1 recv 0 0 8");
  EXPECT_EQ(writer.losses().other_calls, 1U);
  EXPECT_EQ(writer.losses().cut, 1U);
  EXPECT_EQ(writer.losses().left_out, 1U);
  EXPECT_EQ(writer.losses().unplaced, 1U);
  EXPECT_NE(out.str().find(R"(# {"other_calls":1,"left_out":1,"unplaced":1,"cut":1,"divided":0})"),
            std::string::npos);
}

TEST_F(Replays, AreRefusedWhereRanksDisagree) {
  begin(2);
  call(0, 0, 10, kCollective, kBarrier, {0, 0, 0});
  call(1, 0, 10, kCollective, kBcast, {0, 0, 0});
  EXPECT_EQ(lines(), "");
  EXPECT_NE(writer.status().error().what.find("disagree"), std::string::npos);
}

TEST_F(Replays, AreRefusedWhereSeveralThreadsCall) {
  Layout layout;
  layout.objects = {{0, 0, 0, 0, 0}, {0, 0, 1, 0, 0}};
  writer.begin(layout);
  call(0, 0, 10, kP2p, kSend);
  call(1, 0, 10, kP2p, kSend);
  EXPECT_EQ(lines(), "");
  EXPECT_NE(writer.status().error().what.find("several threads of rank 0"), std::string::npos);
}

}  // namespace
}  // namespace groma::trace
