#include <gtest/gtest.h>

#include "hpcc/plan.hpp"
#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::hpcc {
namespace {

bool has_only_235(std::uint64_t n) {
  for (const std::uint64_t prime : {2U, 3U, 5U}) {
    while (n % prime == 0) n /= prime;
  }
  return n == 1;
}

TEST(largest_235, is_the_largest_one_within_the_limit) {
  EXPECT_EQ(largest_235(0), 0U);
  for (std::uint64_t limit = 1; limit < 3000; ++limit) {
    std::uint64_t expected = limit;
    while (!has_only_235(expected)) --expected;
    EXPECT_EQ(largest_235(limit), expected);
  }
}

TEST(largest_235, does_not_overflow) {
  const std::uint64_t most = ~std::uint64_t{0};
  EXPECT_TRUE(has_only_235(largest_235(most)));
  EXPECT_GT(largest_235(most), most / 100 * 99);
}

TEST(Plan, takes_powers_of_two_for_the_transforms_unless_asked) {
  Input input;
  input.n = {6000};
  input.nb = {192};
  input.grids = {{1, 2}};
  EXPECT_EQ(plan_from(input, 2).value().sizes.fft, 1U << 22U);
  EXPECT_EQ(plan_from(input, 2).value().sizes.mpi_fft, 1U << 22U);
  input.fft_sizes = FftSizes::kProductsOf235;
  const LocalSizes sizes = plan_from(input, 2).value().sizes;
  EXPECT_EQ(sizes.fft, largest_235(18'000'000 / 4));
  EXPECT_GT(sizes.fft, 1U << 22U);
  EXPECT_GT(sizes.mpi_fft, 1U << 22U);
}

}  // namespace
}  // namespace groma::hpcc
