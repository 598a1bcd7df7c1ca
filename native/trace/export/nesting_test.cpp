#include "trace/export/nesting.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace groma::trace {
namespace {

constexpr std::uint32_t kP2p = 50000001;
constexpr std::uint32_t kCollective = 50000002;
constexpr std::uint32_t kRegion = 90000000;
constexpr std::uint32_t kFunction = 60000019;
constexpr std::uint64_t kSend = 1;
constexpr std::uint64_t kRecv = 2;
constexpr Nanoseconds kEnd = 99;

/// By type and value.
using CallTimes = std::map<std::pair<std::uint32_t, std::uint64_t>, Nanoseconds>;

/// What it heard, as "time+value" and "time-value".
class Heard final : public SliceSink {
 public:
  std::string text_of(const Event& begin, Events beside) override {
    std::string made;
    for (const Event& one : beside) {
      if (one.type != begin.type) made += std::to_string(one.value);
    }
    return made;
  }
  void enter(ObjectIndex object, Nanoseconds time, const Slice& slice) override {
    hear(object, time, '+', slice);
    open[object].push_back(slice.begin);
    texts += slice.text;
  }
  void leave(ObjectIndex object, Nanoseconds time, const Slice& slice) override {
    hear(object, time, '-', slice);
    auto& there = open[object];
    nests = nests && !there.empty() && there.back().type == slice.begin.type &&
            there.back().value == slice.begin.value;
    if (there.empty()) return;
    if (is_call(slice.begin.type)) {
      times[object][{slice.begin.type, slice.begin.value}] += time - began[object].back();
    }
    there.pop_back();
    began[object].pop_back();
  }

  std::map<ObjectIndex, std::vector<Event>> open;
  std::map<ObjectIndex, std::vector<Nanoseconds>> began;
  std::map<ObjectIndex, Nanoseconds> last;
  std::map<ObjectIndex, CallTimes> times;  ///< in calls
  std::string steps;
  std::string texts;
  bool nests = true;
  bool is_in_order = true;

