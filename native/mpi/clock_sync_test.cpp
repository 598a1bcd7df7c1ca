#include "mpi/clock_sync.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"

namespace groma::mpi {
namespace {

/// A clock that is `offset` off at time 0 and gains `drift` seconds a second.
struct SkewedClock {
  double offset;
  double drift;
  [[nodiscard]] Seconds at(double true_time) const { return Seconds(true_time * (1.0 + drift) + offset); }
};

/// Readings over a second from `start`; ways there and back take random times.
std::vector<ClockReading> simulate(const SkewedClock& own, const SkewedClock& reference, double start,
                                   std::uint64_t seed) {
  RandomStream random(seed);
  const auto delay = [&random] {
    const double uniform = static_cast<double>(random.next() >> 11U) * 0x1p-53;
    return uniform < 0.8 ? 2e-7 * (1.0 + uniform) : 1e-4 * uniform;  // mostly short, sometimes disturbed
  };
  std::vector<ClockReading> readings;
  for (int i = 0; i < 40; ++i) {
    const double sent = start + i / 40.0;
    const double there = sent + delay();
    const double back = there + delay();
    readings.push_back({own.at(sent), own.at(back), reference.at(there)});
  }
  return readings;
}

double error_at(double true_time, const ClockModel& model, const SkewedClock& own,
                const SkewedClock& reference) {
  return std::abs((model.to_reference(own.at(true_time)) - reference.at(true_time)).value());
}

TEST(ClockFit, RecoversOffsetAndDrift) {
  const SkewedClock own{12.5, 30e-6};
  const SkewedClock reference{-3.0, -10e-6};
  const ClockModel model = fit_clock(simulate(own, reference, 1000.0, 1));
  EXPECT_NEAR(model.drift, -40e-6, 1e-6);
  EXPECT_NEAR(model.offset.value(), (reference.at(1000.5) - own.at(1000.5)).value(), 1e-4);
  EXPECT_LT(error_at(1000.5, model, own, reference), 5e-7);
}

TEST(ClockFit, IsNeverFurtherOffThanItsBound) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const SkewedClock own{1.0, 20e-6};
    const SkewedClock reference{0.0, 0.0};
    const ClockModel model = fit_clock(simulate(own, reference, 50.0, seed));
    for (const double time : {50.0, 50.3, 50.97}) {
      EXPECT_LE(error_at(time, model, own, reference), model.uncertainty.value()) << seed;
    }
  }
}

TEST(ClockFit, GivesAnOffsetWithoutDriftForOneReading) {
  const ClockReading one{Seconds(1.0), Seconds(1.2), Seconds(5.0)};
  const ClockModel model = fit_clock(std::span(&one, 1));
  EXPECT_EQ(model.drift, 0.0);
  EXPECT_NEAR(model.to_reference(Seconds(1.1)).value(), 5.0, 1e-12);
  EXPECT_NEAR(model.uncertainty.value(), 0.1, 1e-12);
}

TEST(ClockFit, OfNoReadingsChangesNothing) {
  EXPECT_EQ(fit_clock({}).to_reference(Seconds(7.0)).value(), 7.0);
}

TEST(ClockModel, ComposesAlongAPath) {
  const SkewedClock own{4.0, 20e-6};
  const SkewedClock middle{-1.0, -30e-6};
  const SkewedClock root{0.5, 5e-6};
  const ClockModel to_middle = fit_clock(simulate(own, middle, 200.0, 2));
  const ClockModel to_root = fit_clock(simulate(middle, root, 200.0, 3));
  const ClockModel model = compose(to_middle, to_root);
  for (const double time : {200.0, 200.5, 200.97}) {
    EXPECT_LE(error_at(time, model, own, root), model.uncertainty.value());
  }
}

TEST(ClockTree, LeadsEveryRankToRankZeroInFewSteps) {
  for (int rank = 1; rank < 1000; ++rank) {
    int steps = 0;
    for (int at = rank; at != 0; at = clock_parent(at)) {
      ASSERT_LT(clock_parent(at), at);
      ++steps;
    }
    EXPECT_LE(steps, 10);
  }
}

}  // namespace
}  // namespace groma::mpi
