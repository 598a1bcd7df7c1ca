#include "survey/line_pairs.hpp"

#include <numeric>

namespace groma::survey {

std::string_view name_of(PairOrder order) {
  return order == PairOrder::kPaired ? "paired" : "single";
}

std::vector<Link*> pair_sequence(std::byte* start, Bytes span, Bytes distance, PairOrder order,
                                 RandomStream& random) {
  const std::size_t group = order == PairOrder::kPaired ? 2 : 1;
  std::vector<std::size_t> groups(span.value() / distance.value() / group);
  std::iota(groups.begin(), groups.end(), std::size_t{0});
  shuffle(std::span(groups), random);
  std::vector<Link*> sequence;
  sequence.reserve(groups.size() * group);
  for (const std::size_t at : groups) {
    // Neither direction may be the rule, or a prefetcher of the next line would hide the boundary.
    const std::size_t first = random.below(group);
    for (std::size_t i = 0; i < group; ++i) {
      const std::size_t node = at * group + (first + i) % group;
      sequence.push_back(reinterpret_cast<Link*>(start + node * distance.value()));
    }
  }
  return sequence;
}

}  // namespace groma::survey
