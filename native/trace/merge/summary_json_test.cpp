#include "trace/merge/summary_json.hpp"

#include <gtest/gtest.h>

#include "base/utf8.hpp"

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

TEST(SummaryJson, IsUtf8WhateverNamesALogHas) {
  MergeSummary summary;
  summary.program = "/home/m\xfcll/prog";
  summary.library = "\xfc";
  summary.hosts.push_back({"\xfc", Alignment::kReference, 0, 0});
  summary.refused.push_back({"damaged", "m\xfcll is no log", ""});
  ThreadSummary& thread = summary.threads.emplace_back();
  thread.host = thread.no_counters = "\xfc";
  thread.counters.push_back({"\xfc", 0, 0});
  const std::string text = to_json(summary).text();
  EXPECT_EQ(valid_utf8_prefix(text), text.size()) << text;
  EXPECT_NE(text.find(R"("program":"/home/müll/prog")"), std::string::npos) << text;
}

}  // namespace
}  // namespace groma::trace
