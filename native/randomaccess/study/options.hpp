// The command line of groma-randomaccess.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"
#include "job/repetition.hpp"
#include "randomaccess/look_ahead.hpp"
#include "randomaccess/partition.hpp"
#include "randomaccess/stream.hpp"

namespace groma::randomaccess {

constexpr std::string_view kStudyProgram = "groma-randomaccess";

/// How many updates a run has: so many for each word of the table, or a number.
struct UpdateCount {
  double per_word = 4.0;
  std::optional<std::uint64_t> number = std::nullopt;
  /// Errors (usage): more than 2^60.
  [[nodiscard]] Result<std::uint64_t> of(std::uint64_t words) const;
};

/// More time for each update on the ranks of a role.
struct ExtraLoad {
  std::string role;  ///< empty: none
  Seconds each{0.0};
};

struct StudyOptions {
  std::string verb = "run";  ///< run, plan, owner, errors, list, build, help
  std::string algorithm;     ///< empty: the best one for the ranks
  std::vector<int> grid;     ///< empty: the algorithm chooses
  int routers = 0;           ///< ranks of a node that only route; 0: the algorithm chooses
  int mapping_mode = 1;
  std::optional<std::uint64_t> words;  ///< of the whole table
  UpdateCount updates;
  Generator generator = Generator::kPolynomial;
  OwnerRule owner = OwnerRule::kFastest;
  std::uint64_t look_ahead = kLookAhead;
  job::Effort effort{5, Seconds(20.0)};
  std::optional<std::string> events;  ///< file for JSON lines, "-" for standard output
  std::uint64_t seed = 1;             ///< of the order in which ways to do the same are timed
  std::vector<std::uint64_t> parts = {3, 6, 12, 96, 1000, 12288};  ///< whose lookups are timed
  std::optional<std::uint64_t> threads;                            ///< that share a table
  std::uint32_t runs = 10;                                         ///< of each strategy of updating it
  std::vector<std::string> strategies = {"serial",   "unsynchronised", "atomic", "locks:1",
                                         "locks:16", "locks:32",       "owner"};
  bool bottleneck = false;  ///< find the bottleneck among the roles of ranks, instead of the rate
  ExtraLoad extra_load;     ///< that the experiment shall find
  int ranks = 1;            ///< of a plan that is only shown
  int nodes = 1;            ///< the same
};

/// Errors (code usage) name the option and what it takes.
Result<StudyOptions> parse_study_options(const std::vector<std::string>& arguments);

/// One line for each option.
std::string study_options_help();

}  // namespace groma::randomaccess
