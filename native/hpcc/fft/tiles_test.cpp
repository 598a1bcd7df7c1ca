#include "hpcc/fft/tiles.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace groma::hpcc::fft {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

Complex root(std::uint64_t exponent, std::uint64_t n) {
  const auto turn = static_cast<long double>(exponent % n) / static_cast<long double>(n);
  const long double angle = -2.0L * std::numbers::pi_v<long double> * turn;
  return {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
}

TEST(Roots, are_powers_to_the_last_bits) {
  for (const std::uint64_t n :
       {1ULL, 2ULL, 7ULL, 360ULL, 4096ULL, 1ULL << 32U, 3ULL * 3 * 5 * (1ULL << 25U)}) {
    const Roots roots(n, 64);
    for (const std::uint64_t exponent : {n - n, n / 7, n / 4, n / 3, n / 2, n - 1}) {
      EXPECT_LT(std::abs(roots.power(exponent) - root(exponent, n)), 3 * kEpsilon) << exponent << " of " << n;
    }
    for (std::uint64_t i = 0; i < 64; ++i) {
      EXPECT_LT(std::abs(roots.consecutive()[i] - root(i, n)), kEpsilon);
    }
  }
}

TEST(Roots, of_products_do_not_overflow) {
  const std::uint64_t n = 1ULL << 36U;
  EXPECT_LT(std::abs(Roots(n, 1).power_of_product(n - 1, n - 1) - root(1, n)), 3 * kEpsilon);
}

/// Distinct numbers in rows with a gap, or in columns.
std::vector<Complex> numbers(std::size_t count) {
  std::vector<Complex> all;
  for (std::size_t i = 0; i < count; ++i) {
    all.emplace_back(static_cast<double>(i), 0.5 - static_cast<double>(i % 13));
  }
  return all;
}

constexpr std::size_t kRows = 37;
constexpr std::size_t kStride = 12;
constexpr std::size_t kPitch = 60;
constexpr std::size_t kAt = 5;

class Tiles : public testing::TestWithParam<const TileKernels*> {
 protected:
  const TileKernels& kernels = *GetParam();
};

TEST_P(Tiles, gather_columns_and_touch_nothing_else) {
  const std::vector<Complex> memory = numbers(kRows * kStride);
  for (std::size_t rows = 0; rows <= kRows; ++rows) {
    for (std::size_t width = 1; width <= kGroup; ++width) {
      std::vector<Complex> columns(kGroup * kPitch, Complex(-1.0));
      kernels.gather({memory.data(), kStride, rows}, width, {columns.data(), kPitch}, kAt);
      for (std::size_t c = 0; c < kGroup; ++c) {
        for (std::size_t i = 0; i < kPitch; ++i) {
          const bool inside = c < width && i >= kAt && i < kAt + rows;
          const Complex expected = inside ? memory[(i - kAt) * kStride + c] : Complex(-1.0);
          ASSERT_EQ(columns[c * kPitch + i], expected) << rows << " x " << width;
        }
      }
    }
  }
}

/// Scatters with and without factors, and compares every element of the memory.
void expect_scattered(const TileKernels& kernels, std::size_t rows, std::size_t width, Stores stores) {
  constexpr std::uint64_t kOrder = 3 * 5 * 1024;
  const Roots roots(kOrder, 256);
  const Twiddles twiddles{&roots, 3, 77};
  const std::vector<Complex> columns = numbers(kGroup * kPitch);
  alignas(64) std::array<Complex, kRows * kStride> plain;
  plain.fill(Complex(-1.0));
  alignas(64) std::array<Complex, kRows* kStride> twiddled = plain;
  kernels.scatter({const_cast<Complex*>(columns.data()), kPitch}, kAt, width, {plain.data(), kStride, rows},
                  stores);
  kernels.scatter_twiddled({const_cast<Complex*>(columns.data()), kPitch}, kAt, width,
                           {twiddled.data(), kStride, rows}, stores, twiddles);
  drain_stores();
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t c = 0; c < kStride; ++c) {
      const bool inside = i < rows && c < width;
      const Complex value = inside ? columns[c * kPitch + kAt + i] : Complex(-1.0);
      const Complex factor = inside ? root((3 + i) * (77 + c), kOrder) : Complex(1.0);
      ASSERT_EQ(plain[i * kStride + c], value) << rows << " x " << width;
      ASSERT_LT(std::abs(twiddled[i * kStride + c] - value * factor), 8 * kEpsilon * std::abs(value) + 1e-300)
          << rows << " x " << width;
    }
  }
}

TEST_P(Tiles, scatter_rows_and_touch_nothing_else) {
  for (const Stores stores : {Stores::kCached, Stores::kBypassing}) {
    for (std::size_t rows = 0; rows <= kRows; ++rows) {
      for (std::size_t width = 1; width <= kGroup; ++width) expect_scattered(kernels, rows, width, stores);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(of_each_instruction_set, Tiles, testing::ValuesIn(tile_kernels()));

}  // namespace
}  // namespace groma::hpcc::fft
