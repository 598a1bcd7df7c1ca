#include "trace/merge/processes.hpp"

#include <algorithm>

namespace groma::trace {

void Processes::define(Process& process, const NumberedDefinition& definition,
                       std::optional<std::uint64_t> parent) {
  constexpr std::uint64_t most = 1U << 24U;  // a damaged log may say anything
  if (definition.id >= most) return;
  // Communicators are told apart by their numbers among those that are made like them: after one that is not
  // known, nothing is.
  const bool is_next = definition.id <= process.last_communicator + 1;
  if (process.has_gap() && !is_next) return;
  process.last_communicator = std::max(process.last_communicator, definition.id);
  const auto made_from = parent ? communicator(process, *parent) : std::nullopt;
  const GroupIndex group = groups_.define(process.application, process.rank, definition,
                                          made_from ? std::optional(made_from->group) : std::nullopt);
  if (process.communicators.size() <= definition.id) process.communicators.resize(definition.id + 1);
  process.communicators[definition.id] =
      LocalCommunicator{group, definition.inter && !groups_.is_side_of(group, definition)};
}

std::optional<LocalCommunicator> Processes::communicator(const Process& process, std::uint64_t id) const {
  return id < process.communicators.size() ? process.communicators[id] : std::nullopt;
}

std::optional<std::uint32_t> Processes::partner(LocalCommunicator communicator, std::int64_t position) const {
  const Group& group = groups_.at(communicator.group);
  return rank_in(group.inter && !communicator.other_side ? group.remote : group.members, position);
}

}  // namespace groma::trace
