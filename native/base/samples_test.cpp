#include "base/samples.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "testing/collecting_sink.hpp"

namespace groma {
namespace {

TEST(JsonLineSink, WritesTheProtocolLineByLine) {
  std::ostringstream out;
  JsonLineSink sink(out, JsonObject().add("event", "begin").add("probe", "example").add("seed", 7));
  sink.begin({Case("s").with("size_bytes", 4096).with("pages", "huge"), Case("B/s")});
  sink.sample(1, 3, 1.29e-9);
  sink.sample(0, 3, std::numeric_limits<double>::quiet_NaN());
  sink.round({3, Seconds(0.21), Seconds(2.1e-5), 1.002, Seconds(0.0)});
  sink.end(EndReason::kStable);
  EXPECT_EQ(
      out.str(),
      R"({"event":"begin","probe":"example","seed":7,)"
      R"("cases":[{"unit":"s","size_bytes":4096,"pages":"huge"},{"unit":"B/s"}]})"
      "\n"
      R"({"event":"sample","case":1,"round":3,"value":1.29e-09})"
      "\n"
      R"({"event":"sample","case":0,"round":3,"value":null})"
      "\n"
      R"({"event":"round","round":3,"elapsed":0.21,"fixed_work":2.1e-05,"wall_over_cpu":1.002,"steal":0,"discarded":0})"
      "\n"
      R"({"event":"end","ended":"stable"})"
      "\n");
}

TEST(JsonLineSink, HasAWordForEveryEnd) {
  EXPECT_EQ(name_of(EndReason::kStable), "stable");
  EXPECT_EQ(name_of(EndReason::kRounds), "rounds");
  EXPECT_EQ(name_of(EndReason::kBudget), "budget");
  EXPECT_EQ(name_of(EndReason::kInterrupted), "interrupted");
}

TEST(FailureLine, SaysWhatIsWrongAndWhatToDo) {
  EXPECT_EQ(
      failure_line({"probe.no_memory", "too \"little\" memory", "free some"}).text(),
      R"({"event":"failed","code":"probe.no_memory","what":"too \"little\" memory","next":"free some"})");
}

TEST(CollectingSink, KeepsWhatItReceives) {
  CollectingSink sink;
  sink.begin({Case("s"), Case("s")});
  sink.sample(1, 0, 2.5);
  sink.round({});
  sink.end(EndReason::kRounds);
  EXPECT_EQ(sink.labels.front(), R"({"unit":"s"})");
  EXPECT_EQ(sink.values, (std::vector<std::vector<double>>{{}, {2.5}}));
  EXPECT_EQ(sink.rounds.size(), 1U);
  EXPECT_EQ(sink.ended, EndReason::kRounds);
}

}  // namespace
}  // namespace groma
