#include "trace/merge/merge.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstring>
#include <fstream>
#include <random>

#include "base/exit_code.hpp"
#include "testing/any_logs.hpp"
#include "testing/cut_runs.hpp"
#include "testing/log_builder.hpp"
#include "testing/merge_fixture.hpp"
#include "trace/model/event_types.hpp"

namespace groma::trace {
namespace {

using groma::test::CallIndex;
using groma::test::LogBuilder;
using log::zigzag;

class MergeTest : public test::MergeFixture {
 protected:
  /// Rank 0 sends 40 bytes with tag 3 to rank 1.
  static LogBuilder sender() {
    LogBuilder log(0, 2);
    log.world().call(CallIndex::Send, 2000, 2500, {40, zigzag(1), zigzag(3), 1});
    return log;
  }
  static LogBuilder receiver() {
    LogBuilder log(1, 2);
    log.world().call(CallIndex::Recv, 1500, 3000, {64, zigzag(0), zigzag(3), 1});
    return log;
  }
};

TEST(EventTypes, KnowTheCollectivesThatBlock) {
  for (const log::CallInfo& call : log::kCalls) {
    const bool blocks = call.kind == log::Kind::collective;
    EXPECT_EQ(is_blocking_collective(kCollectiveType, call.value), blocks) << call.name;
    EXPECT_EQ(is_blocking_collective(kCollectiveType, call.value + kLargeCount), blocks) << call.name;
    EXPECT_FALSE(is_blocking_collective(kFirstCallType, call.value)) << call.name;
  }
}

/// The limit on open files, lower while this lives.
class FileLimitGuard {
 public:
  explicit FileLimitGuard(rlim_t most) {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit fewer = before_;
    fewer.rlim_cur = most;
    setrlimit(RLIMIT_NOFILE, &fewer);
  }
  FileLimitGuard(const FileLimitGuard&) = delete;
  FileLimitGuard& operator=(const FileLimitGuard&) = delete;
  FileLimitGuard(FileLimitGuard&&) = delete;
  FileLimitGuard& operator=(FileLimitGuard&&) = delete;
  ~FileLimitGuard() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(MergeTest, TakesMoreRanksThanAProcessMayOpenFiles) {
  constexpr std::uint32_t ranks = 1024;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    LogBuilder log(rank, ranks);
    const auto to = static_cast<std::int64_t>((rank + 1) % ranks);
    const auto from = static_cast<std::int64_t>((rank + ranks - 1) % ranks);
    log.world()
        .call(CallIndex::Send, 2000, 2500, {rank, zigzag(to), zigzag(3), 1})
        .call(CallIndex::Recv, 3000, 4000, {ranks, zigzag(from), zigzag(3), 1});
    log.write(folder);
  }
  const FileLimitGuard limit(64);
  const MergeSummary summary = merge();
  EXPECT_EQ(summary.logs, ranks);
  EXPECT_EQ(summary.matched, ranks);
  EXPECT_EQ(trace.layout.objects.size(), ranks);
  for (const Communication& one : trace.communications) {
    EXPECT_EQ(one.receiver, (one.sender + 1) % ranks);
    EXPECT_EQ(one.bytes, one.sender);
  }
}

TEST_F(MergeTest, GivesARankWithoutALogItsPlace) {
  LogBuilder log(2, 4);
  log.world().call(CallIndex::Barrier, 2000, 2500, {1});
  log.write(folder);
  const MergeSummary summary = merge();
  EXPECT_EQ(summary.missing.size(), 3U);
  ASSERT_EQ(trace.layout.objects.size(), 4U);
  ASSERT_EQ(trace.names.threads.size(), 4U);
  EXPECT_EQ(trace.names.threads[3], "THREAD 1.4.1");
  for (const Event& one : trace.events) EXPECT_EQ(one.object, 2U);
  const auto absent = std::count_if(trace.states.begin(), trace.states.end(), [&](const State& one) {
    return one.object != 2 && one.state == 2 && one.begin == 0 && one.end == summary.duration;
  });
  EXPECT_EQ(absent, 3);
}

TEST_F(MergeTest, MatchesASendWithItsReceive) {
  sender().write(folder);
  receiver().write(folder);
  const MergeSummary summary = merge();
  ASSERT_EQ(trace.communications.size(), 1U);
  const Communication& message = trace.communications[0];
  EXPECT_EQ(message.sender, 0U);
  EXPECT_EQ(message.receiver, 1U);
  EXPECT_EQ(message.logical_send, 1000U);
  EXPECT_EQ(message.physical_send, 1500U);
  EXPECT_EQ(message.logical_receive, 500U);
  EXPECT_EQ(message.physical_receive, 2000U);
  EXPECT_EQ(message.bytes, 40U) << "what was sent, not what the receive had room for";
  EXPECT_EQ(message.tag, 3U);
  EXPECT_EQ(summary.matrix.at({0, 1}).bytes, 40U);
  EXPECT_EQ(summary.unmatched_sends + summary.unmatched_receives, 0U);
}

TEST_F(MergeTest, CountsAtTheEndOfAThreadWhatGotNothingAfterItsLastCall) {
  LogBuilder log = sender();
  log.record({static_cast<std::uint64_t>(log::Head::misses), 70, 500, 0, 0, 0, 0, 0, 0}).write(folder);
  merge();
  const auto is_miss = [](const Event& one) { return one.type == kFirstMissType; };
  ASSERT_EQ(std::ranges::count_if(trace.events, is_miss), 1);
  EXPECT_EQ(std::ranges::find_if(trace.events, is_miss)->value, 70U);
  EXPECT_TRUE(trace.names.events.contains(kFirstMissType));
}

TEST_F(MergeTest, SaysOfHowManyRanksTheOthersFoundNoTracer) {
  for (const std::uint32_t rank : {1U, 2U}) {
    LogBuilder log(rank, 5);
    log.header.untraced = 3;
    log.world().write(folder);
  }
  EXPECT_EQ(merge().untraced, 3U) << "the same three in both logs";
}

TEST_F(MergeTest, NamesAllProgramsOfARun) {
  const auto ran = [this](std::uint32_t rank, const char* program) {
    LogBuilder log(rank, 7);
    std::strcpy(log.header.program.data(), program);  // NOLINT
    log.world().write(folder);
  };
  ran(0, "/bin/ocean");
  EXPECT_EQ(merge().program, "/bin/ocean");
  ran(1, "/bin/ocean");
  ran(2, "/opt/atmosphere");
  EXPECT_EQ(merge().program, "/bin/ocean, atmosphere");
  ran(3, "ice");
  ran(4, "/a/land");
  ran(5, "/b/land");
  ran(6, "/b/coupler");
  EXPECT_EQ(merge().program, "/bin/ocean, atmosphere, ice, land and 2 more");
}

TEST_F(MergeTest, SaysWhichRankHasNoLog) {
  sender().write(folder);
  const MergeSummary summary = merge();
  ASSERT_EQ(summary.missing.size(), 1U);
  EXPECT_EQ(summary.missing[0].second, 1U);
  EXPECT_EQ(summary.unmatched_sends, 1U);
  EXPECT_TRUE(trace.communications.empty()) << "a message without its receiver is not drawn";
}

TEST_F(MergeTest, ShowsTheCallInWhichAKilledRankWas) {
  LogBuilder log = receiver();
  log.header.progress = log::Progress::running;
  log.header.in_call = static_cast<std::uint64_t>(CallIndex::Barrier) + 1;
  log.header.entered = 4000;
  log.write(folder);
  sender().write(folder);
  const MergeSummary summary = merge();
  EXPECT_EQ(summary.threads[1].in_call, "Barrier");
  EXPECT_FALSE(summary.threads[1].finished);
  const bool entered = std::any_of(trace.events.begin(), trace.events.end(), [](const Event& one) {
    return one.object == 1 && one.time == 3000 && one.type == 50000002 && one.value == 8;
  });
  EXPECT_TRUE(entered);
}

TEST_F(MergeTest, RefusesLogsOfAnotherRun) {
  sender().write(folder);
  LogBuilder other = receiver();
  other.header.run = 8;
  other.header.begin.realtime -= 1;
  other.write(folder);
  const MergeSummary summary = merge();
  ASSERT_EQ(summary.refused.size(), 1U);
  EXPECT_NE(summary.refused[0].what.find("another run"), std::string::npos);
}

TEST_F(MergeTest, KeepsTheLogsOfARunBesideADamagedHeader) {
  sender().write(folder);
  receiver().write(folder);
  LogBuilder damaged(3, 4);
  damaged.header.run = 8;
  damaged.header.begin.realtime = ~std::uint64_t{0};
  damaged.write(folder);
  const MergeSummary summary = merge();
  EXPECT_EQ(summary.logs, 2U);
  ASSERT_EQ(summary.refused.size(), 1U);
  EXPECT_NE(summary.refused[0].what.find("3.log"), std::string::npos);
}

TEST_F(MergeTest, TakesOneLogOfEachThread) {
  sender().write(folder);
  std::filesystem::copy_file(folder / "0.log", folder / "copy.log");
  receiver().write(folder);
  const MergeSummary summary = merge();
  EXPECT_EQ(trace.communications.size(), 1U);
  ASSERT_EQ(summary.refused.size(), 1U);
  EXPECT_NE(summary.refused[0].what.find("has a log already"), std::string::npos);
}

TEST_F(MergeTest, CallsWhatIsNoFolderOfLogsAnErrorOfTheInput) {
  const auto of = [](const std::filesystem::path& path) {
    const auto refused = Merge::open(path);
    return refused ? kOk : code_of(refused.error());
  };
  EXPECT_EQ(of(folder / "none"), kUsage);
  EXPECT_EQ(of(folder), kUsage) << "no logs";
  std::ofstream(folder / "a.log") << "no log";
  EXPECT_EQ(of(folder), kUsage);
  EXPECT_EQ(of(folder / "a.log"), kUsage);
}

TEST_F(MergeTest, RefusesLogsOfAnotherVersion) {
  LogBuilder log = sender();
  log.header.calls ^= 1U;
  log.write(folder);
  const auto refused = Merge::open(folder);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "other-version");
  EXPECT_EQ(code_of(refused.error()), kUsage);
}

TEST_F(MergeTest, BringsClocksThatDriftOntoOneScale) {
  // The counter of rank 1's host has two ticks a nanosecond; it was compared twice.
  sender().write(folder);
  LogBuilder log(1, 2);
  std::strcpy(log.header.host.data(), "other");  // NOLINT
  log.header.syncs = 2;
  log.header.sync[0] = {1000, 1000, 3};
  log.header.sync[1] = {2'001'000, 1'001'000, 5};
  log.world().call(CallIndex::Recv, 2000, 5000, {64, zigzag(0), zigzag(3), 1});
  log.write(folder);
  const MergeSummary summary = merge();
  ASSERT_EQ(trace.communications.size(), 1U);
  EXPECT_NEAR(static_cast<double>(trace.communications[0].logical_receive), 500.0, 1.0);
  EXPECT_NEAR(static_cast<double>(trace.communications[0].physical_receive), 2000.0, 1.0);
  ASSERT_EQ(summary.hosts.size(), 2U);
  EXPECT_EQ(summary.hosts[1].alignment, Alignment::kMessages);
  EXPECT_GT(summary.hosts[1].error, 0.0);
  EXPECT_EQ(trace.values(kClockErrorType, 0), std::vector<std::uint64_t>{0});
  EXPECT_EQ(trace.values(kClockErrorType, 1), std::vector<std::uint64_t>{5}) << "the longer half trip";
}

TEST_F(MergeTest, KnowsNoEarlyMessagesBetweenClocksWithoutBounds) {
  LogBuilder(0, 2).world().call(CallIndex::Send, 5000, 6000, {64, zigzag(1), zigzag(3), 1}).write(folder);
  LogBuilder log(1, 2);
  std::strcpy(log.header.host.data(), "other");  // NOLINT
  log.header.syncs = 2;
  log.world().call(CallIndex::Recv, 2000, 3000, {64, zigzag(0), zigzag(3), 1});
  for (const auto& [half_trip, early] : {std::pair(std::uint64_t{3}, 1U), std::pair(~std::uint64_t{0}, 0U)}) {
    log.header.sync[0] = {1000, 1000, half_trip};
    log.header.sync[1] = {1'001'000, 1'001'000, half_trip};
    log.write(folder);
    EXPECT_EQ(merge().early, early);
  }
}

TEST_F(MergeTest, HasTheCostOfTheTracerAtTheBeginOfEachThread) {
  LogBuilder log = sender();
  log.header.cost = 256 * 30;
  log.header.cost_inside = 256 * 20 + 64;
  log.write(folder);
  merge();
  EXPECT_EQ(trace.values(kCallCostType, 0), std::vector<std::uint64_t>{30'000});
  EXPECT_EQ(trace.values(kCallCostInsideType, 0), std::vector<std::uint64_t>{20'250});
  EXPECT_TRUE(trace.names.events.contains(kCallCostInsideType));
}

/// Paraver numbers tasks with 16 bits unless it is built otherwise; the format has no such limit.
TEST_F(MergeTest, NumbersRanksBeyondSixteenBits) {
  constexpr std::uint32_t ranks = 70'000;
  LogBuilder(ranks - 2, ranks)
      .world()
      .call(CallIndex::Send, 1100, 1500, {40, zigzag(ranks - 1), zigzag(3), 1})
      .write(folder);
  LogBuilder(ranks - 1, ranks)
      .world()
      .call(CallIndex::Recv, 1100, 1600, {64, zigzag(ranks - 2), zigzag(3), 1})
      .write(folder);
  const MergeSummary summary = merge();
  EXPECT_EQ(summary.ranks, std::vector<std::uint32_t>{ranks});
  ASSERT_EQ(trace.layout.objects.size(), ranks);
  ASSERT_EQ(trace.communications.size(), 1U);
  EXPECT_EQ(trace.layout.objects[trace.communications[0].sender].task, ranks - 2);
  EXPECT_EQ(trace.layout.objects[trace.communications[0].receiver].task, ranks - 1);
}

TEST_F(MergeTest, ReadsWhatThereIsOfALogThatWasCutAnywhere) {
  receiver().write(folder);
  const auto whole = sender().bytes();
  for (std::size_t length = 0; length < whole.size(); length += length < log::kHeaderBytes ? 512 : 1) {
    std::ofstream(folder / "0.log", std::ios::binary)
        .write(whole.data(), static_cast<std::streamsize>(length));
    test::TraceInMemory fresh;
    const MergeSummary summary = merge_into(fresh);
    EXPECT_EQ(summary.logs + summary.refused.size(), 2U);
  }
}

TEST_F(MergeTest, ReadsLogsOfEveryCallAndKindOfRecord) {
  const std::string logs = test::logs_of_all_calls();
  EXPECT_TRUE(test::are_merged_or_refused(logs, folder));
  EXPECT_TRUE(Merge::open(folder));
}

/// Found by fuzzing: products that no number holds, and more members than memory.
TEST_F(MergeTest, PassesOverCommunicatorsThatAreAbsurd) {
  LogBuilder log(0, 2);
  constexpr std::uint64_t much = std::uint64_t{1} << 62U;
  log.world().record({static_cast<std::uint64_t>(log::Head::communicator), 2, 0});
  log.record({static_cast<std::uint64_t>(log::Head::members), 0, zigzag(1), much, much});
  log.call(CallIndex::Send, 2000, 2500, {40, zigzag(3), zigzag(3), 2}).write(folder);
  merge();
  for (const Communicator& one : trace.layout.communicators) EXPECT_LE(one.tasks.size(), 2U);
}

/// Found by fuzzing: a clock that leads beyond all times.
TEST_F(MergeTest, EndsTimesThatAreAbsurd) {
  LogBuilder log = sender();
  log.header.latest = {2000, 5'000'000'000, ~std::uint64_t{0}};
  log.write(folder);
  const MergeSummary summary = merge();
  EXPECT_LE(summary.duration, std::uint64_t{1} << 62U);
}

TEST_F(MergeTest, SurvivesAnyDamage) {
  std::mt19937 random(1);
  const auto whole = sender().bytes();
  receiver().write(folder);
  for (int i = 0; i < 2000; ++i) {
    auto damaged = whole;
    for (int j = 0; j < 3; ++j) {
      // Most of the header is text and samples; the records are what a reader can stumble over.
      const std::size_t from = j == 0 ? 0 : log::kHeaderBytes;
      damaged[from + random() % (damaged.size() - from)] = static_cast<char>(random());
    }
    std::ofstream(folder / "0.log", std::ios::binary)
        .write(damaged.data(), static_cast<std::streamsize>(damaged.size()));
    test::TraceInMemory fresh;
    auto merge = Merge::open(folder);
    if (merge) static_cast<void>(merge.value().run(fresh, folder));
  }
}

/// As many as the merge keeps between two calls.
TEST_F(MergeTest, ShowsThatAThreadRunsAfterManyValues) {
  LogBuilder log(0, 1);
  log.world().record({static_cast<std::uint64_t>(log::Head::name), 0, 'v'});
  for (int i = 0; i < 4096; ++i) log.record({static_cast<std::uint64_t>(log::Head::value), 1, 0, 7});
  log.header.progress = log::Progress::running;
  log.write(folder);
  const MergeSummary summary = merge();
  Nanoseconds running = 0;
  for (const State& one : trace.states) running += one.end - one.begin;
  EXPECT_EQ(running, summary.duration);
}

TEST_F(MergeTest, WritesNamesOfRegionsOnOneLine) {
  LogBuilder log(0, 1);
  log.world();
  std::vector<std::uint64_t> name{static_cast<std::uint64_t>(log::Head::name), 0};
  for (const char letter : std::string("two\nlines")) name.push_back(static_cast<std::uint64_t>(letter));
  log.record(name).record({static_cast<std::uint64_t>(log::Head::region), 10, 0, 1});
  log.write(folder);
  merge();
  const auto& values = trace.names.events.at(90000000).values;
  EXPECT_EQ(values.at(1), "two\\x0alines");
}

TEST_F(MergeTest, GivesCollectivesOfIntercommunicatorsTheirBytes) {
  LogBuilder log(0, 2);
  log.world();
  const std::uint64_t root = zigzag(log::kIntercommRoot);
  log.call(CallIndex::Bcast, 2000, 2500, {44, root, 1}).call(CallIndex::Reduce, 3000, 3500, {52, root, 1});
  log.call(CallIndex::Reduce_scatter, 4000, 4500, {24, 8, 1});
  log.write(folder);
  merge();
  EXPECT_EQ(trace.values(50100001, 0), (std::vector<std::uint64_t>{44, 0, 24}));
  EXPECT_EQ(trace.values(50100002, 0), (std::vector<std::uint64_t>{0, 52, 8}));
}

/// From the begin of the trace on, what was kept on disk is lost.
class CuttingSink final : public Sink {
 public:
  void begin(const Layout& /*layout*/) override { cut = groma::test::cut_sorted_runs(); }
  void state(const State& /*state*/) override {}
  void event(const Event& /*event*/) override {}
  void communication(const Communication& /*message*/) override {}
  void end(const Names& /*names*/) override { ended = true; }

  std::size_t cut = 0;
  bool ended = false;
};

TEST_F(MergeTest, EndsNoTraceOfWhichMessagesAreLost) {
  constexpr std::uint32_t ranks = 20;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    LogBuilder log(rank, ranks);
    log.world();
    for (std::uint64_t i = 0; i < 15'000; ++i) {
      log.call(CallIndex::Sendrecv, 2000 + 10 * i, 2005 + 10 * i,
               {40, zigzag(rank), zigzag(3), 40, zigzag(rank), zigzag(3), 1});
    }
    log.write(folder);
  }
  CuttingSink sink;
  const auto summary = Merge::open(folder).value().run(sink, folder);
  EXPECT_GT(sink.cut, 0U);
  ASSERT_FALSE(summary);
  EXPECT_EQ(summary.error().code, "unreadable");
  EXPECT_FALSE(sink.ended);
}

/// A log of one of two ranks whose communicators 2 and 3 have its ranks as MPI_COMM_WORLD has.
class DuplicatingLog : public LogBuilder {
 public:
  explicit DuplicatingLog(std::uint32_t rank) : LogBuilder(rank, 2) { world(); }
  /// A communicator of both ranks.
  DuplicatingLog& definition(std::uint64_t id) {
    record({static_cast<std::uint64_t>(log::Head::communicator), id, 0});
    record({static_cast<std::uint64_t>(log::Head::members), 0, zigzag(0), zigzag(1), 2});
    return *this;
  }
  DuplicatingLog& duplicate(std::uint64_t of, std::uint64_t id, std::uint64_t entered) {
    definition(id).call(CallIndex::Comm_dup, entered, entered + 5, {of, id});
    return *this;
  }
};

TEST_F(MergeTest, TellsCommunicatorsOfTheSameRanksByWhatTheyWereMadeFrom) {
  DuplicatingLog one(0);
  one.duplicate(1, 2, 1100).duplicate(1, 3, 1200).duplicate(2, 4, 1300).duplicate(3, 5, 1400);
  one.call(CallIndex::Send, 2000, 2010, {111, zigzag(1), zigzag(0), 4});
  one.call(CallIndex::Send, 3000, 3010, {222, zigzag(1), zigzag(0), 5});
  DuplicatingLog other(1);
  other.duplicate(1, 2, 1100).duplicate(1, 3, 1200).duplicate(3, 4, 1300).duplicate(2, 5, 1400);
  other.call(CallIndex::Recv, 1900, 2100, {999, zigzag(0), zigzag(0), 5});
  other.call(CallIndex::Recv, 2900, 3100, {999, zigzag(0), zigzag(0), 4});
  one.write(folder);
  other.write(folder);
  const MergeSummary summary = merge();
  EXPECT_EQ(summary.early, 0U);
  ASSERT_EQ(trace.communications.size(), 2U);
  for (const Communication& message : trace.communications) {
    EXPECT_EQ(message.physical_receive, message.logical_send + 100);
  }
}

TEST_F(MergeTest, CountsCommunicatorsOfThreadsInTheOrderOfTheirCalls) {
  // Of rank 0, thread 0 makes communicator 3 after thread 1 has made communicator 2.
  DuplicatingLog first(0);
  first.duplicate(1, 3, 1300);
  first.call(CallIndex::Send, 2000, 2010, {222, zigzag(1), zigzag(0), 3});
  LogBuilder second(0, 2);
  second.header.thread = 1;
  second.record({static_cast<std::uint64_t>(log::Head::communicator), 2, 0});
  second.record({static_cast<std::uint64_t>(log::Head::members), 0, zigzag(0), zigzag(1), 2});
  second.call(CallIndex::Comm_dup, 1100, 1105, {1, 2});
  second.call(CallIndex::Send, 3000, 3010, {111, zigzag(1), zigzag(0), 2});
  DuplicatingLog other(1);
  other.duplicate(1, 2, 1100).duplicate(1, 3, 1300);
  other.call(CallIndex::Recv, 1900, 2100, {999, zigzag(0), zigzag(0), 3});
  other.call(CallIndex::Recv, 2900, 3100, {999, zigzag(0), zigzag(0), 2});
  first.write(folder);
  other.write(folder);
  std::filesystem::create_directory(folder / "thread");
  second.write(folder / "thread");
  std::filesystem::rename(folder / "thread" / "0.log", folder / "0-1.log");
  const MergeSummary summary = merge();
  EXPECT_EQ(summary.matched, 2U);
  EXPECT_EQ(summary.early, 0U);
}

TEST_F(MergeTest, MatchesSidesOfAnIntercommunicatorThatTheyMadeFromCommunicatorsOfTheirOwn) {
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    LogBuilder log(rank, 2);
    log.world();
    log.record({static_cast<std::uint64_t>(trace::log::Head::communicator), 2, 0});
    log.record({static_cast<std::uint64_t>(trace::log::Head::members), 0, zigzag(rank), zigzag(1), 1});
    log.call(CallIndex::Comm_split, 1100, 1105, {1, 2});
    log.record({static_cast<std::uint64_t>(trace::log::Head::communicator), 3, 1});
    log.record({static_cast<std::uint64_t>(trace::log::Head::members), 0, zigzag(rank), zigzag(1), 1});
    log.record({static_cast<std::uint64_t>(trace::log::Head::members), 1, zigzag(1 - rank), zigzag(1), 1});
    log.call(CallIndex::Intercomm_create, 1200, 1205, {2, 3});
    if (rank == 0) {
      log.call(CallIndex::Send, 2000, 2010, {40, zigzag(0), zigzag(0), 3});
    } else {
      log.call(CallIndex::Recv, 1900, 2100, {64, zigzag(0), zigzag(0), 3});
    }
    log.write(folder);
  }
  EXPECT_EQ(merge().matched, 1U);
}

TEST_F(MergeTest, CountsMessagesThatArriveBeforeTheyAreSent) {
  sender().write(folder);
  LogBuilder early(1, 2);
  early.world().call(CallIndex::Recv, 1500, 1999, {64, zigzag(0), zigzag(3), 1});
  early.write(folder);
  EXPECT_EQ(merge().early, 1U);
  receiver().write(folder);
  EXPECT_EQ(merge().early, 0U);
}

TEST_F(MergeTest, CountsNoBytesOfOneSidedCallsToNoProcess) {
  LogBuilder log(0, 2);
  log.world();
  log.call(CallIndex::Put, 2000, 2500, {12, zigzag(log::kProcessNull)});
  log.call(CallIndex::Put, 3000, 3500, {8, zigzag(1)});
  log.write(folder);
  merge();
  EXPECT_EQ(trace.values(50000004, 0), (std::vector<std::uint64_t>{65, 0, 65, 0}));
  EXPECT_EQ(trace.values(50001000, 0), (std::vector<std::uint64_t>{8}));
  EXPECT_EQ(trace.values(50001001, 0), (std::vector<std::uint64_t>{1}));
}

}  // namespace
}  // namespace groma::trace
