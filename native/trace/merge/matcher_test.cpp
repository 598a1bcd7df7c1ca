#include "trace/merge/matcher.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

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
  matcher.complete(second, 1, 50);
  EXPECT_TRUE(matched.empty()) << "the first message belongs to the receive that is not complete yet";
  matcher.complete(first, 1, 60);
  const std::vector<std::pair<std::uint64_t, Nanoseconds>> expected{{100, 60}, {200, 50}};
  EXPECT_EQ(matched, expected);
}

TEST_F(MatcherTest, TakesAMessageThatIsKnownAfterItsReceive) {
  matcher.complete(matcher.post(kToOne, 1, 1), 1, 40);
  send(kToOne, 100);
  ASSERT_EQ(matched.size(), 1U);
  EXPECT_EQ(matched[0].second, 40U);
}

TEST_F(MatcherTest, LetsAReceiveOfAnyTagTakeItsTurn) {
  const ReceiveId any = matcher.post_any(kOfAnyTag, 1, 1);
  const ReceiveId named = matcher.post(kToOne, 1, 2);
  send(kToOne, 100);
  send(kToOne, 200);
  matcher.complete(named, 1, 50);
  EXPECT_TRUE(matched.empty())
      << "the receive of any tag was posted first and may have got the first message";
  matcher.complete_any(any, kToOne, 1, 60);
  const std::vector<std::pair<std::uint64_t, Nanoseconds>> expected{{100, 60}, {200, 50}};
  EXPECT_EQ(matched, expected);
}

TEST_F(MatcherTest, FreesReceivesBehindOneOfAnyTagThatGotAnotherTag) {
  const ReceiveId any = matcher.post_any(kOfAnyTag, 1, 1);
  const ReceiveId named = matcher.post(kToOne, 1, 2);
  send(kToOne, 100);
  send(kOtherTag, 200);
  matcher.complete(named, 1, 50);
  matcher.complete_any(any, kOtherTag, 1, 60);
  EXPECT_EQ(matched.size(), 2U);
  EXPECT_EQ(matcher.unmatched().sent + matcher.unmatched().received, 0U);
}

TEST_F(MatcherTest, GivesNothingToACancelledReceive) {
  const ReceiveId cancelled = matcher.post(kToOne, 1, 1);
  const ReceiveId next = matcher.post(kToOne, 1, 2);
  matcher.abandon(cancelled);
  send(kToOne, 100);
  matcher.complete(next, 1, 70);
  ASSERT_EQ(matched.size(), 1U);
  EXPECT_EQ(matched[0].second, 70U);
}

