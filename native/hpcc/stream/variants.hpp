// Which compiled variant of each step is fastest here: instruction set, strands, stores past the caches or
// through them. Tried on the vectors that are measured, by as many ranks at once as are measured together.
#pragma once

#include <array>
#include <string>

#include "hpcc/stream/vectors.hpp"

namespace groma::hpcc {

/// A variant of one step.
struct StreamChoice {
  StreamPass pass;
  Isa isa;
  std::uint32_t strands;
  bool non_temporal;
};

/// "avx512, 2 strands, non-temporal"
std::string name_of(const StreamChoice& choice);

/// Every variant of `step` that this processor runs, simpler ones first.
std::vector<StreamChoice> stream_variants(const StreamStep& step);

/// One for each of kStreamSteps.
using StreamChoices = std::array<StreamChoice, kStreamSteps.size()>;

/// Fills `vectors` again at the end.
StreamChoices choose_stream_variants(StreamVectors& vectors);

}  // namespace groma::hpcc
