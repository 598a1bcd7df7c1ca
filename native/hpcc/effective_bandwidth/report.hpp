// How much of the definition was measured, in words: pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "hpcc/effective_bandwidth/headline.hpp"

namespace groma::hpcc {

struct Report {
  Scope asked;  ///< the whole definition
  Scope scope;
  Coverage coverage;
  std::size_t rounds;
  std::uint32_t asked_rounds;
  Seconds allowed;
  Seconds whole_round;  ///< expected for one round of the whole definition
};

/// What is missing and how to get it, where anything of the definition or a round is.
std::optional<Error> cut_warning(const Report& report);

/// For hpccoutf.txt.
std::string text_of(const Report& report, const std::vector<Error>& warnings);

}  // namespace groma::hpcc
