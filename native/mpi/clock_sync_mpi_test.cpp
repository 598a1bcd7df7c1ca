#include <gtest/gtest.h>

#include <cmath>

#include "mpi/clock_sync.hpp"

namespace groma::mpi {
namespace {

/// The clock of this machine, which all ranks of the test share, made wrong in another way on each rank.
class WrongClock final : public Clock {
 public:
  explicit WrongClock(int rank) : offset_(10.0 * rank), drift_(1e-3 * rank), start_(system_.now()) {}
  [[nodiscard]] Seconds now() const override { return wrong(system_.now()); }
  [[nodiscard]] Seconds thread_cpu() const override { return system_.thread_cpu(); }
  [[nodiscard]] Seconds wrong(Seconds right) const {
    return right + offset_ + Seconds(drift_ * (right - start_).value());
  }
  [[nodiscard]] Seconds right() const { return system_.now(); }

 private:
  SystemClock system_;
  Seconds offset_;
  double drift_;
  Seconds start_;
};

TEST(ClockSync, FindsOffsetAndDriftOfEveryRankWithinItsBound) {
  const auto world = Communicator::world();
  const WrongClock clock(world.rank());
  ClockSync sync(world, clock);
  sync.observe();
  world.barrier();
  const Seconds right = clock.right();
  world.barrier();
  sync.observe();
  const ClockModel model = sync.settle();
  // Rank 0 is right: the reference is the clock of this machine.
  const double error = (model.to_reference(clock.wrong(right)) - right).value();
  EXPECT_LE(std::abs(error), model.uncertainty.value() + 1e-9);
  EXPECT_EQ(world.rank() == 0, model.uncertainty.value() == 0.0);
}

TEST(ClockSync, StartsAnewAfterEachModel) {
  const auto world = Communicator::world();
  const SystemClock clock;
  ClockSync sync(world, clock);
  sync.observe();
  sync.settle();
  EXPECT_EQ(sync.settle().uncertainty.value(), 0.0) << "no readings are left";
}

}  // namespace
}  // namespace groma::mpi
