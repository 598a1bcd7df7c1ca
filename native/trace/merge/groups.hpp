// Communicators of all processes, made one where they are the same.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "trace/merge/log_reader.hpp"

namespace groma::trace {

using GroupIndex = std::uint32_t;

/// The ranks of a communicator in their order.
struct Group {
  std::uint32_t application = 0;
  bool inter = false;
  std::vector<Run> members;
  std::vector<Run> remote;  ///< of an intercommunicator, as the processes of `members` see it
};

/// A rank of some runs; nothing if there is none, or if it belongs to another world.
std::optional<std::uint32_t> rank_in(const std::vector<Run>& runs, std::int64_t position);
std::uint64_t size_of(const std::vector<Run>& runs);

/// Processes number their communicators each for itself. Two of them mean the same communicator when they
/// name the same ranks in the same order and it is, for each of them, the n-th of these ranks: MPI has all
/// processes make communicators of the same group in the same order.
class Groups {
 public:
  /// Both sides of an intercommunicator get the same group, with `members` of the side that was seen first.
  GroupIndex define(std::uint32_t application, std::uint32_t rank, const CommunicatorDefinition& definition);
  [[nodiscard]] const Group& at(GroupIndex index) const { return groups_[index]; }
  [[nodiscard]] const std::vector<Group>& all() const { return groups_; }

 private:
  using Ranks = std::pair<std::vector<Run>, std::vector<Run>>;
  struct Key {
    std::uint32_t application;
    Ranks ranks;
    std::uint32_t ordinal;
    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, GroupIndex> known_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, Ranks>, std::uint32_t>
      made_;  ///< by application and rank
  std::vector<Group> groups_;
};

}  // namespace groma::trace
