// Which messages a merge finds, of calls that were lost, handles that are used anew and requests without an
// end.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "testing/log_builder.hpp"
#include "testing/merge_fixture.hpp"

namespace groma::trace {
namespace {

using groma::test::CallIndex;
using groma::test::LogBuilder;
using log::zigzag;

std::vector<std::uint64_t> sends(std::uint64_t bytes) {
  return {bytes, zigzag(1), zigzag(3), 1};
}

/// Rank 0 of 2, which sends so many messages, one after each `interval`, from `begin` on.
LogBuilder sender_of(std::uint64_t messages, std::uint64_t begin, std::uint64_t interval) {
  LogBuilder sender(0, 2);
  sender.world();
  for (std::uint64_t i = 1; i <= messages; ++i) {
    const std::uint64_t entered = begin + interval * i;
    sender.call(CallIndex::Send, entered, entered + interval / 2, sends(i));
  }
  return sender;
}

class MatchingTest : public test::MergeFixture {};

/// A log whose oldest calls after the first chunk were replaced by newer ones. The first chunk ends at 10,000
/// ticks, the newer one begins at 50,000.
class GappedLog {
 public:
  GappedLog(std::uint32_t rank, std::uint32_t ranks) : before(rank, ranks), after_(rank, ranks) {
    before.world();
  }
  /// A call after the gap.
  GappedLog& call(CallIndex index, std::uint64_t entered, std::uint64_t left,
                  const std::vector<std::uint64_t>& fields) {
    constexpr std::uint64_t shift = 49'000;  // builders count from 1000
    after_.call(index, entered - shift, left - shift, fields);
    return *this;
  }
  /// A record after the gap.
  GappedLog& record(const std::vector<std::uint64_t>& numbers) {
    after_.record(numbers);
    return *this;
  }
  void write(const std::filesystem::path& folder) {
    before.header.when_full = log::WhenFull::newest;
    std::vector<char> all = before.bytes();
    all.resize(log::kHeaderBytes + log::kChunkBytes);
    const std::vector<char> newer = after_.bytes();
    all.insert(all.end(), newer.begin() + log::kHeaderBytes, newer.end());
    const log::ChunkHeader head{9, 50'000};
    std::memcpy(all.data() + log::kHeaderBytes + log::kChunkBytes, &head, sizeof head);
    std::ofstream(folder / (std::to_string(before.header.rank) + ".log"), std::ios::binary)
        .write(all.data(), static_cast<std::streamsize>(all.size()));
  }
  LogBuilder before;

 private:
  LogBuilder after_;
};

const std::vector<std::uint64_t> kReceives{64, zigzag(0), zigzag(3), 1};

/// Bytes of the messages and the ends of their receives.
std::vector<std::pair<std::uint64_t, Nanoseconds>> matched(const test::TraceInMemory& trace) {
  std::vector<std::pair<std::uint64_t, Nanoseconds>> found;
  for (const Communication& one : trace.communications) found.emplace_back(one.bytes, one.physical_receive);
  return found;
}

TEST_F(MatchingTest, CountsMessagesAfterAGapFromTheEnd) {
  GappedLog sender(0, 2);  // sends 1, and after the gap 8 and 9; 2 to 7 are lost
  sender.before.call(CallIndex::Send, 2000, 2500, sends(1));
  sender.call(CallIndex::Send, 60'000, 60'500, sends(8)).call(CallIndex::Send, 70'000, 70'500, sends(9));
  sender.write(folder);
  GappedLog receiver(1, 2);  // receives 1 and 2, and after the gap 9
  receiver.before.call(CallIndex::Recv, 2000, 3000, kReceives).call(CallIndex::Recv, 3100, 3500, kReceives);
  receiver.call(CallIndex::Recv, 80'000, 81'000, kReceives);
  receiver.write(folder);
  const MergeSummary summary = merge();
  EXPECT_EQ(matched(trace), (std::vector<std::pair<std::uint64_t, Nanoseconds>>{{1, 2000}, {9, 80'000}}));
  EXPECT_EQ(summary.left_out, 2U) << "the receive of 2 and the message 8";
  EXPECT_EQ(summary.unmatched_sends + summary.unmatched_receives, 0U);
}

TEST_F(MatchingTest, KnowsRegionsWhoseFirstNamesWereReplaced) {
  constexpr auto name = static_cast<std::uint64_t>(log::Head::name);
  constexpr auto region = static_cast<std::uint64_t>(log::Head::region);
  GappedLog log(0, 1);
  log.before.record({name, 0, 'a'});
  log.record({name, 2, 'c'}).record({region, 0, 2, 1});
  log.call(CallIndex::Barrier, 60'000, 61'000, {1}).record({region, 0, 2, 0});
  log.record({name, 0, 'a'}).record({region, 0, 0, 1}).call(CallIndex::Barrier, 62'000, 63'000, {1});
  log.write(folder);
  const MergeSummary summary = merge();
  EXPECT_EQ(summary.calls, 2U);
  EXPECT_EQ(summary.threads[0].damaged, 1U) << "the first chunk, which is not full";
  const auto& regions = trace.names.events.at(90000000).values;
  const std::vector<std::uint64_t> values = trace.values(90000000, 0);
  ASSERT_EQ(values.size(), 3U);
  EXPECT_EQ(regions.at(values[0]), "c");
  EXPECT_EQ(values[1], 0U);
  EXPECT_EQ(regions.at(values[2]), "a");
}

TEST_F(MatchingTest, KnowsHowManyMessagesAreLostWhereOneSideHasAll) {
  sender_of(9, 0, 2000).write(folder);
  GappedLog receiver(1, 2);
  receiver.before.call(CallIndex::Recv, 2000, 3000, kReceives).call(CallIndex::Recv, 3100, 5000, kReceives);
  receiver.call(CallIndex::Recv, 60'000, 61'000, kReceives).call(CallIndex::Recv, 80'000, 81'000, kReceives);
  receiver.write(folder);
  const MergeSummary summary = merge();
  EXPECT_EQ(matched(trace), (std::vector<std::pair<std::uint64_t, Nanoseconds>>{
                                {1, 2000}, {2, 4000}, {8, 60'000}, {9, 80'000}}));
  EXPECT_EQ(summary.left_out, 5U);
}

TEST_F(MatchingTest, LeavesOutMessagesAfterAGapOfAProgramThatWasKilled) {
  LogBuilder sender = sender_of(9, 0, 2000);
  sender.header.progress = log::Progress::running;
  sender.write(folder);
  GappedLog receiver(1, 2);
  receiver.before.call(CallIndex::Recv, 2000, 3000, kReceives);
  receiver.call(CallIndex::Recv, 60'000, 61'000, kReceives);
  receiver.write(folder);
  const MergeSummary summary = merge();
  EXPECT_EQ(matched(trace), (std::vector<std::pair<std::uint64_t, Nanoseconds>>{{1, 2000}}));
  EXPECT_EQ(summary.left_out, 9U);
}

TEST_F(MatchingTest, GivesAHandleThatIsUsedAnewToTheThreadThatMadeItsRequest) {
  LogBuilder sender(0, 2);
  sender.world().call(CallIndex::Send, 1500, 1600, {1, zigzag(1), zigzag(3), 1});
  sender.call(CallIndex::Send, 1700, 1800, {2, zigzag(1), zigzag(4), 1});
  sender.write(folder);
  const std::uint64_t handle = 77;
  const auto wait = static_cast<std::uint64_t>(log::Head::requests);
  // The wait of the first thread has freed the handle, and has not returned yet.
  LogBuilder first(1, 2);
  first.world().call(CallIndex::Irecv, 2000, 2100, {64, zigzag(0), zigzag(3), 1, zigzag(handle)});
  first.record({wait, 0, 0}).call(CallIndex::Wait, 2200, 9000, {});
  first.write(folder);
  LogBuilder second(1, 2);
  second.header.thread = 1;
  second.call(CallIndex::Irecv, 3000, 3100, {64, zigzag(0), zigzag(4), 1, zigzag(handle)});
  second.record({wait, 0, 0}).call(CallIndex::Wait, 3200, 4000, {});
  std::filesystem::create_directory(folder / "second");
  second.write(folder / "second");
  std::filesystem::rename(folder / "second" / "1.log", folder / "2.log");
  std::filesystem::remove(folder / "second");
  merge();
  EXPECT_EQ(matched(trace), (std::vector<std::pair<std::uint64_t, Nanoseconds>>{{1, 8000}, {2, 3000}}));
}

TEST_F(MatchingTest, LetsARequestOfWhichNobodySawTheEndTakeItsMessage) {
  sender_of(2, 1000, 100).write(folder);
  LogBuilder receiver(1, 2);
  const auto wait = static_cast<std::uint64_t>(log::Head::requests);
  receiver.world().call(CallIndex::Irecv, 2000, 2100, {64, zigzag(0), zigzag(3), 1, zigzag(77)});
  receiver.call(CallIndex::Irecv, 3000, 3100, {64, zigzag(0), zigzag(3), 1, 0});
  receiver.record({wait, 0, 0}).call(CallIndex::Wait, 3200, 4000, {});
  receiver.write(folder);
  merge();
  EXPECT_EQ(matched(trace), (std::vector<std::pair<std::uint64_t, Nanoseconds>>{{2, 3000}}));
}

/// Rank 0 starts a message, asks to cancel it and ends it so; then it sends another one, which rank 1
/// receives.
class CancellingTest : public MatchingTest {
 protected:
  MergeSummary merge_ended_by(CallIndex end, const std::vector<std::uint64_t>& mark) {
    LogBuilder sender(0, 2);
    sender.world().call(CallIndex::Isend, 2000, 2100, {100, zigzag(1), zigzag(3), 1, zigzag(77)});
    sender.call(CallIndex::Cancel, 2200, 2300, {0});
    if (!mark.empty()) sender.record(mark);
    sender.call(end, 2400, 2500, mark.empty() ? std::vector<std::uint64_t>{0} : std::vector<std::uint64_t>{});
    sender.call(CallIndex::Send, 3000, 3100, sends(7));
    sender.write(folder);
    LogBuilder receiver(1, 2);
    receiver.world().call(CallIndex::Recv, 2000, 4000, kReceives);
    receiver.write(folder);
    return merge();
  }
  static constexpr auto kRequests = static_cast<std::uint64_t>(log::Head::requests);
};

TEST_F(CancellingTest, CountsNoMessageThatWasCancelled) {
  const auto cancelled = static_cast<std::uint64_t>(log::Completion::cancelled);
  const MergeSummary summary = merge_ended_by(CallIndex::Wait, {kRequests, 0, cancelled});
  EXPECT_EQ(matched(trace), (std::vector<std::pair<std::uint64_t, Nanoseconds>>{{7, 3000}}));
  EXPECT_EQ(summary.unmatched_sends + summary.unmatched_receives, 0U);
  ASSERT_EQ(summary.matrix.size(), 1U);
  EXPECT_EQ(summary.matrix.begin()->second.bytes, 7U);
  EXPECT_EQ(summary.matrix.begin()->second.messages, 1U);
}

TEST_F(CancellingTest, CountsAMessageThatWasReceivedBeforeItCouldBeCancelled) {
  const MergeSummary summary = merge_ended_by(CallIndex::Wait, {kRequests, 0, 0});
  EXPECT_EQ(matched(trace), (std::vector<std::pair<std::uint64_t, Nanoseconds>>{{100, 3000}}));
  EXPECT_EQ(summary.unmatched_sends, 1U);
}

TEST_F(CancellingTest, TakesAMessageAsCancelledIfTheProgramDoesNotWaitToLearnIt) {
  merge_ended_by(CallIndex::Request_free, {});
  EXPECT_EQ(matched(trace), (std::vector<std::pair<std::uint64_t, Nanoseconds>>{{7, 3000}}));
}

/// As after MPI_Comm_spawn and MPI_Intercomm_merge: the parent comes first.
TEST_F(MatchingTest, FindsMessagesWithinAWorldWhereACommunicatorBeginsWithARankOfAnotherOne) {
  const auto with_parent = [](LogBuilder& rank) {
    rank.world().record({static_cast<std::uint64_t>(log::Head::communicator), 3, 0});
    rank.record({static_cast<std::uint64_t>(log::Head::members), 0, zigzag(-1), zigzag(1), 3});
  };
  LogBuilder sender(0, 2);
  with_parent(sender);
  sender.call(CallIndex::Send, 2000, 2100, {5, zigzag(2), zigzag(3), 3});
  sender.call(CallIndex::Send, 2200, 2300, {6, zigzag(0), zigzag(3), 3});
  sender.write(folder);
  LogBuilder receiver(1, 2);
  with_parent(receiver);
  receiver.call(CallIndex::Recv, 2000, 4000, {64, zigzag(1), zigzag(3), 3});
  receiver.write(folder);
  const MergeSummary summary = merge();
  EXPECT_EQ(matched(trace), (std::vector<std::pair<std::uint64_t, Nanoseconds>>{{5, 3000}}));
  EXPECT_EQ(summary.unmatched_sends, 0U) << "there are no messages to the parent";
}

/// Rank 1 of 2, which posts a receive from any source and gets two messages of rank 0 after it.
LogBuilder receiver_behind_any() {
  LogBuilder receiver(1, 2);
  receiver.world().call(CallIndex::Irecv, 2000, 2100, {64, zigzag(log::kAny), zigzag(3), 1, zigzag(77)});
  return receiver;
}

TEST_F(MatchingTest, GivesMessagesBehindAReceiveFromAnySourceThatWasFreedToTheirReceives) {
  sender_of(3, 2000, 100).write(folder);
  LogBuilder receiver = receiver_behind_any();
  receiver.call(CallIndex::Request_free, 2200, 2300, {0});
  receiver.call(CallIndex::Recv, 3000, 4000, kReceives).call(CallIndex::Recv, 4100, 5000, kReceives);
  receiver.write(folder);
  const MergeSummary summary = merge();
  EXPECT_EQ(matched(trace),
            (std::vector<std::pair<std::uint64_t, Nanoseconds>>{{1, 1300}, {2, 3000}, {3, 4000}}));
  EXPECT_EQ(summary.undetermined, 0U);
}

TEST_F(MatchingTest, GivesMessagesBehindAReceiveFromAnySourceOfAKilledProgramToTheirReceives) {
  sender_of(3, 2000, 100).write(folder);
  LogBuilder receiver = receiver_behind_any();
  receiver.call(CallIndex::Recv, 3000, 4000, kReceives).call(CallIndex::Recv, 4100, 5000, kReceives);
  receiver.header.progress = log::Progress::running;
  receiver.write(folder);
  merge();
  EXPECT_EQ(matched(trace), (std::vector<std::pair<std::uint64_t, Nanoseconds>>{{2, 3000}, {3, 4000}}));
}

TEST_F(MatchingTest, CountsReceivesOfWhichNothingTellsWhatTheyGotBecauseARankWasKilledInASend) {
  LogBuilder sender = sender_of(3, 2000, 100);
  sender.header.progress = log::Progress::running;
  sender.header.in_call = static_cast<std::uint64_t>(CallIndex::Send) + 1;
  sender.header.entered = 3000;
  sender.write(folder);
  LogBuilder receiver = receiver_behind_any();
  receiver.call(CallIndex::Recv, 3000, 4000, kReceives).call(CallIndex::Recv, 4100, 5000, kReceives);
  receiver.write(folder);
  const MergeSummary summary = merge();
  EXPECT_TRUE(matched(trace).empty());
  EXPECT_EQ(summary.undetermined, 2U);
}

TEST_F(MatchingTest, LeavesOutMessagesBehindAnUnseenReceiveBeforeAGap) {
  sender_of(9, 0, 2000).write(folder);
  GappedLog receiver(1, 2);
  receiver.before.call(CallIndex::Irecv, 2000, 2100, {64, zigzag(log::kAny), zigzag(3), 1, zigzag(77)});
  receiver.before.call(CallIndex::Recv, 3100, 7000, kReceives);
  receiver.call(CallIndex::Recv, 60'000, 61'000, kReceives).call(CallIndex::Recv, 80'000, 81'000, kReceives);
  receiver.write(folder);
  merge();
  EXPECT_EQ(matched(trace), (std::vector<std::pair<std::uint64_t, Nanoseconds>>{{8, 60'000}, {9, 80'000}}));
}

TEST_F(MatchingTest, GivesAMessageToTheThreadThatSeesItArrive) {
  sender_of(1, 2000, 100).write(folder);
  LogBuilder first(1, 2);
  first.world().call(CallIndex::Irecv, 2000, 2100, {64, zigzag(0), zigzag(3), 1, zigzag(77)});
  first.write(folder);
  std::filesystem::rename(folder / "1.log", folder / "first.log");
  LogBuilder second(1, 2);
  second.header.thread = 1;
  second.record({static_cast<std::uint64_t>(log::Head::requests), zigzag(77), 0});
  second.call(CallIndex::Wait, 3000, 4000, {});
  second.write(folder);
  merge();
  ASSERT_EQ(trace.communications.size(), 1U);
  EXPECT_EQ(trace.layout.objects[trace.communications[0].receiver].thread, 1U);
  EXPECT_EQ(trace.communications[0].logical_receive, 1100U);
}

TEST_F(MatchingTest, GivesAFreedReceiveItsMessageNotBeforeItWasSent) {
  sender_of(2, 5000, 100).write(folder);
  LogBuilder receiver(1, 2);
  receiver.world();
  for (const std::uint64_t freed : {3000U, 9000U}) {
    receiver.call(CallIndex::Irecv, freed - 900, freed - 800, {64, zigzag(0), zigzag(3), 1, zigzag(0)});
    receiver.call(CallIndex::Request_free, freed - 100, freed, {zigzag(0)});
  }
  receiver.write(folder);
  merge();
  EXPECT_EQ(matched(trace), (std::vector<std::pair<std::uint64_t, Nanoseconds>>{{1, 4150}, {2, 8000}}));
}

}  // namespace
}  // namespace groma::trace
