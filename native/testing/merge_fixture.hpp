// Tests of what a merge makes of a folder of logs.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>

#include "testing/fakes.hpp"
#include "testing/trace_sink.hpp"
#include "trace/merge/merge.hpp"

namespace groma::trace::test {

class MergeFixture : public ::testing::Test {
 protected:
  MergeSummary merge() { return merge_into(trace); }
  MergeSummary merge_into(Sink& sink) const {
    auto merge = Merge::open(folder);
    EXPECT_TRUE(merge) << merge.error().what;
    auto summary = merge.value().run(sink, folder);
    EXPECT_TRUE(summary) << summary.error().what;
    return summary.value();
  }

  const fake::Tree tree;
  const std::filesystem::path folder = tree.root();
  TraceInMemory trace;
};

}  // namespace groma::trace::test
