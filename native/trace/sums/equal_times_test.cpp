// Calls, regions, counters and messages whose records have equal times.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "trace/sums/sums.hpp"

namespace groma::trace {
namespace {

constexpr std::uint32_t kP2p = 50000001;
constexpr std::uint32_t kCollective = 50000002;
constexpr std::uint32_t kOther = 50000003;
constexpr std::uint32_t kSent = 50100001;
constexpr std::uint32_t kReceived = 50100002;
constexpr std::uint32_t kGroup = 50100004;
constexpr std::uint32_t kRegion = 90000000;
constexpr std::uint32_t kInstructions = 42000050;
const CallKey kBarrier{kCollective, 8};
const CallKey kBcast{kCollective, 7};
const CallKey kRecv{kP2p, 2};
const CallKey kWaitsome{kP2p, 60};

void begin(Sums& sums) {
  Layout layout;
  layout.objects = {{0, 0, 0, 0, 0}, {0, 1, 0, 1, 0}};
  sums.begin(layout);
}

/// What happens on the first object at one time: types and values.
using Moment = std::vector<std::pair<std::uint32_t, std::uint64_t>>;

void happen(Sums& sums, Nanoseconds time, const Moment& moment) {
  for (const auto& [type, value] : moment) sums.event({0, time, type, value});
}

const CallSum& call_of(const Sums& sums, const CallKey& key) {
  return sums.objects()[0].calls.at(key);
}

TEST(SumsAtEqualTimes, GiveTimeToACallThatBeginsWhereTheEndOfAnotherHasNoCall) {
  const std::vector<Moment> moments{
      {{kOther, 0}, {kP2p, 60}}, {{kP2p, 60}, {kOther, 0}}, {{kP2p, 0}, {kP2p, 60}}};
  for (const Moment& moment : moments) {
    Sums sums;
    begin(sums);
    happen(sums, 100, {{kOther, 31}});
    happen(sums, 120, {{kCollective, 8}});
    happen(sums, 150, {{kCollective, 0}});
    happen(sums, 200, moment);
    happen(sums, 1300, {{kP2p, 0}});
    sums.end({});
    EXPECT_EQ(call_of(sums, kWaitsome).time, 1100U);
    EXPECT_EQ(call_of(sums, kWaitsome).count, 1U);
    EXPECT_EQ(sums.unpaired_calls(), 2U) << "the outer call, and its end";
  }
}

TEST(SumsAtEqualTimes, GiveTimeToACallThatBeginsAfterAnEndSaidTwice) {
  const std::vector<Moment> moments{{{kP2p, 0}, {50000004, 0}, {kP2p, 60}},
                                    {{50000004, 0}, {kP2p, 0}, {kP2p, 60}},
                                    {{kP2p, 60}, {kP2p, 0}, {50000004, 0}}};
  for (const Moment& moment : moments) {
    Sums sums;
    begin(sums);
    happen(sums, 100, {{kP2p, 2}});
    happen(sums, 200, moment);
    happen(sums, 1300, {{kP2p, 0}});
    sums.end({});
    EXPECT_EQ(call_of(sums, kRecv).time, 100U);
    EXPECT_EQ(call_of(sums, kWaitsome).time, 1100U);
  }
}

TEST(SumsAtEqualTimes, PairEachCallWithAnEndWhateverTheOrderOfTheLines) {
  Sums sums;
  begin(sums);
  happen(sums, 10, {{kP2p, 2}});
  happen(sums, 20, {{kP2p, 1}, {kP2p, 0}, {kCollective, 8}, {kP2p, 0}});
  happen(sums, 50, {{kCollective, 0}});
  sums.end({});
  EXPECT_EQ(call_of(sums, kRecv).time, 10U);
  EXPECT_EQ(call_of(sums, {kP2p, 1}).time, 0U);
  EXPECT_EQ(call_of(sums, kBarrier).time, 30U);
  EXPECT_EQ(sums.unpaired_calls(), 0U);
}

TEST(SumsAtEqualTimes, KeepBytesAndCommunicatorOfACollectiveWithoutTime) {
  Sums sums;
  begin(sums);
  happen(sums, 150, {{kCollective, 7}, {kSent, 1}, {kReceived, 20}, {kGroup, 1}, {kCollective, 0}});
  sums.end({});
  EXPECT_EQ(call_of(sums, kBcast).collective_sent, 1U);
  EXPECT_EQ(call_of(sums, kBcast).collective_received, 20U);
  EXPECT_EQ(sums.collectives().at({0, 1, kBcast}).received, 20U);
}

TEST(SumsAtEqualTimes, KeepTheBytesOfEachOfTwoCollectives) {
  Sums sums;
  begin(sums);
  happen(sums, 100, {{kCollective, 7}});
  happen(sums, 150, {{kCollective, 0}, {kCollective, 7}, {kSent, 1}, {kGroup, 1}, {kCollective, 0}});
  happen(sums, 150, {{kCollective, 8}, {kSent, 2}, {kGroup, 3}});
  happen(sums, 170, {{kCollective, 0}});
  happen(sums, 180, {{kSent, 4}, {kGroup, 5}, {kCollective, 8}});  // said before the call
  happen(sums, 190, {{kCollective, 0}});
  sums.end({});
  EXPECT_EQ(sums.collectives().at({0, 1, kBcast}).sent, 1U);
  EXPECT_EQ(sums.collectives().at({0, 3, kBarrier}).sent, 2U);
  EXPECT_EQ(sums.collectives().at({0, 5, kBarrier}).sent, 4U);
  EXPECT_EQ(sums.collectives().size(), 3U);
}

TEST(SumsAtEqualTimes, GiveBytesOfCollectivesToThoseThatBeginThereOnly) {
  Sums sums;
  begin(sums);
  happen(sums, 100, {{kCollective, 157}, {kSent, 123456}, {kCollective, 0}, {kOther, 123}});
  happen(sums, 200, {{kOther, 0}});
  happen(sums, 300, {{kP2p, 2}});
  happen(sums, 350, {{kSent, 4096}});
  happen(sums, 400, {{kP2p, 0}});
  happen(sums, 500, {{kCollective, 8}});
  happen(sums, 550, {{kReceived, 4096}});
  happen(sums, 600, {{kCollective, 0}});
  sums.end({});
  EXPECT_EQ(call_of(sums, {kCollective, 157}).collective_sent, 123456U);
  EXPECT_EQ(call_of(sums, {kOther, 123}).collective_sent, 0U);
  EXPECT_EQ(call_of(sums, kRecv).collective_sent, 0U);
  EXPECT_EQ(call_of(sums, kBarrier).collective_received, 0U);
}

TEST(SumsAtEqualTimes, KeepTheCallSiteOfEachCall) {
  Sums sums;
  begin(sums);
  happen(sums, 100, {{kP2p, 2}, {kCallerType, 3}, {kCallerLineType, 4}, {kP2p, 0}});
  happen(sums, 100, {{kP2p, 2}, {kCallerType, 3}, {kCallerLineType, 5}});
  happen(sums, 150, {{kP2p, 0}});
  sums.end({});
  EXPECT_EQ(sums.sites().at({kRecv, 3, 4}).time, 0U);
  EXPECT_EQ(sums.sites().at({kRecv, 3, 5}).time, 50U);
}

TEST(SumsAtEqualTimes, TellWhatTheFirstCallOfATraceSends) {
  Sums sums;
  begin(sums);
  happen(sums, 100, {{kP2p, 1}, {kCallerType, 3}, {kCallerLineType, 4}});
  sums.communication({0, 100, 100, 1, 110, 120, 8, 0});
  happen(sums, 150, {{kP2p, 0}});
  sums.end({});
  EXPECT_EQ(sums.sites().at({{kP2p, 1}, 3, 4}).sent, 8U);
}

TEST(SumsAtEqualTimes, AreTheSameWhateverOtherThreadsDoBetween) {
  for (const bool has_other : {false, true}) {
    Sums sums;
    begin(sums);
    happen(sums, 100, {{kP2p, 4}});
    happen(sums, 200, {{kP2p, 5}});
    if (has_other) sums.event({1, 200, 77, 1});
    happen(sums, 200, {{kP2p, 0}});
    happen(sums, 300, {{kP2p, 0}});
    sums.end({});
    EXPECT_EQ(call_of(sums, {kP2p, 4}).time, 100U);
    EXPECT_EQ(call_of(sums, {kP2p, 5}).time, 100U);
    EXPECT_EQ(sums.unpaired_calls(), 0U);
  }
}

TEST(SumsAtEqualTimes, LeaveACallThatBeginsWhereARegionEndsOutOfIt) {
  for (const bool call_is_first : {false, true}) {
    Sums sums;
    begin(sums);
    happen(sums, 10, {{kRegion, 3}});
    if (call_is_first) happen(sums, 110, {{kP2p, 2}});
    happen(sums, 110, {{kRegion, 0}});
    if (!call_is_first) happen(sums, 110, {{kP2p, 2}});
    happen(sums, 1110, {{kP2p, 0}});
    sums.end({});
    EXPECT_EQ(sums.objects()[0].regions.at({kRegion, 3}).calling_time, 0U);
  }
}

TEST(SumsAtEqualTimes, GiveACallToTheRegionThatBeginsWithIt) {
  for (const bool call_is_first : {false, true}) {
    Sums sums;
    begin(sums);
    if (call_is_first) happen(sums, 100, {{kP2p, 2}});
    happen(sums, 100, {{kRegion, 3}});
    if (!call_is_first) happen(sums, 100, {{kP2p, 2}});
    happen(sums, 150, {{kP2p, 0}});
    happen(sums, 200, {{kRegion, 0}});
    sums.end({});
    EXPECT_EQ(sums.objects()[0].regions.at({kRegion, 3}).calling_time, 50U);
  }
}

TEST(SumsAtEqualTimes, GiveACountBesideTheEndOfARegionToTheRegion) {
  Sums sums;
  begin(sums);
  happen(sums, 10, {{kRegion, 3}});
  happen(sums, 20, {{kRegion, 0}, {kInstructions, 7}});
  sums.end({});
  EXPECT_EQ(sums.counters().at({kInstructions, {}, {kRegion, 3}}).sum, 7);
}

TEST(SumsAtEqualTimes, GiveAMessageBetweenTwoCallsToTheFirstWhereverItsLineIs) {
  for (int place = 0; place < 4; ++place) {
    Sums sums;
    begin(sums);
    const Communication message{1, 90, 90, 0, 100, 200, 8, 0};
    if (place == 0) sums.communication(message);
    happen(sums, 100, {{kP2p, 2}});
    if (place == 1) sums.communication(message);
    happen(sums, 200, {{kP2p, 0}, {kCollective, 8}});
    if (place == 2) sums.communication(message);
    happen(sums, 300, {{kCollective, 0}});
    happen(sums, 310, {{kCollective, 8}});
    if (place == 3) sums.communication(message);
    happen(sums, 320, {{kCollective, 0}});
    sums.end({});
    EXPECT_EQ(call_of(sums, kRecv).received, 8U) << place;
    EXPECT_EQ(call_of(sums, kBarrier).received, 0U) << place;
  }
}

/// Counted within MPI_Recv, and outside of all calls.
std::pair<std::int64_t, std::int64_t> counts_of(const std::vector<Moment>& moments) {
  Sums sums;
  begin(sums);
  Nanoseconds time = 100;
  for (const Moment& moment : moments) happen(sums, time++, moment);
  sums.end({});
  std::int64_t inside = 0;
  std::int64_t outside = 0;
  for (const auto& [key, sum] : sums.counters()) (key.call == CallKey{} ? outside : inside) += sum.sum;
  return {inside, outside};
}

TEST(SumsAtEqualTimes, TellTheCountsOfACallWithoutTimeFromThoseBeforeIt) {
  const std::pair<std::int64_t, std::int64_t> expected{20, 1};
  EXPECT_EQ(counts_of({{{kP2p, 2}, {kInstructions, 1}, {kP2p, 0}, {kInstructions, 20}}}), expected);
  EXPECT_EQ(counts_of({{{kInstructions, 1}, {kP2p, 2}, {kInstructions, 20}, {kP2p, 0}}}), expected);
}

TEST(SumsAtEqualTimes, TellTheCountsOfEachCallWhereOneEndsAndTheNextHasNoTime) {
  const Moment after{{kP2p, 0}, {kInstructions, 20}, {kP2p, 2}, {kInstructions, 1},
                     {kP2p, 0}, {kInstructions, 30}, {kP2p, 2}, {kInstructions, 2}};
  const Moment before{{kInstructions, 20}, {kP2p, 0}, {kInstructions, 1}, {kP2p, 2},
                      {kInstructions, 30}, {kP2p, 0}, {kInstructions, 2}, {kP2p, 2}};
  for (const Moment& moment : {after, before})
    EXPECT_EQ(counts_of({{{kP2p, 2}}, moment, {{kP2p, 0}}}), (std::pair<std::int64_t, std::int64_t>{50, 3}));
}

TEST(SumsAtEqualTimes, GiveTheOnlyCountsToTheCallThatEnds) {
  EXPECT_EQ(counts_of({{{kP2p, 2}}, {{kP2p, 0}, {kP2p, 2}, {kInstructions, 20}}, {{kP2p, 0}}}),
            (std::pair<std::int64_t, std::int64_t>{20, 0}));
  EXPECT_EQ(counts_of({{{kP2p, 2}, {kP2p, 0}, {kInstructions, 20}}}),
            (std::pair<std::int64_t, std::int64_t>{20, 0}));
}

}  // namespace
}  // namespace groma::trace
