// Process mapping by the greedy weights of the Servet 3.0 paper: sections 3 (rules 1 to 3) and 4.2 (rule 4).
#pragma once

#include <cstddef>
#include <span>

#include "profile/facts.hpp"

namespace groma::profile {

struct MappingRequest {
  groma_code_class code = GROMA_MEMORY_BOUND;
  std::size_t nodes = 1;
};

/// Fills `places` in the order of selection. There are at least as many allowed cores.
void place_processes(const Facts& facts, const MappingRequest& request, std::span<groma_place> places);

}  // namespace groma::profile
