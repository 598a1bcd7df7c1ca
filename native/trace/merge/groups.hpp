// Communicators of all processes, made one where they are the same.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "trace/merge/log_reader.hpp"

namespace groma::trace {

using GroupIndex = std::uint32_t;

/// The ranks of a communicator in their order. The lists are those of Groups.
struct Group {
  std::uint32_t application = 0;
  bool inter = false;
  std::span<const Run> members;
  std::span<const Run> remote;  ///< of an intercommunicator, as the processes of `members` see it
};

/// A rank of some runs; nothing if there is none, or if it belongs to another world.
std::optional<std::uint32_t> rank_in(std::span<const Run> runs, std::int64_t position);
std::uint64_t size_of(std::span<const Run> runs);

/// A communicator as one process has it. Equal lists of ranks have equal numbers.
struct NumberedDefinition {
  std::uint64_t id = 0;  ///< of the process
  bool inter = false;
  std::uint32_t members = 0;
  std::uint32_t remote = 0;
};

/// Processes number their communicators each for itself. Two of them mean the same communicator when they
/// name the same ranks in the same order, were made from the same communicator, and it is, for each of them,
/// the n-th such one: MPI has all processes make communicators from one in the same order, while those that
/// are made from different ones may be made in any order.
class Groups {
 public:
  Groups() = default;
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;
  Groups(Groups&&) = delete;
  Groups& operator=(Groups&&) = delete;
  ~Groups() = default;

  /// Keeps its lists of ranks, each once.
  NumberedDefinition number(const CommunicatorDefinition& definition);
  /// To be called in the order in which the process makes its communicators. `parent` is what it was made
  /// from, if that is known. Both sides of an intercommunicator get the same group, with `members` of the
  /// side that was seen first.
  GroupIndex define(std::uint32_t application, std::uint32_t rank, const NumberedDefinition& definition,
                    std::optional<GroupIndex> parent = std::nullopt);
  [[nodiscard]] const Group& at(GroupIndex index) const { return groups_[index]; }
  [[nodiscard]] const std::vector<Group>& all() const { return groups_; }
  /// Whether a process that defines it so is on the side of `members`.
  [[nodiscard]] bool is_side_of(GroupIndex group, const NumberedDefinition& definition) const {
    return groups_[group].members.data() == lists_[definition.members].data();
  }

 private:
  /// Of communicators with these ranks that were made from the same one, which is `parent` - 1; 0: it is not
  /// known.
  struct Origin {
    std::uint32_t application;
    std::uint32_t first;
    std::uint32_t second;
    std::uint32_t parent;
    auto operator<=>(const Origin&) const = default;
  };
  std::uint32_t number_of(const std::vector<Run>& runs);
  [[nodiscard]] Origin origin_of(std::uint32_t application, const NumberedDefinition& definition,
                                 std::optional<GroupIndex> parent) const;

  std::map<std::vector<Run>, std::uint32_t> numbers_;
  std::vector<std::span<const Run>> lists_;                         ///< by number
  std::map<std::pair<Origin, std::uint32_t>, GroupIndex> known_;    ///< by ordinal
  std::map<std::pair<Origin, std::uint32_t>, std::uint32_t> made_;  ///< how many, by rank
  std::vector<Group> groups_;
};

}  // namespace groma::trace
