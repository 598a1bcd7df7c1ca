#include <gtest/gtest.h>

#include <algorithm>

#include "base/samples.hpp"
#include "hpcc/benchmark.hpp"
#include "testing/collecting_sink.hpp"

namespace groma::hpcc {
namespace {

/// The benchmark on few points, with its samples.
struct BenchmarkResult {
  Outcome outcome;
  CollectingSink sink;
};

BenchmarkResult run_on(std::uint64_t local, std::uint64_t shared, FftSizes sizes = FftSizes::kPowersOfTwo) {
  BenchmarkResult ran;
  Plan plan;
  plan.fft_sizes = sizes;
  plan.sizes.fft = local;
  plan.sizes.mpi_fft = shared;
  plan.effort.repetitions = 2;
  const SystemClock clock;
  const std::atomic<bool> cancelled = false;
  const auto world = mpi::Communicator::world();
  Result<Outcome> outcome = Benchmarks::find("fft")->run(
      {{world, clock, cancelled, ran.sink, plan.effort.repetitions, clock.now()}, plan});
  EXPECT_TRUE(outcome);
  if (outcome) ran.outcome = outcome.value();
  return ran;
}

TEST(fft, tells_every_key_of_the_suite_and_passes_its_checks) {
  const BenchmarkResult ran = run_on(4096, 1000);
  if (!mpi::Communicator::world().is_root()) return;
  EXPECT_EQ(ran.outcome.checks.size(), 6U);
  for (const Check& check : ran.outcome.checks) EXPECT_TRUE(check.passed()) << check.name;
  for (const std::string key :
       {"FFT_N", "StarFFT_Gflops", "SingleFFT_Gflops", "MPIFFT_N", "MPIFFT_Gflops", "MPIFFT_maxErr",
        "MPIFFT_Procs", "MPIFFT_time0", "MPIFFT_time1", "MPIFFT_time2", "MPIFFT_time3", "MPIFFT_time4",
        "MPIFFT_time5", "MPIFFT_time6", "FFTEnblk", "FFTEnp", "FFTEl2size", "CPS_HPCC_FFT_235",
        "CPS_USING_FFTW"}) {
    const auto& summary = ran.outcome.summary;
    EXPECT_EQ(std::count_if(summary.begin(), summary.end(), [&](const auto& one) { return one.key == key; }),
              1)
        << key;
  }
}

TEST(fft, says_which_sizes_it_chose_from) {
  const auto reported = [](FftSizes sizes) {
    const BenchmarkResult ran = run_on(60, 60, sizes);
    const auto& summary = ran.outcome.summary;
    const auto found = std::ranges::find(summary, "CPS_HPCC_FFT_235", &SummaryEntry::key);
    return found == summary.end() ? "" : found->value;
  };
  const std::string powers = reported(FftSizes::kPowersOfTwo);
  const std::string products = reported(FftSizes::kProductsOf235);
  if (!mpi::Communicator::world().is_root()) return;
  EXPECT_EQ(powers, "0");
  EXPECT_EQ(products, "1");
}

TEST(fft, samples_each_rank_one_alone_and_all_together) {
  const BenchmarkResult ran = run_on(64, 64);
  if (!mpi::Communicator::world().is_root()) return;
  const auto ranks = static_cast<std::size_t>(mpi::Communicator::world().size());
  EXPECT_EQ(ran.sink.values.size(), ranks + 2);
}

TEST(fft, runs_where_there_are_more_ranks_than_points) {
  const BenchmarkResult ran = run_on(1, 2);
  for (const Check& check : ran.outcome.checks) EXPECT_TRUE(check.passed()) << check.name;
}

}  // namespace
}  // namespace groma::hpcc
