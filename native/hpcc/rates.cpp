#include "hpcc/rates.hpp"

#include <array>

namespace groma::hpcc {
namespace {

constexpr std::array kNames = std::to_array<RateName>({
    {"multiply", "flop/s", &Rates::multiply},
    {"solve", "flop/s", &Rates::solve},
    {"bandwidth", "B/s", &Rates::bandwidth},
    {"transpose", "B/s", &Rates::transpose},
    {"transform", "flop/s", &Rates::transform},
    {"shared_transform", "flop/s", &Rates::shared_transform},
    {"updates", "update/s", &Rates::updates},
    {"shared_updates", "update/s", &Rates::shared_updates},
});

/// A transform of n points computes 5 log2 n flops for each and moves its 16 bytes a few times: two rates
/// that add up, here for some millions of points.
double transform_rate(const BaseRates& basics) {
  constexpr double kShareOfMultiply = 0.4;
  constexpr double kBytesPerFlop = 0.6;
  return 1.0 / (1.0 / (kShareOfMultiply * basics.multiply) + kBytesPerFlop / basics.bandwidth);
}

}  // namespace

std::span<const RateName> rate_names() {
  return kNames;
}

Rates replaced(Rates rates, const std::vector<GivenRate>& given) {
  for (const GivenRate& one : given) rates.*one.which = one.value;
  return rates;
}

Json to_json(const Rates& rates) {
  JsonObject all;
  for (const RateName& one : kNames) all.add(one.name, rates.*one.value);
  return all.json();
}

Rates rates_from(const BaseRates& basics, std::uint32_t threads) {
  constexpr double kSolve = 0.85;
  constexpr double kTranspose = 0.25;
  constexpr double kSharedTransform = 0.8;
  constexpr double kSharedUpdates = 0.65;
  const double transform = transform_rate(basics);
  const Rates of_thread = {.multiply = basics.multiply,
                           .solve = kSolve * basics.multiply,
                           .bandwidth = basics.bandwidth,
                           .transpose = kTranspose * basics.bandwidth,
                           .transform = transform,
                           .shared_transform = kSharedTransform * transform,
                           .updates = basics.updates,
                           .shared_updates = kSharedUpdates * basics.updates};
  Rates of_rank = of_thread;
  for (const RateName& one : kNames) of_rank.*one.value = threads * of_thread.*one.value;
  return of_rank;
}

}  // namespace groma::hpcc
