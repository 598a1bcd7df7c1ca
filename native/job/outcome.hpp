// The outcome of one test of a job. Its samples went to the sink.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace groma::job {

/// A finite number that a run must not exceed.
struct Check {
  std::string name;
  double value;
  double limit;
  [[nodiscard]] bool passed() const { return std::isfinite(value) && value <= limit; }
};

/// Valid on the root.
struct Outcome {
  std::vector<Check> checks = {};
  std::vector<Error> warnings = {};  ///< what a reader has to know although nothing failed
  JsonObject facts = {};             ///< of a test that tells more than numbers

  [[nodiscard]] bool valid() const {
    return std::ranges::all_of(checks, [](const Check& check) { return check.passed(); });
  }
};

/// Why something of a plan is as it is.
struct Choice {
  std::string what;
  std::string value;
  std::string why;
};

Json to_json(const std::vector<Choice>& choices);

}  // namespace groma::job
