// How fast a rank is at the operations of the tests. Estimates of time follow from these rates.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace groma::hpcc {

/// Of one rank with all its threads, while the other ranks work as well: each is the figure of a test, over
/// the ranks. The defaults are those of a modest server core.
struct Rates {
  double multiply = 30e9;         ///< flop/s of DGEMM
  double solve = 22e9;            ///< flop/s of HPL
  double bandwidth = 8e9;         ///< B/s of STREAM's triad
  double transpose = 1e9;         ///< B/s of PTRANS
  double transform = 2e9;         ///< flop/s of a Fourier transform of its own
  double shared_transform = 1e9;  ///< flop/s of that of all ranks
  double updates = 40e6;          ///< updates/s of a table of its own
  double shared_updates = 20e6;   ///< updates/s of that of all ranks
};

struct RateName {
  std::string_view name;
  std::string_view unit;
  double Rates::*value;
};
std::span<const RateName> rate_names();

/// A rate given by the user.
struct GivenRate {
  double Rates::*which;
  double value;
};

/// `rates` with those given in their place.
Rates replaced(Rates rates, const std::vector<GivenRate>& given);

/// {name: value}
Json to_json(const Rates& rates);

/// The rates of three short kernels on one thread. All other rates follow from them.
struct BaseRates {
  double multiply;   ///< flop/s
  double bandwidth;  ///< B/s
  double updates;    ///< updates/s
};

/// The rates of a rank of `threads` threads: what was not measured bears the proportion to the basics that it
/// has on usual machines, with messages that stay within a node.
Rates rates_from(const BaseRates& basics, std::uint32_t threads);

}  // namespace groma::hpcc
