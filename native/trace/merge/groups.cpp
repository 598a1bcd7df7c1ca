#include "trace/merge/groups.hpp"

#include <utility>

namespace groma::trace {

std::optional<std::uint32_t> rank_in(std::span<const Run> runs, std::int64_t position) {
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

std::uint64_t size_of(std::span<const Run> runs) {
  std::uint64_t size = 0;
  for (const Run& run : runs) size += run.length;
  return size;
}

std::uint32_t Groups::number_of(const std::vector<Run>& runs) {
  const auto [place, is_new] = numbers_.try_emplace(runs, static_cast<std::uint32_t>(lists_.size()));
  if (is_new) lists_.emplace_back(place->first);
  return place->second;
}

NumberedDefinition Groups::number(const CommunicatorDefinition& definition) {
  return {definition.id, definition.inter, number_of(definition.members), number_of(definition.remote)};
}

/// The two sides of an intercommunicator make it from communicators of their own, unless these are
/// intercommunicators.
Groups::Origin Groups::origin_of(std::uint32_t application, const NumberedDefinition& definition,
                                 std::optional<GroupIndex> parent) const {
  const bool is_shared = parent && (!definition.inter || groups_[*parent].inter);
  Origin origin{application, definition.members, definition.remote, is_shared ? *parent + 1 : 0};
  if (definition.inter && origin.second < origin.first) std::swap(origin.first, origin.second);
  return origin;
}

GroupIndex Groups::define(std::uint32_t application, std::uint32_t rank, const NumberedDefinition& definition,
                          std::optional<GroupIndex> parent) {
  const Origin origin = origin_of(application, definition, parent);
  const std::uint32_t ordinal = ++made_[{origin, rank}];
  const auto [place, is_new] = known_.try_emplace({origin, ordinal}, static_cast<GroupIndex>(groups_.size()));
  if (is_new) {
    groups_.push_back({application, definition.inter, lists_[definition.members], lists_[definition.remote]});
  }
  return place->second;
}

}  // namespace groma::trace
