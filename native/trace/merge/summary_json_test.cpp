#include "trace/merge/summary_json.hpp"

#include <gtest/gtest.h>

namespace groma::trace {
namespace {

/// 3 * 1e-9 is 3.0000000000000004e-09.
TEST(SummaryJson, PrintsTimesAsTheDecimalsThatTheyAre) {
  MergeSummary summary;
  summary.duration = 3;
  ThreadSummary& thread = summary.threads.emplace_back();
  thread.begin = 9;
  thread.end = 300'000'000;
  const std::string text = to_json(summary).text();
  EXPECT_NE(text.find(R"("duration":3e-09,)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("begin":9e-09,"end":0.3,)"), std::string::npos) << text;
}

}  // namespace
}  // namespace groma::trace
