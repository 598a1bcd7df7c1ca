// What a plan costs: memory, counted from its sizes, and time, estimated from its work and from rates that
// are assumed. Never measures.
#pragma once

#include "base/json.hpp"
#include "hpcc/plan.hpp"

namespace groma::hpcc {

/// Of one thread (arithmetic) or one rank (all else): those of a modest server core. Plans are compared and
/// time limits chosen by them, nothing is reported from them.
struct Rates {
  double multiply = 30e9;       ///< flop/s of DGEMM, per thread
  double factorization = 0.75;  ///< share of it that HPL reaches
  double transform = 2e9;       ///< flop/s of the FFT
  double bandwidth = 8e9;       ///< B/s of memory
  double exchange = 2e9;        ///< B/s of messages
  double updates = 40e6;        ///< random updates/s
  double start = 1.0;           ///< s of the start and of what has no size
};

/// Memory that a test holds on its fullest rank; 0 for one that this model does not know.
Bytes memory_of(std::string_view test, const Plan& plan);

/// The most of all tests of the plan.
Bytes memory_per_rank(const Plan& plan);

/// Time of a test with its warm-up, repetitions and validation; 0 for one that this model does not know.
Seconds time_of(std::string_view test, const Plan& plan, const Rates& rates = {});

/// Of all tests of the plan.
Seconds time_of(const Plan& plan, const Rates& rates = {});

/// {"per_rank", "all", "by_test": {name: bytes}}
Json memory_json(const Plan& plan);

/// {name: seconds} of every test.
Json seconds_json(const Plan& plan);

/// {"seconds", "model", "rates": {name: value}}
Json estimate_json(const Plan& plan);

}  // namespace groma::hpcc
