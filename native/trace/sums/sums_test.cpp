#include "trace/sums/sums.hpp"

#include <gtest/gtest.h>

#include <string>

#include "trace/sums/sums_json.hpp"

namespace groma::trace {
namespace {

constexpr std::uint32_t kP2p = 50000001;
constexpr std::uint32_t kCollective = 50000002;
constexpr std::uint32_t kInstructions = 42000050;
const CallKey kRecv{kP2p, 2};

void begin(Sums& sums) {
  Layout layout;
  layout.objects = {{0, 0, 0, 0, 0}, {0, 1, 0, 1, 0}};
  sums.begin(layout);
}

void call(Sums& sums, Nanoseconds from, Nanoseconds to) {
  sums.event({1, from, kP2p, 2});
  sums.event({1, to, kP2p, 0});
}

TEST(Sums, GiveAMessageToTheCallInWhichItArrived) {
  Sums sums;
  begin(sums);
  sums.communication({0, 5, 5, 1, 10, 20, 1000, 0});
  sums.communication({0, 5, 5, 1, 30, 40, 24, 0});
  sums.communication({0, 5, 5, 1, 30, 99, 7, 0});
  call(sums, 10, 20);
  call(sums, 30, 50);
  sums.end({});
  const CallSum& sum = sums.objects()[1].calls.at(kRecv);
  EXPECT_EQ(sum.count, 2U);
  EXPECT_EQ(sum.time, 30U);
  EXPECT_EQ(sum.longest, 20U);
  EXPECT_EQ(sum.received, 1024U);
  EXPECT_EQ(sum.receiving_calls, 2U);
  EXPECT_EQ(sums.outside_calls().bytes, 7U);
  EXPECT_EQ(sums.pairs().at({0, 1}).count, 3U);
  EXPECT_EQ(sums.sizes()[10].count, 1U) << "512 to 1023";
  EXPECT_EQ(sum.bandwidths.at(1000).count, 1U) << "100 GB/s";
  EXPECT_EQ(sum.bandwidths.at(120).count, 1U) << "1.2 GB/s";
}

TEST(Sums, GiveAMessageThatIsToldLateToTheCallBefore) {
  Sums sums;
  begin(sums);
  call(sums, 10, 20);
  sums.event({0, 25, 1, 1});
  sums.communication({0, 30, 30, 1, 10, 20, 8, 0});
  sums.end({});
  EXPECT_EQ(sums.objects()[1].calls.at(kRecv).received, 8U);
  EXPECT_EQ(sums.objects()[1].calls.at(kRecv).receiving_time, 10U);
  EXPECT_EQ(sums.objects()[1].calls.at(kRecv).bandwidths.at(80).count, 1U) << "800 MB/s";
}

// A sender that leaves MPI_Send late: its message is told after further calls of the receiver.
TEST(Sums, GiveAMessageThatIsToldAfterFurtherCallsToTheOneInWhichItArrived) {
  Sums sums;
  begin(sums);
  call(sums, 10, 20);
  call(sums, 21, 23);
  call(sums, 24, 26);
  sums.event({0, 29, 1, 1});
  sums.communication({0, 5, 30, 1, 10, 20, 1000, 0});
  sums.communication({0, 5, 30, 1, 10, 22, 2, 0});
  sums.end({});
  const CallSum& sum = sums.objects()[1].calls.at(kRecv);
  EXPECT_EQ(sum.received, 1002U);
  EXPECT_EQ(sum.receiving_calls, 2U);
  EXPECT_EQ(sum.receiving_time, 12U);
  EXPECT_EQ(sums.outside_calls().count, 0U);
  EXPECT_EQ(sum.bandwidths.at(1000).count, 1U) << "100 GB/s";
}

TEST(Sums, CountTheBandwidthOfEachCallOnceHoweverManyFollow) {
  Sums sums;
  begin(sums);
  sums.communication({0, 5, 5, 1, 10, 20, 8, 0});
  for (Nanoseconds i = 1; i <= 1000; ++i) call(sums, 10 * i, 10 * i + 10);
  sums.communication({0, 5, 9000, 1, 9990, 9995, 8, 0});
  sums.communication({0, 5, 9000, 1, 10, 15, 8, 0});
  sums.end({});
  const CallSum& sum = sums.objects()[1].calls.at(kRecv);
  EXPECT_EQ(sum.receiving_calls, 2U);
  EXPECT_EQ(sums.outside_calls().count, 1U) << "990 calls later: not all of them are kept in memory";
}

void collective(Sums& sums, std::uint64_t value, Nanoseconds from, Nanoseconds to, std::uint64_t received) {
  sums.event({1, from, kCollective, value});
  sums.event({1, from, 50100002, received});
  sums.event({1, to, kCollective, 0});
}

TEST(Sums, TellTheBandwidthWithWhichACollectiveReceives) {
  Sums sums;
  begin(sums);
  collective(sums, 7, 10, 20, 1000);     // MPI_Bcast
  collective(sums, 7, 30, 40, 0);        // at its root
  collective(sums, 1007, 50, 60, 500);   // MPI_Bcast_c
  collective(sums, 157, 70, 80, 1000);   // MPI_Ibcast: the data arrives later
  collective(sums, 9999, 90, 95, 1000);  // no call that is known
  sums.end({});
  const CallSum& sum = sums.objects()[1].calls.at({kCollective, 7});
  EXPECT_EQ(sum.bandwidths.at(1000).count, 1U) << "100 GB/s";
  EXPECT_EQ(sum.bandwidths.size(), 1U);
  EXPECT_EQ(sum.received, 0U) << "which is of messages";
  EXPECT_EQ(sum.receiving_time, 0U);
  EXPECT_EQ(sums.objects()[1].calls.at({kCollective, 1007}).bandwidths.at(1000).time, 10U) << "50 GB/s";
  EXPECT_EQ(sums.objects()[1].calls.at({kCollective, 157}).collective_received, 1000U);
  EXPECT_TRUE(sums.objects()[1].calls.at({kCollective, 157}).bandwidths.empty());
}

TEST(Sums, KeepTheBandwidthsOfEachObjectApart) {
  Sums sums;
  begin(sums);
  for (const ObjectIndex object : {0U, 1U}) {
    const Nanoseconds from = object == 0 ? 0 : 100;
    sums.event({object, from, kCollective, 7});
    sums.event({object, from, 50100002, 1});
    sums.event({object, from + (object == 0 ? 50 : 10), kCollective, 0});
  }
  sums.end({});
  EXPECT_EQ(sums.objects()[0].calls.at({kCollective, 7}).bandwidths.at(2).time, 50U) << "20 MB/s";
  EXPECT_EQ(sums.objects()[1].calls.at({kCollective, 7}).bandwidths.at(10).time, 10U) << "100 MB/s";
}

TEST(Sums, GiveACallToTheRegionInWhichItBegins) {
  constexpr std::uint32_t region = 90000000;
  Sums sums;
  begin(sums);
  sums.communication({0, 5, 5, 1, 10, 20, 1000, 0});
  sums.communication({0, 5, 5, 1, 30, 40, 24, 0});
  call(sums, 2, 4);
  sums.event({1, 6, region, 3});
  call(sums, 10, 25);
  sums.event({1, 35, region, 0});
  call(sums, 36, 40);
  sums.end({});
  const RegionSum& sum = sums.objects()[1].regions.at({region, 3});
  EXPECT_EQ(sum.time, 29U);
  EXPECT_EQ(sum.calling_time, 15U);
  EXPECT_EQ(sum.messages, 1U);
  EXPECT_EQ(sum.received, 1000U);
}

TEST(Sums, TellWhatEachCallSiteSendsAndReceives) {
  Sums sums;
  begin(sums);
  const auto call_at = [&](std::uint64_t line, std::uint64_t from, std::uint64_t to) {
    sums.event({1, from, kP2p, 2});
    sums.event({1, from, kCallerType, 3});
    sums.event({1, from, kCallerLineType, line});
    sums.event({1, to, kP2p, 0});
  };
  call_at(4, 10, 20);
  sums.communication({1, 20, 30, 0, 40, 50, 8, 0});  // begins where another call ends
  call_at(5, 20, 30);
  sums.communication({0, 5, 5, 1, 40, 42, 1000, 0});
  call_at(4, 40, 45);
  call(sums, 50, 60);
  sums.end({});
  ASSERT_EQ(sums.sites().size(), 2U);
  const CallTotals& first = sums.sites().at({kRecv, 3, 4});
  EXPECT_EQ(first.count, 2U);
  EXPECT_EQ(first.time, 15U);
  EXPECT_EQ(first.longest, 10U);
  EXPECT_EQ(first.sent, 0U);
  EXPECT_EQ(first.received, 1000U);
  EXPECT_EQ(sums.sites().at({kRecv, 3, 5}).sent, 8U);
}

TEST(Sums, TellCallsWithoutBeginOrEnd) {
  Sums sums;
  begin(sums);
  sums.event({1, 5, kP2p, 0});
  sums.event({1, 10, kP2p, 2});
  sums.event({1, 20, kP2p, 2});
  sums.event({1, 30, kP2p, 0});
  sums.event({0, 30, kP2p, 1});
  sums.end({});
  EXPECT_EQ(sums.unpaired_calls(), 3U);
}

/// As Paraver shows them: the last value of a call holds until the next.
TEST(Sums, LetACallWithoutEndLastToTheNextOrToTheEnd) {
  Sums sums;
  begin(sums);
  sums.event({1, 10, kP2p, 2});
  sums.event({1, 20, kP2p, 2});
  sums.event({1, 25, 50000002, 0});
  sums.event({1, 30, kP2p, 2});
  sums.event({0, 90, 1, 1});
  sums.end({});
  EXPECT_EQ(sums.objects()[1].calls.at(kRecv).count, 3U);
  EXPECT_EQ(sums.objects()[1].calls.at(kRecv).time, 75U);
  EXPECT_EQ(sums.objects()[1].calls.at(kRecv).longest, 60U);
  EXPECT_EQ(sums.unpaired_calls(), 3U) << "not ended, ended as another, open";
}

/// A thread that ended in a call is there as long as the call lasts, one that ended outside no longer.
TEST(Sums, HoldAThreadToTheEndOfItsCallWithoutEnd) {
  Sums sums;
  begin(sums);
  sums.event({0, 0, kP2p, 2});
  sums.event({0, 900, kP2p, 0});
  sums.event({1, 0, kP2p, 2});
  sums.communication({0, 0, 0, 1, 0, 1000, 8, 0});
  sums.end({});
  EXPECT_EQ(sums.objects()[0].span.length(), 900U);
  EXPECT_EQ(sums.objects()[1].span.length(), 1000U);
  EXPECT_EQ(sums.objects()[1].calls.at(kRecv).time, 1000U);
}

TEST(Sums, EndACallBeforeTheNextBeginsAtTheSameTime) {
  Sums sums;
  begin(sums);
  sums.event({1, 10, kP2p, 2});
  sums.event({1, 20, kP2p, 1});
  sums.event({1, 20, kP2p, 0});
  sums.event({1, 30, kP2p, 0});
  sums.end({});
  EXPECT_EQ(sums.unpaired_calls(), 0U);
  EXPECT_EQ(sums.objects()[1].calls.at(kRecv).time, 10U);
  EXPECT_EQ(sums.objects()[1].calls.at({kP2p, 1}).time, 10U);
}

TEST(Sums, GiveACounterToTheCallThatEndsOrToWhatWasBefore) {
  Sums sums;
  begin(sums);
  sums.event({1, 5, 90000000, 1});
  sums.event({1, 10, kInstructions, 100});
  sums.event({1, 10, kP2p, 2});
  sums.event({1, 20, kInstructions, 7});
  sums.event({1, 20, kP2p, 0});
  sums.event({1, 50, 90000000, 0});
  sums.end({});
  const CallKey region{90000000, 1};
  EXPECT_EQ(sums.counters().at({kInstructions, {}, region}).sum, 100);
  EXPECT_EQ(sums.counters().at({kInstructions, kRecv, region}).sum, 7);
  EXPECT_EQ(sums.objects()[1].counters.at(kInstructions).sum, 107);
  EXPECT_EQ(sums.objects()[1].regions.at(region).time, 45U);
}

TEST(Sums, KeepACounterAtItsLimitAndSaySo) {
  constexpr std::uint64_t most = (std::uint64_t{1} << 63U) - 1;
  Sums sums;
  begin(sums);
  sums.event({1, 5, kInstructions, most});
  sums.event({1, 6, kInstructions, most});
  sums.event({0, 5, kInstructions, most + 1});  // -2^63
  sums.event({0, 6, kInstructions, ~std::uint64_t{0}});
  sums.end({});
  EXPECT_EQ(sums.objects()[1].counters.at(kInstructions).sum, static_cast<std::int64_t>(most));
  EXPECT_EQ(sums.objects()[0].counters.at(kInstructions).sum, static_cast<std::int64_t>(most + 1));
  EXPECT_EQ(sums.clipped_counts(), 2U) << "values";
}

TEST(Sums, EndWithTheLastRecordOrWithoutOneWhereTheHeaderSays) {
  Layout layout;
  layout.objects = {{0, 0, 0, 0, 0}};
  layout.duration = 700;
  for (const bool has_records : {false, true}) {
    Sums sums;
    sums.begin(layout);
    if (has_records) sums.state({0, 100, 600, 1});
    sums.end({});
    EXPECT_EQ(sums.first_time(), has_records ? 100U : 0U);
    EXPECT_EQ(sums.duration(), has_records ? 600U : 700U);
  }
}

TEST(Sums, TellHowLongAThreadHasRecords) {
  Sums sums;
  begin(sums);
  sums.state({0, 100, 300, 1});
  sums.event({0, 900, kP2p, 1});
  sums.end({});
  EXPECT_EQ(sums.objects()[0].span.length(), 800U);
  EXPECT_EQ(sums.objects()[1].span.length(), 0U);
}

TEST(Sums, CountCallsThatTakeNoTime) {
  Sums sums;
  begin(sums);
  sums.event({1, 10, kP2p, 2});
  // The end of a call, two calls without time, and the begin of another.
  for (const std::uint64_t value : {0U, 2U, 0U, 2U, 0U, 1U}) sums.event({1, 20, kP2p, value});
  sums.event({1, 30, kP2p, 0});
  sums.event({1, 40, kP2p, 2});
  sums.event({1, 40, kP2p, 0});
  sums.end({});
  EXPECT_EQ(sums.unpaired_calls(), 0U);
  EXPECT_EQ(sums.objects()[1].calls.at(kRecv).count, 4U);
  EXPECT_EQ(sums.objects()[1].calls.at(kRecv).time, 10U);
  EXPECT_EQ(sums.objects()[1].calls.at({kP2p, 1}).time, 10U);
}

TEST(Sums, TellTheCountsOfACallFromThoseBeforeTheNextAtTheSameTime) {
  Sums sums;
  begin(sums);
  sums.event({1, 10, kP2p, 2});
  for (const std::uint32_t type : {kInstructions, kInstructions + 9}) sums.event({1, 10, type, 5});
  sums.event({1, 20, kP2p, 0});
  for (const std::uint32_t type : {kInstructions, kInstructions + 9}) sums.event({1, 20, type, 7});
  sums.event({1, 20, kP2p, 1});
  for (const std::uint32_t type : {kInstructions, kInstructions + 9}) sums.event({1, 20, type, 11});
  sums.end({});
  EXPECT_EQ(sums.counters().at({kInstructions, kRecv, {}}).sum, 7);
  EXPECT_EQ(sums.counters().at({kInstructions + 9, kRecv, {}}).sum, 7);
  EXPECT_EQ(sums.counters().at({kInstructions + 9, {}, {}}).sum, 16);
}

TEST(Sums, LetARegionThatDoesNotEndLastToTheEnd) {
  Sums sums;
  begin(sums);
  sums.event({0, 10, 90000000, 3});
  sums.state({1, 0, 100, 1});
  sums.end({});
  EXPECT_EQ(sums.objects()[0].regions.at({90000000, 3}).time, 90U);
  EXPECT_EQ(sums.objects()[1].states.at(1).time, 100U);
}

/// Extrae writes 0 at the end of each function.
TEST(Sums, LetAFunctionGoOnAfterTheOneThatItCalled) {
  constexpr std::uint32_t function = 60000019;
  Sums sums;
  begin(sums);
  sums.event({1, 5, function, 0});  // without a begin
  sums.event({1, 10, function, 1});
  sums.event({1, 20, function, 2});
  sums.event({1, 25, function, 2});  // calls itself
  sums.event({1, 30, function, 0});
  sums.event({1, 32, function, 0});
  call(sums, 40, 50);
  sums.event({1, 60, function, 0});
  sums.event({1, 70, function, 3});
  sums.event({1, 90, function, 4});
  sums.event({0, 100, 1, 1});
  sums.end({});
  const auto& regions = sums.objects()[1].regions;
  EXPECT_EQ(regions.at({function, 1}).time, 38U);
  EXPECT_EQ(regions.at({function, 1}).count, 1U);
  EXPECT_EQ(regions.at({function, 1}).calling_time, 10U);
  EXPECT_EQ(regions.at({function, 2}).time, 12U);
  EXPECT_EQ(regions.at({function, 2}).count, 2U);
  EXPECT_EQ(regions.at({function, 3}).time, 20U) << "does not end";
  EXPECT_EQ(regions.at({function, 4}).time, 10U);
  EXPECT_EQ(regions.at({function, 4}).count, 1U);
}

TEST(Sums, AreBoundedWhereFunctionsNeverEnd) {
  Sums sums;
  begin(sums);
  for (std::uint64_t i = 1; i <= 10000; ++i) sums.event({1, i, 60000019, i % 7 + 1});
  sums.end({});
  EXPECT_GT(sums.left_out(), 5000U);
  std::uint64_t time = 0;
  for (const auto& [key, sum] : sums.objects()[1].regions) time += sum.time;
  EXPECT_EQ(time, 9999U);
}

TEST(Sums, AreBoundedWhereNumbersMeanNothing) {
  Sums sums;
  begin(sums);
  for (std::uint32_t i = 0; i < 100000; ++i) sums.state({0, 0, 1, i});
  sums.end({});
  EXPECT_LT(sums.objects()[0].states.size(), 10000U);
  EXPECT_GT(sums.left_out(), 90000U);
}

void collective_in(Sums& sums, ObjectIndex object, Nanoseconds from, Nanoseconds to,
                   std::uint64_t communicator) {
  sums.event({object, from, kCollective, 7});
  sums.event({object, from, 50100001, 8});
  sums.event({object, from, 50100004, communicator});
  sums.event({object, to, kCollective, 0});
}

TEST(Sums, SumCollectivesByCommunicator) {
  Sums sums;
  Layout layout;
  layout.objects = {{0, 0, 0, 0, 0}, {0, 1, 0, 1, 0}, {1, 0, 0, 2, 0}};
  layout.communicators = {{0, 1, {0, 1}}, {0, 2, {1}}, {1, 1, {0}}, {1, 9, {0}}};
  sums.begin(layout);
  collective_in(sums, 0, 10, 20, 1);
  collective_in(sums, 1, 10, 25, 1);
  collective_in(sums, 1, 30, 31, 2);
  collective_in(sums, 2, 30, 37, 1);
  sums.event({0, 40, kP2p, 2});
  sums.event({0, 40, 50100004, 1});  // a receive is no collective
  sums.event({0, 50, kP2p, 0});
  sums.event({0, 60, 50100004, 1});  // of no call
  sums.end({});
  ASSERT_EQ(sums.collectives().size(), 3U);
  const CallTotals& both = sums.collectives().at({0, 1, {kCollective, 7}});
  EXPECT_EQ(both.count, 2U);
  EXPECT_EQ(both.time, 25U);
  EXPECT_EQ(both.longest, 15U);
  EXPECT_EQ(both.sent, 16U);
  EXPECT_EQ(sums.collectives().at({1, 1, {kCollective, 7}}).time, 7U) << "another application";
  const std::string text = to_json(sums).json().text();
  EXPECT_NE(text.find(R"("communicator_ranks":[[0,1,2,1,1,[0,1]],[0,2,1,0,1,[1]],[1,1,1,0,0,[0]]])"),
            std::string::npos)
      << text;
}

TEST(Sums, ListTheFirstRanksOfACommunicatorWithTheirSteps) {
  Sums sums;
  Layout layout;
  layout.objects = {{0, 0, 0, 0, 0}};
  layout.communicators = {{0, 1, {}}, {0, 2, {0, 4, 9}}, {0, 3, {4, 2}}, {0, 4, {}}};
  for (std::uint32_t rank = 0; rank < 100; ++rank) layout.communicators[0].tasks.push_back(3 * rank);
  sums.begin(layout);
  for (std::uint64_t id = 1; id <= 5; ++id) collective_in(sums, 0, 10 * id, 10 * id + 1, id);
  sums.end({});
  const std::string text = to_json(sums).json().text();
  EXPECT_NE(text.find(R"([0,1,100,3,297,[0,3,6,9,12,15,18,21]],[0,2,3,0,9,[0,4,9]],[0,3,2,0,2,[4,2]]])"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace groma::trace
