#include "hpcc/traffic.hpp"

#include <gtest/gtest.h>

#include "hpcc/estimate.hpp"
#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::hpcc {
namespace {

Plan plan_of(std::uint64_t n, int ranks) {
  return plan_from({.n = {n}, .nb = {192}, .grids = {squarest_grid(ranks)}}, ranks).value();
}

/// Four machines, each with one rank, whose messages all pass a network of so many bytes per second.
Machine machine_with(double bytes_per_second) {
  Machine machine{.ranks = 4, .nodes = 4};
  const MessageTime ring{Seconds(1e-4), 2.0 / bytes_per_second};
  machine.network = {.pair = {Seconds(1e-4), 1.0 / bytes_per_second},
                     .ring = ring,
                     .random_ring = ring,
                     .is_measured = true};
  return machine;
}

constexpr std::array kShared = {&Rates::solve, &Rates::transpose, &Rates::shared_transform,
                                &Rates::shared_updates};

TEST(RatesOn, AreThoseOfTheCoresOnOneMachine) {
  Machine machine = machine_with(1e6);
  machine.nodes = 1;
  const Rates rates = rates_on(machine, plan_of(4000, 4));
  for (const RateName& one : rate_names()) EXPECT_EQ(rates.*one.value, machine.rates.*one.value) << one.name;
}

TEST(RatesOn, FallToWhatASlowNetworkCarries) {
  const Plan plan = plan_of(5376, 4);
  const Rates fast = rates_on(machine_with(1e15), plan);
  const Rates slow = rates_on(machine_with(5e6), plan);
  for (double Rates::*const rate : kShared) EXPECT_LT(slow.*rate, 0.2 * fast.*rate);
  EXPECT_EQ(slow.multiply, fast.multiply);
  EXPECT_EQ(slow.updates, fast.updates);
  // Four hosts at 50 Mbit/s reached 20 MB/s of PTRANS, 47 Mflop/s of MPI FFT, 3.4 million updates/s, and
  // 2.6 Gflop/s of HPL at this size.
  EXPECT_NEAR(4.0 * slow.transpose, 20e6, 10e6);
  EXPECT_NEAR(4.0 * slow.shared_transform, 47e6, 24e6);
  EXPECT_NEAR(4.0 * slow.shared_updates, 3.4e6, 1.7e6);
  EXPECT_NEAR(4.0 * slow.solve, 2.6e9, 1.3e9);
}

TEST(RatesOn, KeepThoseThatAreGiven) {
  Machine machine = machine_with(1e6);
  machine.rates.solve = 7e9;
  machine.given_rates = {{&Rates::solve, 7e9}};
  EXPECT_EQ(rates_on(machine, plan_of(4000, 4)).solve, 7e9);
}

}  // namespace
}  // namespace groma::hpcc
