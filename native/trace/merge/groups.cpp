#include "trace/merge/groups.hpp"

#include <utility>

namespace groma::trace {

std::optional<std::uint32_t> rank_in(const std::vector<Run>& runs, std::int64_t position) {
  for (const Run& run : runs) {
    if (position < 0) break;
    if (std::cmp_less(position, run.length)) {
      // Runs come from a file: what they say may be absurd.
      std::int64_t rank = 0;
      const bool fits = !__builtin_mul_overflow(position, run.step, &rank) &&
                        !__builtin_add_overflow(rank, run.first, &rank);
      const bool is_rank = fits && rank >= 0 && rank <= INT32_MAX;
      return is_rank ? std::optional(static_cast<std::uint32_t>(rank)) : std::nullopt;
    }
    position -= static_cast<std::int64_t>(run.length);
  }
  return std::nullopt;
}

std::uint64_t size_of(const std::vector<Run>& runs) {
  std::uint64_t size = 0;
  for (const Run& run : runs) size += run.length;
  return size;
}

GroupIndex Groups::define(std::uint32_t application, std::uint32_t rank,
                          const CommunicatorDefinition& definition) {
  Ranks ranks{definition.members, definition.remote};
  if (definition.inter && ranks.second < ranks.first) std::swap(ranks.first, ranks.second);
  const std::uint32_t ordinal = ++made_[{application, rank, ranks}];
  const auto [place, is_new] = known_.try_emplace(Key{application, std::move(ranks), ordinal},
                                                  static_cast<GroupIndex>(groups_.size()));
  if (is_new) {
    groups_.push_back({application, definition.inter, definition.members, definition.remote});
  }
  return place->second;
}

}  // namespace groma::trace
