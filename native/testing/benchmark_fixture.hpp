// A benchmark as the suite runs it, for tests: the plan is set, then `run_benchmark` called. On all ranks.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "hpcc/benchmark.hpp"
#include "testing/collecting_sink.hpp"

namespace groma::hpcc {

struct BenchmarkRun {
  const mpi::Communicator world = mpi::Communicator::world();
  const SystemClock clock;
  std::atomic<bool> cancelled = false;
  Plan plan;
  CollectingSink sink;
  Outcome outcome;

  void run_benchmark(std::string_view name) {
    const job::Measuring measuring{world, clock, cancelled, sink, plan.effort.repetitions, clock.now()};
    auto ran = Benchmarks::find(name)->run({measuring, plan});
    ASSERT_TRUE(ran);
    outcome = std::move(ran).value();
  }
  /// Of the summary; empty if the key is not there.
  [[nodiscard]] std::string value_of(std::string_view key) const {
    const auto found = std::ranges::find(outcome.summary, key, &SummaryEntry::key);
    return found == outcome.summary.end() ? "" : found->value;
  }
};

}  // namespace groma::hpcc
