// The text file of the Servet 3.0 paper, as servet.h defines it.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace groma::profile {

/// Entry i - 1 is ratDist[i] or ratNC[i]; NaN where the text has none.
struct DegradationRatios {
  std::vector<double> distance;
  std::vector<double> access;
};

/// Errors: "servet.malformed", with the number of the line.
Result<DegradationRatios> read_servet_text(std::string_view text);

}  // namespace groma::profile
