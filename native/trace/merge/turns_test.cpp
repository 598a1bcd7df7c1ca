#include "trace/merge/turns.hpp"

#include <gtest/gtest.h>

namespace groma::trace {
namespace {

using Taken = std::vector<std::optional<std::uint64_t>>;

MessageClass from(std::uint32_t source) {
  return {0, source, 9, 5, false};
}
const UnseenReceives kFirst{from(kAnySource), {1}};

TEST(Turns, AnUnseenReceiveTookAMessageOfTheOnlySender) {
  const Turns turns({{from(0), {10, 20, 30}, {{2, 50}, {3, 60}}}}, {kFirst}, {});
  EXPECT_EQ(turns.taken(0), (Taken{1, 1}));
}

TEST(Turns, ItTookNoneOfASenderWhoseMessagesAreAllReceived) {
  const Turns turns({{from(0), {10, 20}, {{2, 50}, {3, 60}}}, {from(1), {10, 20}, {{4, 70}}}}, {kFirst}, {});
  EXPECT_EQ(turns.taken(0), (Taken{0, 0}));
  EXPECT_EQ(turns.taken(1), (Taken{1}));
}

TEST(Turns, NothingTellsOfWhichOfTwoSendersWithOneMessageToSpareItTookOne) {
  const Turns turns({{from(0), {10, 20}, {{2, 50}}}, {from(1), {10, 20}, {{3, 60}}}}, {kFirst}, {});
  EXPECT_EQ(turns.taken(0), (Taken{std::nullopt}));
  EXPECT_EQ(turns.taken(1), (Taken{std::nullopt}));
}

TEST(Turns, AReceiveBeforeItIsNotConcerned) {
  const UnseenReceives second{from(kAnySource), {3}};
  const Turns turns({{from(0), {10, 20, 30}, {{2, 50}, {4, 60}}}, {from(1), {10, 20}, {{5, 60}}}}, {second},
                    {});
  EXPECT_EQ(turns.taken(0), (Taken{0, std::nullopt}));
}

TEST(Turns, AMessageDoesNotArriveBeforeItIsSent) {
  const Turns turns({{from(0), {10, 60}, {{2, 50}}}, {from(1), {10, 20}, {{3, 60}}}}, {kFirst}, {});
  EXPECT_EQ(turns.taken(0), (Taken{0})) << "the second one was sent after the receive had ended";
  EXPECT_EQ(turns.taken(1), (Taken{1}));
}

TEST(Turns, AnUnseenReceiveHadItsMessageBeforeLaterReceivesHadTheirs) {
  const Turns turns({{from(0), {10, 20}, {{2, 50}}}, {from(1), {70, 80}, {{3, 100}}}}, {kFirst}, {});
  EXPECT_EQ(turns.taken(0), (Taken{1}));
  EXPECT_EQ(turns.taken(1), (Taken{0})) << "the other rank sent its first message later";
}

TEST(Turns, TimesSayNothingThatTheErrorOfClocksMayMakeUp) {
  const UnknownSends unknown{.clock_error = 30};
  const Turns turns({{from(0), {10, 20}, {{2, 50}}}, {from(1), {70, 80}, {{3, 100}}}}, {kFirst}, unknown);
  EXPECT_EQ(turns.taken(0), (Taken{std::nullopt}));
  const UnknownSends unknown_times{.clock_error = ContendedClass::kUnknown};
  const Turns untimed({{from(0), {10, 20}, {{2, 50}}}, {from(1), {70, 80}, {{3, 100}}}}, {kFirst},
                      unknown_times);
  EXPECT_EQ(untimed.taken(1), (Taken{std::nullopt}));
}

TEST(Turns, WhereEachSenderMissesOneAfterAllUnseenReceivesItIsKnownThatEachLostOne) {
  const UnseenReceives two{from(kAnySource), {1, 3}};
  const Turns turns({{from(0), {10, 20, 30}, {{2, 50}, {4, 60}}}, {from(1), {10, 20}, {{5, 60}}}}, {two}, {});
  EXPECT_EQ(turns.taken(0), (Taken{std::nullopt, 1}));
  EXPECT_EQ(turns.taken(1), (Taken{1}));
}

TEST(Turns, AReceiveOfAnyTagTakesOnesOfItsSourceOnly) {
  const UnseenReceives any_tag{{0, 0, 9, log::kAny, false}, {1}};
  const Turns turns({{from(0), {10, 20}, {{2, 50}}}, {from(1), {10, 20}, {{3, 60}}}}, {any_tag}, {});
  EXPECT_EQ(turns.taken(0), (Taken{1}));
  EXPECT_EQ(turns.taken(1), (Taken{0}));
}

TEST(Turns, AMessageThatNoLogHasMayBeTheOneThatItTook) {
  const std::vector<ContendedClass> classes{{from(0), {10, 20}, {{2, 50}}}};
  UnknownSends killed;
  killed.by_rank[1] = 1;
  EXPECT_EQ(Turns(classes, {kFirst}, killed).taken(0), (Taken{std::nullopt}));
  EXPECT_EQ(Turns(classes, {kFirst}, {.of_any_rank = true}).taken(0), (Taken{std::nullopt}));
}

TEST(Turns, AMessageThatNoLogHasMayBeOneOfThoseBehindIt) {
  UnknownSends killed;
  killed.by_rank[0] = 1;
  const Turns turns({{from(0), {10, 20}, {{2, 50}, {3, 60}}}}, {kFirst}, killed);
  EXPECT_EQ(turns.taken(0), (Taken{std::nullopt, std::nullopt}));
}

}  // namespace
}  // namespace groma::trace
