// The command line of groma-replay.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"
#include "job/repetition.hpp"

namespace groma::replay {

constexpr std::string_view kProgram = "groma-replay";

struct Options {
  std::string verb = "run";            ///< run, build, help
  std::optional<std::string> pattern;  ///< file of the messages of one iteration
  std::optional<Bytes> triad;          ///< memory of each rank, in place of messages
  job::Effort effort{5, Seconds(2.0)};
};

/// Errors (usage) name the option and what it takes.
Result<Options> parse_options(const std::vector<std::string>& arguments);

/// One line for each option.
std::string options_help();

}  // namespace groma::replay