/// Three messages, of which the program asks to cancel the second.
class CancelledSendTest : public MatcherTest {
 protected:
  CancelledSendTest() {
    for (const std::uint64_t id : {1U, 2U, 3U}) matcher.send(kToOne, {0, 10, 20, 100 * id, id});
    matcher.doubt(kToOne, 2);
    matcher.complete(matcher.post(kToOne, 1, 1), 1, 50);
    matcher.complete(matcher.post(kToOne, 1, 2), 1, 60);
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
  matcher.complete(matcher.post(kToOne, 1, 2), 1, 50);
  EXPECT_EQ(matched.size(), 1U) << "another tag, another source, another communicator";
}

TEST_F(MatcherTest, GivesWhatWaitedBehindAnOpenReceiveItsMessageAtTheEnd) {
  matcher.post_any(kFromAny, 1, 1);
  send(kToOne, 100);
  matcher.complete(matcher.post(kToOne, 1, 2), 1, 50);
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
  matcher.complete(second, 1, 50);
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
  matcher.complete(second, 1, 50);
  const std::vector<std::pair<std::uint64_t, Nanoseconds>> expected{{200, 50}};
  EXPECT_EQ(matched, expected);
}

constexpr MessageClass kFromOther{0, 2, 1, 5, false};

TEST_F(MatcherTest, GivesAFreedReceiveFromAnySourceItsTurnWhereOneSenderHasMessagesForIt) {
  matcher.free(matcher.post_any(kFromAny, 1, 1), 30);
  for (const Nanoseconds end : {50U, 60U}) matcher.complete(matcher.post(kToOne, 1, 2), 1, end);
  for (const std::uint64_t bytes : {100U, 200U, 300U}) send(kToOne, bytes);
  matcher.finish();
  const std::vector<std::pair<std::uint64_t, Nanoseconds>> expected{{100, 30}, {200, 50}, {300, 60}};
  EXPECT_EQ(matched, expected);
  EXPECT_EQ(matcher.unmatched().sent + matcher.unmatched().received + matcher.undetermined(), 0U);
}

TEST_F(MatcherTest, LetsAReceiveFromAnySourceWithoutAnEndTakeItsTurn) {
  matcher.discard(matcher.post_any(kFromAny, 1, 1));
  matcher.complete(matcher.post(kToOne, 1, 2), 1, 50);
  for (const std::uint64_t bytes : {100U, 200U, 300U}) send(kToOne, bytes);
  matcher.finish();
  const std::vector<std::pair<std::uint64_t, Nanoseconds>> expected{{200, 50}};
  EXPECT_EQ(matched, expected);
  EXPECT_EQ(matcher.unmatched().sent, 2U);
  EXPECT_EQ(matcher.unmatched().received, 1U);
}

TEST_F(MatcherTest, LeavesOutReceivesOfWhichNothingTellsWhatTheyGot) {
  matcher.free(matcher.post_any(kFromAny, 1, 1), 30);
  for (const MessageClass& from : {kToOne, kFromOther}) {
    matcher.complete(matcher.post(from, 1, 2), 1, 50);
    send(from, 100);
    send(from, 200);
  }
  matcher.complete(matcher.post(kOtherTag, 1, 3), 1, 70);
  send(kOtherTag, 300);
  matcher.finish();
  const std::vector<std::pair<std::uint64_t, Nanoseconds>> expected{{300, 70}};
  EXPECT_EQ(matched, expected);
  EXPECT_EQ(matcher.undetermined(), 2U);
  EXPECT_EQ(matcher.unmatched().sent, 2U) << "of each sender one";
}

TEST_F(MatcherTest, TakesAReceiveFromAnySourceThatWasCancelledAndFreedAsCancelled) {
  for (const bool any : {true, false}) {
    const ReceiveId cancelled = any ? matcher.post_any(kFromAny, 1, 1) : matcher.post(kToOne, 1, 1);
    matcher.doubt(cancelled);
    matcher.free(cancelled, 30);
    send(kToOne, 100);
    matcher.complete(matcher.post(kToOne, 1, 2), 1, 50);
    ASSERT_EQ(matched.size(), 1U);
    matched.clear();
  }
}

TEST_F(MatcherTest, TakesAReceiveThatTheProgramAskedToCancelAndOfWhichNobodySawTheEndAsCancelled) {
  matcher.doubt(matcher.post_any(kFromAny, 1, 1));
  matcher.doubt(matcher.post(kToOne, 1, 2));
  send(kToOne, 100);
  send(kToOne, 200);
  matcher.complete(matcher.post(kToOne, 1, 3), 1, 50);
  matcher.finish();
  const std::vector<std::pair<std::uint64_t, Nanoseconds>> expected{{100, 50}};
  EXPECT_EQ(matched, expected);
}

/// A rank that gets messages of three others as MPI lets it, while a log is made of it.
class RandomRun {
 public:
  RandomRun(std::uint32_t seed, Matcher& matcher) : random_(seed), matcher_(matcher) {
    for (time_ = 1; time_ < 60; ++time_) {
      const std::uint32_t source = static_cast<std::uint32_t>(random_() % kSenders);
      random_() % 2 == 0 ? send(source) : post(random_() % 4 == 0 ? kAnySource : source);
    }
    for (const Posted& one : posted_) end(one);
  }
  std::map<Nanoseconds, std::uint64_t> got;  ///< by the end of the receive

