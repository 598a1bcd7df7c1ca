#include "hpcc/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hpcc/benchmark.hpp"

namespace groma::hpcc {
namespace {

constexpr Seconds kStart{0.5};  ///< of MPI, and of what belongs to no test

/// Times of the tests, where the first one begins with `left` of the budget.
std::vector<Seconds> times_within(const Plan& plan, Seconds left) {
  std::vector<Seconds> times;
  for (const std::string& test : plan.tests) {
    const Benchmark* benchmark = Benchmarks::find(test);
    times.push_back(benchmark == nullptr ? Seconds(0.0) : benchmark->cost.time(plan, left));
    left = left - times.back();
  }
  return times;
}

std::size_t place_of(std::string_view test, const Plan& plan) {
  return static_cast<std::size_t>(std::ranges::find(plan.tests, test) - plan.tests.begin());
}

Seconds sum_from(const std::vector<Seconds>& times, std::size_t first) {
  Seconds sum(0.0);
  for (std::size_t i = first; i < times.size(); ++i) sum = sum + times[i];
  return sum;
}

Json units_json() {
  JsonObject units;
  for (const RateName& one : rate_names()) units.add(one.name, one.unit);
  return units.json();
}

}  // namespace

Bytes memory_of(std::string_view test, const Plan& plan) {
  const Benchmark* benchmark = Benchmarks::find(test);
  if (benchmark == nullptr) return Bytes(0);
  return Bytes(static_cast<std::uint64_t>(std::ceil(bytes_of_words(benchmark->cost.words(plan)))));
}

Bytes memory_per_rank(const Plan& plan) {
  Bytes most;
  for (const std::string& test : plan.tests) most = std::max(most, memory_of(test, plan));
  return most;
}

std::vector<Seconds> times_of(const Plan& plan) {
  return times_within(plan, plan.effort.budget - kStart);
}

Seconds time_of(std::string_view test, const Plan& plan) {
  const auto place = place_of(test, plan);
  return place < plan.tests.size() ? times_of(plan)[place] : Seconds(0.0);
}

Seconds time_of(const Plan& plan) {
  return kStart + sum_from(times_of(plan), 0);
}

Seconds full_time_of(const Plan& plan) {
  constexpr Seconds kWithoutEnd{std::numeric_limits<double>::infinity()};
  return kStart + sum_from(times_within(plan, kWithoutEnd), 0);
}

Seconds time_after(std::string_view test, const Plan& plan) {
  return sum_from(times_of(plan), place_of(test, plan) + 1);
}

Json memory_json(const Plan& plan) {
  JsonObject by_test;
  for (const std::string& test : plan.tests) by_test.add(test, memory_of(test, plan).value());
  const std::uint64_t per_rank = memory_per_rank(plan).value();
  return JsonObject()
      .add("per_rank", per_rank)
      .add("all", per_rank * static_cast<std::uint64_t>(plan.ranks))
      .add("by_test", by_test.json())
      .json();
}

Json seconds_json(const Plan& plan) {
  JsonObject by_test;
  const std::vector<Seconds> times = times_of(plan);
  for (std::size_t i = 0; i < times.size(); ++i) by_test.add(plan.tests[i], times[i].value());
  return by_test.json();
}

Json estimate_json(const Plan& plan) {
  return JsonObject()
      .add("seconds", time_of(plan).value())
      .add("model", "work by rates of each rank; warm-up, repetitions and validation included")
      .add("rates_from", plan.rates_from)
      .add("rates", to_json(plan.rates))
      .add("units", units_json())
      .json();
}

}  // namespace groma::hpcc
