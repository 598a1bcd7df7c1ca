// The command line of groma-hpcc as data: what every option means stands in one table.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "hpcc/plan.hpp"

namespace groma::hpcc {

/// Read where nothing else gives sizes.
inline constexpr std::string_view kUsualInput = "hpccinf.txt";

struct Options {
  std::string verb = "run";          ///< run, plan, list, build, help
  std::optional<std::string> input;  ///< a file of the form hpccinf.txt
  std::string output = "hpccoutf.txt";
  bool append = false;
  std::optional<std::string> events;  ///< file for JSON lines, "-" for standard output
  std::vector<std::string> only;
  std::vector<std::string> skip;
  std::vector<std::uint64_t> n;
  std::vector<std::uint64_t> nb;
  std::vector<Grid> grids;
  std::optional<Bytes> memory;         ///< of all ranks together
  std::optional<double> memory_share;  ///< the same as a part of what is free
  Effort effort;
  std::uint32_t threads = 1;
  std::uint64_t seed = 1;
  bool curves = false;
  FftSizes fft_sizes = FftSizes::kPowersOfTwo;
  std::string random_access;     ///< algorithm of MPI RandomAccess
  std::vector<GivenRate> rates;  ///< of each rank; those missing are measured
  int ranks = 1;                 ///< of a plan that is only shown
  std::optional<int> on_each;    ///< of them, on every machine; none: all on this one
};

/// Errors (code usage) name the option and what it takes.
Result<Options> parse_options(const std::vector<std::string>& arguments);

/// By whatever names, no file of a run replaces another one of it. Errors (usage). As the calling process
/// sees the files: parse_options(), which every rank calls, compares their names alone.
Status check_places(const Options& options);

/// One line for each option.
std::string options_help();

}  // namespace groma::hpcc