 private:
  static constexpr std::uint32_t kSenders = 3;
  static constexpr Nanoseconds kStep = 1000;
  struct Posted {
    std::uint32_t source;
    ReceiveId id;
    std::uint64_t bytes = 0;  ///< 0: none came yet
    std::uint32_t sender = 0;
    Nanoseconds arrived = 0;
  };
  struct Sent {
    std::uint32_t source;
    std::uint64_t bytes;
  };
  static MessageClass from(std::uint32_t source) { return {0, source, 1, 5, false}; }
  static bool fits(std::uint32_t wanted, std::uint32_t source) {
    return wanted == kAnySource || wanted == source;
  }
  void send(std::uint32_t source) {
    matcher_.send(from(source), {0, kStep * time_, kStep * time_, time_});
    const auto takes = [&](const Posted& one) { return one.bytes == 0 && fits(one.source, source); };
    const auto first = std::ranges::find_if(posted_, takes);
    first == posted_.end() ? waiting_.push_back({source, time_}) : give(*first, {source, time_});
  }
  void post(std::uint32_t source) {
    const bool is_any = source == kAnySource;
    posted_.push_back(
        {source, is_any ? matcher_.post_any(from(source), 1, 1) : matcher_.post(from(source), 1, 1)});
    const auto fitting = [&](const Sent& one) { return fits(source, one.source); };
    const auto first = std::ranges::find_if(waiting_, fitting);
    if (first == waiting_.end()) return;
    give(posted_.back(), *first);
    waiting_.erase(first);
  }
  void give(Posted& to, const Sent& what) const {
    to.bytes = what.bytes;
    to.sender = what.source;
    to.arrived = time_;
  }
  /// Some time after the message came. These times tell the receives apart.
  void end(const Posted& one) {
    const Nanoseconds ended = kStep * (one.arrived + random_() % 4) + ++ended_;
    if (one.bytes == 0) return;
    if (one.source != kAnySource) {
      got[ended] = one.bytes;
      matcher_.complete(one.id, 1, ended);
    } else if (random_() % 2 == 0) {
      got[ended] = one.bytes;
      matcher_.complete_any(one.id, from(one.sender), 1, ended);
    } else if (random_() % 2 == 0) {
      got[ended] = one.bytes;
      matcher_.free(one.id, ended);
    }
  }

  std::mt19937 random_;
  Matcher& matcher_;
  Nanoseconds time_ = 0;
  std::vector<Posted> posted_;
  std::vector<Sent> waiting_;
  Nanoseconds ended_ = 0;
};

TEST(RandomRuns, NeverGiveAReceiveAMessageThatItDidNotGet) {
  std::size_t given = 0;
  std::size_t undetermined = 0;
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    std::map<Nanoseconds, std::uint64_t> found;
    Matcher matcher([&found](const Communication& one) { found[one.physical_receive] = one.bytes; });
    RandomRun run(seed, matcher);
    matcher.finish();
    for (const auto& [end, bytes] : found) ASSERT_EQ(run.got[end], bytes) << "seed " << seed;
    given += found.size();
    undetermined += matcher.undetermined();
  }
  EXPECT_GT(given, undetermined);
}

TEST_F(MatcherTest, InfersWhatManyUnseenReceivesOfManySendersTookInLinearTime) {
  constexpr std::uint32_t senders = 1000;
  constexpr std::uint64_t many = 100'000;  // in quadratic time this would take minutes
  for (std::uint64_t i = 0; i < many; ++i) matcher.free(matcher.post_any(kFromAny, 1, i), i);
  for (std::uint64_t i = 0; i < 2 * many; ++i)
    send({0, static_cast<std::uint32_t>(i % senders), 1, 5, false}, i);
  for (std::uint64_t i = 0; i < many; ++i) {
    matcher.complete(matcher.post({0, static_cast<std::uint32_t>(i % senders), 1, 5, false}, 1, i), 1, 50);
  }
  matcher.finish();
  EXPECT_EQ(matched.size(), many) << "each sender has lost as many as it sent more than were received";
  EXPECT_EQ(matcher.undetermined(), 0U);
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
    matcher.complete_any(open[many - 1 - i], from, 1, i);
  }
  matcher.complete_any(last, kOtherTag, 1, many);
  EXPECT_EQ(matched.size(), many);
}

TEST_F(MatcherTest, ForgetsTagsThatAreNotUsedAgain) {
  for (std::int64_t tag = 0; tag < 100'000; ++tag) {
    const MessageClass one{0, 0, 1, tag, false};
    send(one, 1);
    matcher.complete(matcher.post(one, 1, 1), 1, 2);
  }
  EXPECT_EQ(matched.size(), 100'000U);
  EXPECT_LE(matcher.classes(), 20'000U);
}

}  // namespace
}  // namespace groma::trace
