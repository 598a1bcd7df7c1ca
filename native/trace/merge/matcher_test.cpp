#include "trace/merge/matcher.hpp"

#include <gtest/gtest.h>

namespace groma::trace {
namespace {

constexpr MessageClass kToOne{0, 0, 1, 5, false};
constexpr MessageClass kOtherTag{0, 0, 1, 6, false};
constexpr MessageClass kFromAny{0, kAnySource, 1, 5, false};
constexpr MessageClass kOfAnyTag{0, 0, 1, log::kAny, false};

class MatcherTest : public ::testing::Test {
 protected:
  /// Bytes tell the messages apart.
  void send(const MessageClass& to, std::uint64_t bytes) { matcher.send(to, {0, 10, 20, bytes}); }
  std::vector<std::pair<std::uint64_t, Nanoseconds>> matched;  ///< bytes and the end of the receive
  Matcher matcher{
      [this](const Communication& one) { matched.emplace_back(one.bytes, one.physical_receive); }};
};

TEST_F(MatcherTest, GivesTheFirstMessageToTheReceiveThatWasPostedFirst) {
  const ReceiveId first = matcher.post(kToOne, 1, 1);
  const ReceiveId second = matcher.post(kToOne, 1, 2);
  send(kToOne, 100);
  send(kToOne, 200);
  matcher.complete(second, 50);
  EXPECT_TRUE(matched.empty()) << "the first message belongs to the receive that is not complete yet";
  matcher.complete(first, 60);
  const std::vector<std::pair<std::uint64_t, Nanoseconds>> expected{{100, 60}, {200, 50}};
  EXPECT_EQ(matched, expected);
}

TEST_F(MatcherTest, TakesAMessageThatIsKnownAfterItsReceive) {
  matcher.complete(matcher.post(kToOne, 1, 1), 40);
  send(kToOne, 100);
  ASSERT_EQ(matched.size(), 1U);
  EXPECT_EQ(matched[0].second, 40U);
}

TEST_F(MatcherTest, LetsAReceiveOfAnyTagTakeItsTurn) {
  const ReceiveId any = matcher.post_any(kOfAnyTag, 1, 1);
  const ReceiveId named = matcher.post(kToOne, 1, 2);
  send(kToOne, 100);
  send(kToOne, 200);
  matcher.complete(named, 50);
  EXPECT_TRUE(matched.empty())
      << "the receive of any tag was posted first and may have got the first message";
  matcher.complete_any(any, kToOne, 60);
  const std::vector<std::pair<std::uint64_t, Nanoseconds>> expected{{100, 60}, {200, 50}};
  EXPECT_EQ(matched, expected);
}

TEST_F(MatcherTest, FreesReceivesBehindOneOfAnyTagThatGotAnotherTag) {
  const ReceiveId any = matcher.post_any(kOfAnyTag, 1, 1);
  const ReceiveId named = matcher.post(kToOne, 1, 2);
  send(kToOne, 100);
  send(kOtherTag, 200);
  matcher.complete(named, 50);
  matcher.complete_any(any, kOtherTag, 60);
  EXPECT_EQ(matched.size(), 2U);
  EXPECT_EQ(matcher.unmatched().sent + matcher.unmatched().received, 0U);
}

TEST_F(MatcherTest, GivesNothingToACancelledReceive) {
  const ReceiveId cancelled = matcher.post(kToOne, 1, 1);
  const ReceiveId next = matcher.post(kToOne, 1, 2);
  matcher.abandon(cancelled);
  send(kToOne, 100);
  matcher.complete(next, 70);
  ASSERT_EQ(matched.size(), 1U);
  EXPECT_EQ(matched[0].second, 70U);
}

/// Three messages, of which the program asks to cancel the second.
class CancelledSendTest : public MatcherTest {
 protected:
  CancelledSendTest() {
    for (const std::uint64_t id : {1U, 2U, 3U}) matcher.send(kToOne, {0, 10, 20, 100 * id, id});
    matcher.doubt(kToOne, 2);
    matcher.complete(matcher.post(kToOne, 1, 1), 50);
    matcher.complete(matcher.post(kToOne, 1, 2), 60);
  }
};

TEST_F(CancelledSendTest, WaitsUntilItIsKnownWhatBecameOfIt) {
  const std::vector<std::pair<std::uint64_t, Nanoseconds>> expected{{100, 50}};
  EXPECT_EQ(matched, expected);
}

TEST_F(CancelledSendTest, GivesTheNextMessageToTheReceiveOfOneThatWasCancelled) {
  matcher.withdraw(kToOne, 2);
  const std::vector<std::pair<std::uint64_t, Nanoseconds>> expected{{100, 50}, {300, 60}};
  EXPECT_EQ(matched, expected);
  EXPECT_EQ(matcher.unmatched().sent, 0U);
}

TEST_F(CancelledSendTest, GivesAMessageThatWasNotCancelledAfterAllToItsReceive) {
  matcher.confirm(kToOne, 2);
  const std::vector<std::pair<std::uint64_t, Nanoseconds>> expected{{100, 50}, {200, 60}};
  EXPECT_EQ(matched, expected);
}

TEST_F(CancelledSendTest, LeavesOutAMessageOfWhichNothingBecameKnown) {
  matcher.finish();
  const std::vector<std::pair<std::uint64_t, Nanoseconds>> expected{{100, 50}, {300, 60}};
  EXPECT_EQ(matched, expected);
  EXPECT_EQ(matcher.unmatched().sent, 0U);
}

TEST_F(CancelledSendTest, KeepsAMessageThatWasReceivedBeforeTheProgramAskedToCancelIt) {
  matcher.doubt(kToOne, 1);
  matcher.withdraw(kToOne, 2);
  matcher.confirm(kToOne, 1);
  EXPECT_EQ(matched.size(), 2U);
}

TEST_F(MatcherTest, LetsReceivesPassAnOpenOneThatCouldNotGetTheirMessage) {
  matcher.post_any({0, kAnySource, 1, 999, false}, 1, 1);
  matcher.post_any({0, 3, 1, log::kAny, false}, 1, 1);
  matcher.post_any({7, kAnySource, 1, log::kAny, false}, 1, 1);
  send(kToOne, 100);
  matcher.complete(matcher.post(kToOne, 1, 2), 50);
  EXPECT_EQ(matched.size(), 1U) << "another tag, another source, another communicator";
}

TEST_F(MatcherTest, GivesWhatWaitedBehindAnOpenReceiveItsMessageAtTheEnd) {
  matcher.post_any(kFromAny, 1, 1);
  send(kToOne, 100);
  matcher.complete(matcher.post(kToOne, 1, 2), 50);
  EXPECT_TRUE(matched.empty());
  matcher.finish();
  ASSERT_EQ(matched.size(), 1U);
  EXPECT_EQ(matched[0].second, 50U);
}

TEST_F(MatcherTest, DropsTheMessageOfAReceiveThatNobodySawComplete) {
  matcher.post(kToOne, 1, 1);
  const ReceiveId second = matcher.post(kToOne, 1, 2);
  send(kToOne, 100);
  send(kToOne, 200);
  matcher.complete(second, 50);
  matcher.finish();
  const std::vector<std::pair<std::uint64_t, Nanoseconds>> expected{{200, 50}};
  EXPECT_EQ(matched, expected);
  EXPECT_EQ(matcher.unmatched().sent, 1U);
}

TEST_F(MatcherTest, DiscardsTheMessageOfAReceiveThatWasNotSeen) {
  const ReceiveId first = matcher.post(kToOne, 1, 1);
  const ReceiveId second = matcher.post(kToOne, 1, 2);
  send(kToOne, 100);
  send(kToOne, 200);
  matcher.discard(first);
  matcher.complete(second, 50);
  const std::vector<std::pair<std::uint64_t, Nanoseconds>> expected{{200, 50}};
  EXPECT_EQ(matched, expected);
}

TEST_F(MatcherTest, TakesManyOpenReceivesInLinearTime) {
  constexpr std::uint64_t many = 200'000;  // in quadratic time this would take minutes
  std::vector<ReceiveId> open;
  for (std::uint64_t i = 0; i < many; ++i) open.push_back(matcher.post_any(kFromAny, 1, i));
  const ReceiveId last = matcher.post_any(kOfAnyTag, 1, many);
  for (std::uint64_t i = 0; i < many; ++i) {
    const auto source = static_cast<std::uint32_t>(i % 1000);
    const MessageClass from{0, source, 1, 5, false};
    send(from, i);
    matcher.complete_any(open[many - 1 - i], from, i);
  }
  matcher.complete_any(last, kOtherTag, many);
  EXPECT_EQ(matched.size(), many);
}

TEST_F(MatcherTest, ForgetsTagsThatAreNotUsedAgain) {
  for (std::int64_t tag = 0; tag < 100'000; ++tag) {
    const MessageClass one{0, 0, 1, tag, false};
    send(one, 1);
    matcher.complete(matcher.post(one, 1, 1), 2);
  }
  EXPECT_EQ(matched.size(), 100'000U);
  EXPECT_LE(matcher.classes(), 20'000U);
}

}  // namespace
}  // namespace groma::trace
