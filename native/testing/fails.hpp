// For tests of tests: a mutated kernel must not meet the expectations that the right one meets.
#pragma once

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

namespace groma {

/// Whether any expectation fails that `check` states on this thread. Such failures stay in here.
template <class Check>
bool fails(const Check& check) {
  testing::TestPartResultArray results;
  {
    const testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
    check();
  }
  for (int i = 0; i < results.size(); ++i) {
    if (results.GetTestPartResult(i).failed()) return true;
  }
  return false;
}

}  // namespace groma
