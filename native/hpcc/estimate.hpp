// The cost of a plan, summed over its tests: memory, counted from the sizes, and time, estimated from work
// and rates. Measures nothing.
#pragma once

#include "base/json.hpp"
#include "hpcc/plan.hpp"

namespace groma::hpcc {

/// Memory that a test holds on its fullest rank; 0 where there is no such test.
Bytes memory_of(std::string_view test, const Plan& plan);

/// The most of all tests of the plan.
Bytes memory_per_rank(const Plan& plan);

/// Times of the tests of the plan, one after the other as the budget leaves them, with warm-up, repetitions
/// and validation.
std::vector<Seconds> times_of(const Plan& plan);

/// That of one of them; 0 where the plan does not have it.
Seconds time_of(std::string_view test, const Plan& plan);

/// Of all, and of the start.
Seconds time_of(const Plan& plan);

/// Of all, with every repetition that is asked for.
Seconds full_time_of(const Plan& plan);

/// Of those that come after this one.
Seconds time_after(std::string_view test, const Plan& plan);

/// {"per_rank", "all", "by_test": {name: bytes}}
Json memory_json(const Plan& plan);

/// {name: seconds} of every test.
Json seconds_json(const Plan& plan);

/// {"seconds", "model", "rates_from", "rates": {name: value}, "units": {name: unit}}
Json estimate_json(const Plan& plan);

}  // namespace groma::hpcc
