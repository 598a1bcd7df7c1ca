#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "testing/cut_runs.hpp"
#include "testing/trace_sink.hpp"
#include "trace/edit/async_sink.hpp"
#include "trace/edit/cut.hpp"
#include "trace/edit/duration.hpp"
#include "trace/edit/filter.hpp"
#include "trace/edit/sorter.hpp"

namespace groma::trace {
namespace {

using test::TraceInMemory;
using Times = std::vector<std::tuple<Nanoseconds, std::uint32_t, std::uint64_t>>;

constexpr std::uint32_t kP2p = 50000001;
constexpr std::uint32_t kCollective = 50000002;
constexpr std::uint32_t kBytes = 50100001;
constexpr std::uint32_t kInstructions = 42000050;

Layout two_tasks() {
  Layout layout;
  layout.duration = 1000;
  layout.objects = {{0, 0, 0, 0, 0}, {0, 1, 0, 1, 0}};
  return layout;
}

Times events_of(const TraceInMemory& trace, ObjectIndex object) {
  Times found;
  for (const Event& one : trace.events) {
    if (one.object == object) found.emplace_back(one.time, one.type, one.value);
  }
  return found;
}

TEST(Sorter, BringsRecordsIntoOrderAndKeepsThatOfEqualTimes) {
  TraceInMemory sorted;
  Sorter sorter(sorted, ::testing::TempDir());
  sorter.begin(two_tasks());
  sorter.event({0, 50, 1, 1});
  sorter.event({0, 50, 1, 0});
  sorter.event({0, 20, 1, 7});
  sorter.state({0, 5, 20, 1});
  sorter.communication({0, 1, 30, 1, 2, 40, 8, 0});
  sorter.end({});
  EXPECT_TRUE(sorter.status());
  EXPECT_EQ(events_of(sorted, 0), (Times{{20, 1, 7}, {50, 1, 1}, {50, 1, 0}}));
  EXPECT_EQ(sorted.states.size(), 1U);
  EXPECT_EQ(sorted.communications.at(0).physical_send, 30U);
  EXPECT_TRUE(sorted.ended);
}

TEST(Sorter, EndsNoTraceOfWhichRecordsAreLost) {
  TraceInMemory sorted;
  Sorter sorter(sorted, ::testing::TempDir());
  sorter.begin(two_tasks());
  for (Nanoseconds time = 0; time < 300'000; ++time) sorter.event({0, time, 1, 1});
  ASSERT_GT(groma::test::cut_sorted_runs(), 0U);
  sorter.end({});
  EXPECT_FALSE(sorter.status());
  EXPECT_FALSE(sorted.ended);
}

TEST(AsyncSink, HandsOnAllInOrder) {
  TraceInMemory trace;
  {
    AsyncSink async_sink(trace);
    async_sink.begin(two_tasks());
    for (Nanoseconds i = 0; i < 100'000; ++i) async_sink.event({0, i, 1, i});
    async_sink.state({0, 1, 2, 3});
    async_sink.end({});
  }
  ASSERT_EQ(trace.events.size(), 100'000U);
  for (Nanoseconds i = 0; i < 100'000; ++i) ASSERT_EQ(trace.events[i].time, i);
  EXPECT_EQ(trace.states.size(), 1U);
  EXPECT_TRUE(trace.ended);
}

/// Notes of which kind each record is.
class Kinds final : public Sink {
 public:
  void begin(const Layout& /*layout*/) override {}
  void state(const State& one) override { add('s', one.begin); }
  void event(const Event& one) override { add('e', one.time); }
  void communication(const Communication& one) override { add('c', one.physical_send); }
  void end(const Names& /*names*/) override {}

  std::vector<std::pair<char, Nanoseconds>> all;

 private:
  void add(char kind, Nanoseconds time) { all.emplace_back(kind, time); }
};

TEST(AsyncSink, KeepsTheOrderAmongRecordsOfDifferentKinds) {
  constexpr Nanoseconds kRecords = 50'000;
  Kinds kinds;
  AsyncSink async_sink(kinds);
  async_sink.begin(two_tasks());
  for (Nanoseconds i = 0; i < kRecords; ++i) {
    if (i % 7 == 0) {
      async_sink.communication({0, 0, i, 1, 0, i, 8, 0});
    } else if (i % 3 == 0) {
      async_sink.state({0, i, i + 1, 1});
    } else {
      async_sink.event({0, i, 1, 1});
    }
  }
  async_sink.end({});
  ASSERT_EQ(kinds.all.size(), kRecords);
  for (Nanoseconds i = 0; i < kRecords; ++i) {
    const char kind = i % 7 == 0 ? 'c' : i % 3 == 0 ? 's' : 'e';
    ASSERT_EQ(kinds.all[i], std::pair(kind, i));
  }
}

TEST(AsyncSink, MayBeLeftBeforeTheEnd) {
  TraceInMemory trace;
  AsyncSink async_sink(trace);
  async_sink.begin(two_tasks());
  async_sink.event({0, 1, 1, 1});
  EXPECT_FALSE(trace.ended);
}

/// Fails at the first record.
class Failing final : public Sink {
 public:
  void begin(const Layout& /*layout*/) override {}
  void state(const State& /*one*/) override { throw std::runtime_error("no memory"); }
  void event(const Event& /*one*/) override {}
  void communication(const Communication& /*one*/) override {}
  void end(const Names& /*names*/) override {}
};

TEST(AsyncSink, BringsBackTheFailureOfItsSink) {
  Failing failing;
  AsyncSink async_sink(failing);
  async_sink.begin(two_tasks());
  async_sink.state({});
  EXPECT_THROW(async_sink.end({}), std::runtime_error);
}

struct CutTrace {
  TraceInMemory trace;
  std::uint64_t cut_messages = 0;
};

std::unique_ptr<CutTrace> cut(CutRange range) {
  auto made = std::make_unique<CutTrace>();
  range.date = "20260102030405";
  Cut cutter(made->trace, std::move(range));
  cutter.begin(two_tasks());
  cutter.state({0, 0, 100, 1});
  cutter.event({0, 100, kP2p, 2});
  cutter.state({0, 100, 300, 3});
  cutter.event({1, 200, kInstructions, 5});
  cutter.communication({0, 110, 250, 1, 150, 260, 8, 0});
  cutter.communication({0, 210, 255, 1, 220, 260, 16, 0});
  cutter.event({0, 300, kP2p, 0});
  cutter.event({0, 300, kInstructions, 9});
  cutter.event({0, 350, kCollective, 8});
  cutter.event({0, 350, kBytes, 64});
  cutter.state({0, 350, 900, 13});
  cutter.event({0, 900, kCollective, 0});
  cutter.end({});
  made->cut_messages = cutter.cut_messages();
  return made;
}

TEST(Cut, ClipsStatesAndKeepsOpenCalls) {
  const auto made = cut({200, 400, true, "a.prv", ""});
  ASSERT_EQ(made->trace.states.size(), 2U);
  EXPECT_EQ(made->trace.states[0].begin, 200U);
  EXPECT_EQ(made->trace.states[1].end, 400U);
  const Times expected{{200, kP2p, 2},        {300, kP2p, 0},    {300, kInstructions, 9},
                       {350, kCollective, 8}, {350, kBytes, 64}, {400, kCollective, 0}};
  EXPECT_EQ(events_of(made->trace, 0), expected);
  EXPECT_EQ(events_of(made->trace, 1), (Times{{200, kInstructions, 5}}));
  EXPECT_EQ(made->trace.communications.size(), 1U);
  EXPECT_EQ(made->cut_messages, 1U);
  EXPECT_EQ(made->trace.layout.duration, 400U);
  EXPECT_EQ(made->trace.layout.comments.back(), "20260102030405:CUTTER:ORIGINAL:\"a.prv\":0:200:400");
}

TEST(Cut, CountsTimesFromItsBegin) {
  const auto made = cut({200, 400, false, "a.prv", ""});
  EXPECT_EQ(events_of(made->trace, 0).front(), std::tuple(Nanoseconds{0}, kP2p, std::uint64_t{2}));
  EXPECT_EQ(made->trace.communications.at(0).logical_send, 10U);
  EXPECT_EQ(made->trace.layout.duration, 200U);
  EXPECT_EQ(made->trace.layout.comments.back(), "20260102030405:CUTTER:ORIGINAL:\"a.prv\":200:200:400");
}

TEST(Cut, ShowsNoCallThatEndsWhereItBeginsNorOneThatBeginsWhereItEnds) {
  const Times expected{{300, kInstructions, 9}};
  EXPECT_EQ(events_of(cut({300, 350, true, "", ""})->trace, 0),
            (Times{{300, kInstructions, 9}, {350, kBytes, 64}}));
  EXPECT_EQ(events_of(cut({300, 340, true, "", ""})->trace, 0), expected);
}

TEST(Cut, OpensACallThatGoesOverAllOfIt) {
  EXPECT_EQ(events_of(cut({400, 500, true, "", ""})->trace, 0),
            (Times{{400, kCollective, 8}, {500, kCollective, 0}}));
  const auto at_begin = cut({350, 500, true, "", ""});
  EXPECT_EQ(events_of(at_begin->trace, 0),
            (Times{{350, kCollective, 8}, {350, kBytes, 64}, {500, kCollective, 0}}));
}

/// What the first task shows from 500 to 1500.
Times cut_calls(const std::vector<Event>& events) {
  TraceInMemory trace;
  Cut cutter(trace, {500, 1500, true, "", ""});
  cutter.begin(two_tasks());
  for (const Event& one : events) cutter.event(one);
  cutter.end({});
  return events_of(trace, 0);
}

TEST(Cut, DoesNotOpenACallThatAnotherEnded) {
  EXPECT_EQ(cut_calls({{0, 100, kP2p, 4},
                       {0, 200, 50000003, 19},
                       {0, 300, 50000003, 0},
                       {0, 1600, kP2p, 6},
                       {0, 1900, kP2p, 0}}),
            (Times{}));
}

TEST(Cut, OpensACallWhoseBeginPrecedesTheEndOfTheOneBefore) {
  EXPECT_EQ(cut_calls({{0, 100, kP2p, 4}, {0, 200, kP2p, 5}, {0, 200, kP2p, 0}, {0, 1600, kP2p, 0}}),
            (Times{{500, kP2p, 5}, {1500, kP2p, 0}}));
}

TEST(Cut, KeepsCallsWithoutTimeAtItsLimits) {
  EXPECT_EQ(cut_calls({{0, 1500, kP2p, 4}, {0, 1500, kP2p, 0}, {0, 1600, kBytes, 1}}),
            (Times{{1500, kP2p, 4}, {1500, kP2p, 0}}));
  EXPECT_EQ(cut_calls({{0, 1400, kP2p, 4},
                       {0, 1500, kP2p, 0},
                       {0, 1500, kP2p, 5},
                       {0, 1500, kP2p, 0},
                       {0, 1600, kBytes, 1}}),
            (Times{{1400, kP2p, 4}, {1500, kP2p, 0}, {1500, kP2p, 5}, {1500, kP2p, 0}}));
  EXPECT_EQ(
      cut_calls({{0, 400, kP2p, 4},
                 {0, 500, kP2p, 0},
                 {0, 500, kP2p, 5},
                 {0, 500, kBytes, 8},
                 {0, 500, kP2p, 0},
                 {0, 500, kCollective, 7},
                 {0, 1600, kBytes, 1}}),
      (Times{
          {500, kP2p, 5}, {500, kBytes, 8}, {500, kP2p, 0}, {500, kCollective, 7}, {1500, kCollective, 0}}));
}

TEST(Cut, LeavesOutCallsThatBeginAtItsEndAndGoOn) {
  EXPECT_EQ(cut_calls({{0, 1500, kP2p, 4}, {0, 1500, kP2p, 0}, {0, 1500, kP2p, 5}, {0, 1600, kP2p, 0}}),
            (Times{{1500, kP2p, 4}, {1500, kP2p, 0}}));
}

constexpr std::uint32_t kFunction = 60000019;

/// Functions in functions, of which Extrae tells ends by 0: 7 from 0 to 90, 8 within from 20 to 50, 9
/// from 50.
Times cut_functions(Nanoseconds from, Nanoseconds to) {
  TraceInMemory trace;
  Cut cutter(trace, {from, to, true, "", ""});
  cutter.begin(two_tasks());
  cutter.event({0, 0, kFunction, 7});
  cutter.event({0, 20, kFunction, 8, 3});
  cutter.event({0, 50, kFunction, 0});
  cutter.event({0, 50, kFunction, 9});
  cutter.event({0, 50, kFunction, 0});
  cutter.event({0, 60, kBytes, 1});
  cutter.event({0, 90, kFunction, 0});
  cutter.end({});
  for (const Event& one : trace.events) {
    if (one.type == kFunction && one.value == 8) {
      EXPECT_EQ(one.cpu, 3U);
    }
  }
  return events_of(trace, 0);
}

TEST(Cut, OpensAndClosesFunctionsAsTheyAreInEachOther) {
  EXPECT_EQ(cut_functions(10, 30),
            (Times{{10, kFunction, 7}, {20, kFunction, 8}, {30, kFunction, 0}, {30, kFunction, 0}}));
  EXPECT_EQ(cut_functions(20, 30),
            (Times{{20, kFunction, 7}, {20, kFunction, 8}, {30, kFunction, 0}, {30, kFunction, 0}}));
  EXPECT_EQ(cut_functions(30, 50),
            (Times{{30, kFunction, 7}, {30, kFunction, 8}, {50, kFunction, 0}, {50, kFunction, 0}}))
      << "what begins and ends at the end does not show";
  EXPECT_EQ(cut_functions(50, 100), (Times{{50, kFunction, 7}, {60, kBytes, 1}, {90, kFunction, 0}}));
}

/// Tells whether the end was handed on: only then a file gets its name.
class EndSink final : public Sink {
 public:
  void begin(const Layout& /*layout*/) override {}
  void state(const State& /*state*/) override {}
  void event(const Event& /*event*/) override {}
  void communication(const Communication& /*message*/) override {}
  void end(const Names& /*names*/) override { ended = true; }
  bool ended = false;
};

bool has_a_part(Nanoseconds from, bool has_records) {
  EndSink next;
  Cut cutter(next, {from, from + 100, false, "", ""});
  Layout layout = two_tasks();
  layout.duration = 1000;
  cutter.begin(layout);
  if (has_records) cutter.state({0, 0, 500, 1});
  cutter.end({});
  EXPECT_EQ(next.ended, cutter.has_a_part());
  return next.ended;
}

TEST(Cut, HasNoPartOfATraceThatEndsBefore) {
  EXPECT_TRUE(has_a_part(499, true));
  EXPECT_FALSE(has_a_part(500, true));
  EXPECT_TRUE(has_a_part(999, false)) << "without records, the header says where the trace ends";
  EXPECT_FALSE(has_a_part(1000, false));
}

TEST(Cut, KeepsNotesOfEarlierCuts) {
  TraceInMemory trace;
  Cut cutter(trace, {10, 20, true, "b.prv", "20260102030405"});
  Layout layout = two_tasks();
  layout.comments = {"20250102030405:CUTTER:ORIGINAL:\"a.prv\":0:0:1000"};
  cutter.begin(layout);
  ASSERT_EQ(trace.layout.comments.size(), 2U);
  EXPECT_EQ(trace.layout.comments[0], layout.comments[0]);
}

std::unique_ptr<TraceInMemory> filtered(FilterRules rules) {
  auto kept = std::make_unique<TraceInMemory>();
  Filter filter(*kept, std::move(rules));
  filter.begin(two_tasks());
  filter.state({0, 0, 5, 1});
  filter.state({0, 5, 100, 1});
  filter.state({1, 0, 5, 13});
  filter.event({0, 1, kP2p, 1});
  filter.event({1, 1, kInstructions, 1});
  filter.communication({0, 1, 1, 1, 1, 1, 10, 0});
  filter.communication({0, 1, 1, 0, 1, 1, 1000, 0});
  filter.end({});
  EXPECT_EQ(filter.kept() + filter.dropped(), 7U);
  return kept;
}

TEST(Filter, KeepsAllWithoutRules) {
  const auto kept = filtered({});
  EXPECT_EQ(kept->states.size() + kept->events.size() + kept->communications.size(), 7U);
}

TEST(Filter, KeepsWhatItsRulesSay) {
  FilterRules rules;
  rules.shortest_burst = 50;
  rules.types.add(50000000, 50000010);
  rules.smallest_message = 100;
  const auto kept = filtered(rules);
  EXPECT_EQ(kept->states.size(), 2U);
  EXPECT_EQ(kept->events.size(), 1U);
  EXPECT_EQ(kept->communications.size(), 1U);
}

TEST(Filter, KeepsMessagesWithinTheTasks) {
  FilterRules rules;
  rules.tasks.add(0, 0);
  rules.left_out_types.add(kP2p, kP2p);
  const auto kept = filtered(rules);
  EXPECT_EQ(kept->states.size(), 2U);
  EXPECT_TRUE(kept->events.empty());
  ASSERT_EQ(kept->communications.size(), 1U);
  EXPECT_EQ(kept->communications[0].receiver, 0U);
}

TEST(Edit, HandsOnATraceAsItIs) {
  TraceInMemory trace;
  Edit unchanged;
  EXPECT_EQ(&unchanged.begin(trace), &trace);
  EXPECT_TRUE(unchanged.is_right(1000));
}

TEST(DurationEdit, SetsTheLengthOfATrace) {
  TraceInMemory trace;
  DurationEdit edit(70);
  Sink& sink = edit.begin(trace);
  sink.begin(two_tasks());
  sink.event({0, 50, 1, 1});
  sink.end({});
  EXPECT_EQ(trace.layout.duration, 70U);
  EXPECT_EQ(events_of(trace, 0), (Times{{50, 1, 1}}));
  EXPECT_TRUE(trace.ended);
}

TEST(CutEdit, EndsWithTheTraceAndSaysWhereNothingIsInItsRange) {
  for (const Nanoseconds from : {Nanoseconds{10}, Nanoseconds{60}}) {
    TraceInMemory trace;
    CutRange range;
    range.from = from;
    range.to = 100;
    CutEdit edit(range);
    for (int pass = 0; pass < 2; ++pass) {
      Sink& sink = edit.begin(trace);
      sink.begin(two_tasks());
      sink.state({0, 0, 50, 1});
      sink.end({});
      EXPECT_EQ(edit.is_right(50), from == 60 || pass == 1);
    }
    JsonObject said;
    const Status status = edit.report(said);
    EXPECT_EQ(static_cast<bool>(status), from == 10);
    if (from == 10) {
      EXPECT_EQ(trace.layout.duration, 40U);
    } else {
      EXPECT_NE(status.error().what.find("nothing lies between"), std::string::npos);
    }
  }
}

TEST(FilterEdit, AsksForTheTraceAgainWhereItsLengthWasWrong) {
  for (const bool is_sized_before : {false, true}) {
    TraceInMemory trace;
    FilterRules rules;
    ASSERT_TRUE(read_rule("--states=1", rules));
    FilterEdit edit(std::move(rules), is_sized_before);
    const auto pass = [&] {
      Sink& sink = edit.begin(trace);
      sink.begin(two_tasks());
      sink.state({0, 0, 50, 1});
      sink.state({0, 50, 90, 2});
      sink.end({});
      return edit.is_right(90);
    };
    EXPECT_EQ(pass(), !is_sized_before);
    EXPECT_TRUE(pass());
    EXPECT_EQ(trace.layout.duration, is_sized_before ? 50U : 1000U);
    JsonObject said;
    EXPECT_TRUE(edit.report(said));
    EXPECT_EQ(said.json().text(), R"({"kept":1,"dropped":1})");
  }
}

TEST(FilterRules, AreReadFromWords) {
  FilterRules rules;
  for (const char* word : {"--types=3,7-9", "--shortest-burst=20", "--no-messages"}) {
    EXPECT_TRUE(read_rule(word, rules)) << word;
  }
  EXPECT_TRUE(rules.types.hold(8));
  EXPECT_FALSE(rules.types.hold(4));
  EXPECT_EQ(rules.shortest_burst, 20U);
  EXPECT_TRUE(rules.no_messages);
  for (const char* word :
       {"--types", "--types=", "--types=5-3", "--types=a", "--tasks=1,", "--no-types", "3"}) {
    EXPECT_FALSE(read_rule(word, rules)) << word;
  }
}

}  // namespace
}  // namespace groma::trace
