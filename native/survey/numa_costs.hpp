// How much the NUMA experiments can measure in their time, from what the first reads took.
#pragma once

#include <cstdint>
#include <optional>

#include "base/units.hpp"

namespace groma::survey {

/// No part that is read is smaller: below this the timer counts. A power of two, as all parts are.
inline constexpr Bytes kMinPart = Bytes(256U << 10U);

/// Of whole matrices of at most kWholePlaces places, which are filled at any speed.
inline constexpr Bytes kMinPartOfWhole = Bytes(64U << 10U);
inline constexpr std::uint32_t kWholePlaces = 24;

/// A matrix of more cells is sampled: a record has to hold it.
inline constexpr std::size_t kMaxCells = 16384;

/// Sampled cells of each place.
inline constexpr std::size_t kCellsPerPlace = 16;

/// What reading takes: so long for a part, whatever its size, and so long for each byte.
struct ReadCost {
  Seconds part;
  double sequential = 0.0;  ///< s per byte
  double scattered = 0.0;

  [[nodiscard]] Seconds in_sequence(Bytes bytes) const {
    return part + Seconds(sequential * static_cast<double>(bytes.value()));
  }
  [[nodiscard]] Seconds at_random(Bytes bytes) const {
    return part + Seconds(scattered * static_cast<double>(bytes.value()));
  }
};

/// A matrix that is to be read in four ways.
struct ReadTask {
  std::uint32_t places;
  Bytes block;           ///< of which parts are read
  Seconds reallocation;  ///< of the blocks of all places
  Seconds time;          ///< that is left
};

struct ReadPlan {
  std::size_t cells;
  Bytes part;
  std::uint32_t reallocating;  ///< readers for whom blocks are allocated again
};

/// As many cells, and as large parts, as are read once in each of the four ways in part of the time.
ReadPlan plan_reads(const ReadTask& task, const ReadCost& cost);

/// The largest power of two from `least` to `most` of which `count` reads in sequence fit in the time;
/// `least` where none does.
Bytes affordable_part(const ReadCost& cost, double count, Seconds time, Bytes least, Bytes most);

/// A power of two from a quarter of `most` to `most`: twice the last-level cache if that lies between, so
/// that memory is read and not a cache. Where `sharing` owners have one cache together their blocks are so
/// large together. Less only where `blocks` such blocks exceed a quarter of `memory`.
Bytes choose_block_size(std::optional<Bytes> last_level, Bytes most, Bytes memory, std::size_t blocks,
                        std::uint32_t sharing = 1);

}  // namespace groma::survey