 private:
  void hear(ObjectIndex object, Nanoseconds time, char what, const Slice& slice) {
    steps += (steps.empty() ? "" : " ") + std::to_string(time) + what + std::to_string(slice.begin.value);
    is_in_order = is_in_order && last[object] <= time;
    last[object] = time;
    if (what == '+') began[object].push_back(time);
  }
};

struct Given {
  Nanoseconds time;
  std::uint32_t type;
  std::uint64_t value;
};

Heard& taken(Heard& heard, const std::vector<Given>& events) {
  Nesting nesting(heard);
  nesting.begin(1);
  for (const Given& one : events) nesting.take({0, one.time, one.type, one.value});
  nesting.end(kEnd);
  return heard;
}

std::string steps(const std::vector<Given>& events) {
  Heard heard;
  return taken(heard, events).steps;
}

TEST(NestingTest, LetsAFunctionGoOnAfterTheOneThatItCalled) {
  EXPECT_EQ(steps({{0, kFunction, 1},
                   {10, kFunction, 1},
                   {20, kFunction, 2},
                   {30, kFunction, 0},
                   {40, kFunction, 0}}),
            "0+1 10+1 20+2 30-2 40-1 99-1");
}

TEST(NestingTest, MakesTwoOfARegionThatBeginsInACallAndEndsAfterIt) {
  EXPECT_EQ(steps({{1, kP2p, kRecv}, {2, kRegion, 7}, {3, kP2p, 0}, {4, kRegion, 0}}),
            "1+2 2+7 3-7 3-2 3+7 4-7");
}

TEST(NestingTest, MakesTwoOfACallWithinWhichARegionEnds) {
  EXPECT_EQ(steps({{1, kRegion, 7}, {2, kP2p, kRecv}, {3, kRegion, 0}, {4, kP2p, 0}}),
            "1+7 2+2 3-2 3-7 3+2 4-2");
}

TEST(NestingTest, EndsRegionsWithinOneThatIsOpenAlready) {
  EXPECT_EQ(steps({{1, kRegion, 1}, {2, kRegion, 2}, {3, kRegion, 1}, {4, kP2p, kRecv}}),
            "1+1 2+2 3-2 4+2 99-2 99-1");
}

TEST(NestingTest, EndsWhatIsOpenBeforeOtherThingsBeginInWhateverOrderTheTraceSaysIt) {
  EXPECT_EQ(steps({{1, kP2p, kSend}, {5, kP2p, kRecv}, {5, kP2p, 0}, {8, kP2p, 0}}), "1+1 5-1 5+2 8-2");
  EXPECT_EQ(steps({{1, kP2p, kSend}, {5, kRegion, 7}, {5, kP2p, 0}, {9, kP2p, kRecv}, {9, kRegion, 0}}),
            "1+1 5-1 5+7 9-7 9+2 99-2");
}

TEST(NestingTest, EndsWhatEndsAtOneTimeAtOnce) {
  EXPECT_EQ(steps({{1, kFunction, 1},
                   {2, kFunction, 2},
                   {3, kRegion, 7},
                   {4, kFunction, 3},
                   {9, kFunction, 0},
                   {9, kFunction, 0},
                   {9, kFunction, 0},
                   {9, kRegion, 0}}),
            "1+1 2+2 3+7 4+3 9-3 9-7 9-2 9-1")
      << "no parts of the region without time";
}

/// Only an end of the call's own type ends it where it begins.
TEST(NestingTest, GivesNoEndWithoutACallToACallThatBeginsThere) {
  EXPECT_EQ(steps({{5, kP2p, 0}, {5, kP2p, kSend}, {9, kP2p, 0}}), "5+1 9-1");
  EXPECT_EQ(steps({{5, kP2p, kSend}, {5, kCollective, 0}, {9, kP2p, 0}}), "5+1 9-1");
  EXPECT_EQ(steps({{0, kP2p, 0}, {0, kFunction, 0}}), "");
}

TEST(NestingTest, HasCallsWithoutTime) {
  EXPECT_EQ(steps({{5, kP2p, kSend}, {5, kP2p, 0}, {5, kP2p, kRecv}, {5, kP2p, 0}}), "5+1 5-1 5+2 5-2");
}

TEST(NestingTest, TakesABeginThatIsSaidTwiceOnce) {
  EXPECT_EQ(steps({{5, kP2p, kSend}, {5, kP2p, kSend}, {9, kP2p, 0}}), "5+1 9-1");
}

TEST(NestingTest, ReadsLinesOfOtherThreadsBetweenThoseOfOneTime) {
  Heard heard;
  Nesting nesting(heard);
  nesting.begin(2);
  nesting.take({0, 5, kP2p, kSend});
  nesting.take({1, 5, kP2p, kRecv});
  nesting.take({0, 5, 50100001, 8});
  nesting.take({0, 7, kP2p, 0});
  nesting.end(kEnd);
  EXPECT_EQ(heard.texts, "8");
  EXPECT_EQ(heard.steps, "5+1 7-1 5+2 99-2");
}

TEST(NestingTest, LeavesFunctionsOutThatLieTooDeep) {
  std::vector<Given> events;
  for (std::uint64_t deep = 0; deep < kDeepestNest + 5; ++deep) events.push_back({deep, kFunction, 3});
  for (std::uint64_t deep = 0; deep < kDeepestNest + 5; ++deep) events.push_back({9000, kFunction, 0});
  Heard heard;
  taken(heard, events);
  EXPECT_TRUE(heard.nests);
  EXPECT_TRUE(heard.open[0].empty());
}

/// The time of each type of call of a thread, as events are paired everywhere.
class PairedTimes {
 public:
  void take(const Event& event) {
    const Event open = pairing_.open();
    const CallPairing::Step step = pairing_.take(event);
    if (step != CallPairing::Step::kEnds && step != CallPairing::Step::kReplaces) return;
    times[{open.type, open.value}] += event.time - open.time;
  }
  void end(Nanoseconds last) {
    if (pairing_.is_open())
      times[{pairing_.open().type, pairing_.open().value}] += last - pairing_.open().time;
  }
  CallTimes times;

 private:
  CallPairing pairing_;
};

/// With few times and values, so that many are equal.
TEST(NestingTest, NestsAnyEventsAndGivesCallsTheTimesOfTheirPairs) {
  std::mt19937 random(4);
  const auto below = [&](std::uint32_t bound) { return static_cast<std::uint32_t>(random() % bound); };
  constexpr std::array<std::uint32_t, 6> types{kP2p, kCollective, 50000003, kRegion, kFunction, 50100001};
  for (int round = 0; round < 2000; ++round) {
    Heard heard;
    Nesting nesting(heard);
    nesting.begin(2);
    std::array<PairedTimes, 2> paired;
    Nanoseconds time = 0;
    for (std::uint32_t left = below(30); left > 0; --left) {
      time += below(3);
      const Event event{below(2), time, types[below(types.size())], below(3)};
      nesting.take(event);
      if (is_call(event.type)) paired[event.object].take(event);
    }
    nesting.end(time);
    EXPECT_TRUE(heard.nests);
    EXPECT_TRUE(heard.is_in_order);
    for (ObjectIndex object = 0; object < 2; ++object) {
      EXPECT_TRUE(heard.open[object].empty());
      paired[object].end(time);
      EXPECT_EQ(heard.times[object], paired[object].times) << round;
    }
  }
}

}  // namespace
}  // namespace groma::trace
