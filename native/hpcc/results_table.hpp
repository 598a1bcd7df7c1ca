// What a run gave, for people.
#pragma once

#include <string>

#include "hpcc/suite.hpp"

namespace groma::hpcc {

/// One line for each series: median, its spread over repetitions (over ranks for star values), how many
/// samples; then the checks. Ends with a newline.
std::string results_table(const SuiteResult& result);

}  // namespace groma::hpcc
