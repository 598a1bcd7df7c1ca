#include <fftw3.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "hpcc/fft/checks.hpp"
#include "hpcc/fft/transform.hpp"

namespace groma::hpcc::fft {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kLimit = 16.0;
constexpr std::uint64_t kSeed = 42;

/// A transform with the input in place.
class Trial {
 public:
  explicit Trial(std::uint64_t n, const Tuning& tuning = quick(), std::uint32_t threads = 1)
      : pool_(threads), space_(pool_), made_(Transform::make(mpi::Communicator::world(), n, tuning, space_)) {
    fill(get(), kSeed);
  }
  Transform& get() { return made_.value(); }

  /// No time for planning, messages so short that there are many.
  static Tuning quick() {
    return {.planning = Planning::kEstimate, .kernels = nullptr, .stores = std::nullopt, .message = 1_KiB};
  }

 private:
  ThreadPool pool_;
  Workspace space_;
  Result<Transform> made_;
};

std::vector<Complex> whole_input(std::uint64_t n) {
  std::vector<Complex> points;
  for (std::uint64_t i = 0; i < n; ++i) points.push_back(input_point(kSeed, i));
  return points;
}

/// By the definition, in extended precision.
Complex line_of(const std::vector<Complex>& points, std::uint64_t line) {
  std::complex<long double> sum;
  const auto n = static_cast<std::uint64_t>(points.size());
  for (std::uint64_t j = 0; j < n; ++j) {
    const auto turn = static_cast<long double>(j * line % n) / static_cast<long double>(n);
    const long double angle = -2.0L * std::numbers::pi_v<long double> * turn;
    sum += std::complex<long double>(points[j]) * std::polar(1.0L, angle);
  }
  return {static_cast<double>(sum.real()), static_cast<double>(sum.imag())};
}

/// What an error of the spectrum of n points of magnitude 1 may be.
double tolerance(std::uint64_t n) {
  const auto points = static_cast<double>(n);
  return 4.0 * kEpsilon * std::sqrt(points) * (1.0 + std::log2(points));
}

TEST(Transform, follows_the_definition) {
  for (const std::uint64_t n :
       {1U, 2U, 3U, 7U, 8U, 16U, 60U, 64U, 97U, 100U, 225U, 256U, 360U, 1000U, 1024U}) {
    Trial trial(n);
    Transform& transform = trial.get();
    transform.forward();
    const std::vector<Complex> points = whole_input(n);
    const Range own = transform.output();
    for (std::uint64_t k = 0; k < own.count; ++k) {
      const Complex expected = line_of(points, own.first + k);
      ASSERT_LT(std::abs(transform.data()[k] - expected), tolerance(n)) << own.first + k << " of " << n;
    }
  }
}

/// The whole spectrum by FFTW on this rank.
std::vector<Complex> by_one_fftw(std::uint64_t n) {
  std::vector<Complex> points = whole_input(n);
  auto* vector = reinterpret_cast<fftw_complex*>(points.data());
  fftw_plan plan = fftw_plan_dft_1d(static_cast<int>(n), vector, vector, FFTW_FORWARD, FFTW_ESTIMATE);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
  return points;
}

void expect_same_as_fftw(Transform& transform, const std::vector<Complex>& expected) {
  transform.forward();
  const Range own = transform.output();
  double worst = 0.0;
  for (std::uint64_t k = 0; k < own.count; ++k) {
    worst = std::max(worst, std::abs(transform.data()[k] - expected[own.first + k]));
  }
  EXPECT_LT(worst, tolerance(expected.size())) << expected.size();
}

TEST(Transform, of_many_points_agrees_with_fftw_on_one_rank) {
  for (const std::uint64_t n : {1U << 14U, 1U << 15U, 19683U, 15625U, 64800U, 2U * 3 * 5 * 997}) {
    Trial trial(n);
    expect_same_as_fftw(trial.get(), by_one_fftw(n));
  }
}

TEST(Transform, does_not_depend_on_its_tuning) {
  constexpr std::uint64_t kPoints = 96ULL * 128;
  const std::vector<Complex> expected = by_one_fftw(kPoints);
  for (const TileKernels* kernels : tile_kernels()) {
    for (const Stores stores : {Stores::kCached, Stores::kBypassing}) {
      for (const Bytes message : {1_KiB, 64_KiB}) {
        for (const std::uint32_t threads : {1U, 3U}) {
          Trial trial(kPoints, {Planning::kEstimate, kernels, stores, message}, threads);
          expect_same_as_fftw(trial.get(), expected);
        }
      }
    }
  }
}

TEST(Transform, backward_returns_the_input) {
  for (const std::uint64_t n : {1U, 7U, 100U, 4096U, 8192U, 5400U}) {
    Trial trial(n);
    trial.get().forward();
    EXPECT_LT(scaled_error(round_trip_error(trial.get(), kSeed), n), kLimit) << n;
  }
}

double energy(const Transform& transform, const Range& own) {
  double sum = 0.0;
  for (std::uint64_t i = 0; i < own.count; ++i) sum += std::norm(transform.data()[i]);
  return transform.ranks().reduce_to_all(sum, mpi::Reduction::kSum);
}

TEST(Transform, keeps_the_energy_times_n) {
  constexpr std::uint64_t kPoints = 12000;
  Trial trial(kPoints);
  const double before = energy(trial.get(), trial.get().input());
  trial.get().forward();
  const double after = energy(trial.get(), trial.get().output());
  EXPECT_NEAR(after / before / kPoints, 1.0, 1e-12);
}

TEST(Transform, is_linear) {
  constexpr std::uint64_t kPoints = 3600;
  const Complex factor(0.75, -1.25);
  Trial trial(kPoints);
  Transform& transform = trial.get();
  const auto spectrum_of = [&](const auto& point) {
    const Range in = transform.input();
    for (std::uint64_t i = 0; i < in.count; ++i) transform.data()[i] = point(in.first + i);
    transform.forward();
    const auto data = transform.data().first(transform.output().count);
    return std::vector<Complex>(data.begin(), data.end());
  };
  const auto a = spectrum_of([](std::uint64_t i) { return input_point(1, i); });
  const auto b = spectrum_of([](std::uint64_t i) { return input_point(2, i); });
  const auto both =
      spectrum_of([&](std::uint64_t i) { return factor * input_point(1, i) + input_point(2, i); });
  for (std::size_t k = 0; k < both.size(); ++k) {
    ASSERT_LT(std::abs(both[k] - (factor * a[k] + b[k])), 3 * tolerance(kPoints));
  }
}

TEST(Transform, shares_points_so_that_no_rank_is_idle) {
  Trial trial(1ULL << 14U);
  EXPECT_GT(trial.get().input().count, 0U);
  EXPECT_GT(trial.get().output().count, 0U);
  const auto ranks = static_cast<double>(trial.get().ranks().size());
  EXPECT_LT(static_cast<double>(trial.get().input().count), 1.2 * (1U << 14U) / ranks);
}

TEST(Transform, counts_its_time_by_phase) {
  Trial trial(1ULL << 14U);
  trial.get().forward();
  EXPECT_GT(trial.get().phases().columns.value(), 0.0);
  EXPECT_GT(trial.get().phases().rows.value(), 0.0);
}

TEST(Checks, pass_a_right_spectrum) {
  Trial trial(5400);
  trial.get().forward();
  EXPECT_LT(spectrum_error(trial.get(), kSeed), kLimit);
  EXPECT_LT(scaled_error(round_trip_error(trial.get(), kSeed), 5400), kLimit);
}

TEST(Checks, fail_a_spectrum_with_one_wrong_point) {
  constexpr std::uint64_t kPoints = 5400;
  Trial trial(kPoints);
  trial.get().forward();
  const mpi::Communicator& all = trial.get().ranks();
  if (all.rank() == all.size() - 1) trial.get().data()[trial.get().output().count / 2] += 1e-8;
  EXPECT_GT(scaled_error(round_trip_error(trial.get(), kSeed), kPoints), kLimit);
}

TEST(Checks, fail_a_spectrum_that_is_not_a_number) {
  constexpr std::uint64_t kPoints = 5400;
  Trial trial(kPoints);
  trial.get().forward();
  if (trial.get().ranks().is_root()) trial.get().data()[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_GT(scaled_error(round_trip_error(trial.get(), kSeed), kPoints), kLimit);
}

TEST(Checks, fail_an_identity_that_inverts_itself) {
  Trial trial(5400);
  EXPECT_GT(spectrum_error(trial.get(), kSeed), kLimit);
}

TEST(Checks, fail_a_spectrum_in_another_order) {
  Trial trial(5400);
  trial.get().forward();
  const auto own = trial.get().data().first(trial.get().output().count);
  std::rotate(own.begin(), own.begin() + 1, own.end());
  EXPECT_GT(spectrum_error(trial.get(), kSeed), kLimit);
}

TEST(Checks, input_does_not_depend_on_the_ranks) {
  Trial trial(1000);
  const Range own = trial.get().input();
  for (std::uint64_t i = 0; i < own.count; ++i) {
    ASSERT_EQ(trial.get().data()[i], input_point(kSeed, own.first + i));
  }
}

}  // namespace
}  // namespace groma::hpcc::fft
