// Which working sets a latency curve is sampled at, in how much memory: what time and memory allow.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"
#include "survey/beyond_cache.hpp"

namespace groma::survey {

/// Up to here a sample is cheap, and sizes lie close; larger ones are sampled in fewer rounds.
inline constexpr Bytes kFineUpTo = 4_MiB;

struct LatencyRequest {
  Bytes last_level;
  Bytes max_size;  ///< 0 chooses by the last level
  std::uint64_t per_octave;
  Seconds budget;
  Bytes memory;  ///< that is available
};

struct LatencyPlan {
  std::vector<Bytes> sizes;  ///< ascending
  Bytes arena;               ///< of each of the two page modes
};

/// Sizes from 4 KiB to four times the last-level cache, or to what two arenas in two thirds of the memory
/// hold. Above 64 MiB they lie further apart where a round would else take more than half of the budget. An
/// error where not even 1 MiB fits, or where a size that is asked for takes more than the budget.
Result<LatencyPlan> plan_latency(const LatencyRequest& request);

/// What both arenas and the orders of visit take with sets up to `size`.
Bytes memory_of_curve(Bytes size, Bytes memory);

}  // namespace groma::survey
