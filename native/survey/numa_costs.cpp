#include "survey/numa_costs.hpp"

#include <algorithm>
#include <bit>

namespace groma::survey {
namespace {

/// Of the time, for one round of the four ways. The rest is for more rounds, and for slower cells than those
/// that were timed.
constexpr double kShareOfReads = 0.45;
constexpr double kShareOfReallocation = 0.2;

/// First, again, re-allocated in sequence; once at random.
Seconds four_ways(const ReadCost& cost, Bytes part) {
  return cost.in_sequence(part) * 3.0 + cost.at_random(part);
}

std::size_t whole_times(Seconds time, Seconds each) {
  constexpr double kMost = 1e15;  // more than any machine has cells
  return each > Seconds(0.0) ? static_cast<std::size_t>(std::clamp(time / each, 0.0, kMost)) : kMaxCells;
}

std::uint32_t affordable_reallocations(const ReadTask& task) {
  const std::size_t affordable = whole_times(task.time * kShareOfReallocation, task.reallocation);
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(affordable, 1, task.places));
}

template <class Cost>
Bytes largest_part(Cost cost_of, Seconds time, Bytes least, Bytes most) {
  Bytes part(std::bit_floor(most.value()));
  while (part > least && cost_of(part) > time) part = part / 2;
  return part;
}

}  // namespace

ReadPlan plan_reads(const ReadTask& task, const ReadCost& cost) {
  const std::size_t all = std::size_t{task.places} * task.places;
  const Seconds time = task.time * kShareOfReads;
  const bool whole = task.places <= kWholePlaces;
  const Bytes least = std::min(whole ? kMinPartOfWhole : kMinPart, task.block);
  const std::size_t affordable =
      whole ? all : std::max<std::size_t>(whole_times(time, four_ways(cost, least)), task.places);
  const std::size_t most = all <= kMaxCells ? all : kCellsPerPlace * task.places;
  const std::size_t cells = std::min(affordable, most);
  const auto cost_of = [&](Bytes part) { return four_ways(cost, part) * static_cast<double>(cells); };
  return {cells, largest_part(cost_of, time, least, task.block), affordable_reallocations(task)};
}

Bytes affordable_part(const ReadCost& cost, double count, Seconds time, Bytes least, Bytes most) {
  return largest_part([&](Bytes part) { return cost.in_sequence(part) * count; }, time, std::min(least, most),
                      most);
}

Bytes choose_block_size(std::optional<Bytes> last_level, Bytes most, Bytes memory, std::size_t blocks,
                        std::uint32_t sharing) {
  const Bytes beyond_cache(std::bit_ceil(last_level.value_or(Bytes(0)).value() * 2));
  const Bytes together = std::clamp(beyond_cache, most / 4, most);
  const Bytes wanted = std::max(together / std::bit_floor(std::max(sharing, 1U)), std::min(most, 1_MiB));
  const Bytes affordable = memory / (4 * std::max<std::size_t>(blocks, 1));
  return Bytes(std::bit_floor(std::min(wanted, affordable).value()));
}

}  // namespace groma::survey
