// What is known of a process while its calls are read in their order.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "trace/merge/groups.hpp"
#include "trace/merge/matcher.hpp"

namespace groma::trace {

/// What a request does, from the call that made it.
struct Request {
  enum class Kind : std::uint8_t { kReceive, kSendInit, kReceiveInit } kind = Kind::kReceive;
  MessageClass message{};  ///< of a send, or of a receive whose class is known
  std::uint64_t bytes = 0;
  GroupIndex group = 0;
  bool any = false;                       ///< a receive without source or tag
  std::optional<ReceiveId> receive = {};  ///< while it is active
};

/// A communicator as a process sees it.
struct LocalCommunicator {
  GroupIndex group = 0;
  bool other_side = false;  ///< of an intercommunicator: its partners are the members of the group
};

struct Process {
  std::uint32_t application = 0;
  std::uint32_t rank = 0;
  std::vector<std::optional<LocalCommunicator>> communicators;  ///< by the number of the process
  std::unordered_map<std::uint64_t, Request> requests;          ///< by handle
  std::unordered_map<std::uint64_t, ReceiveId> messages;        ///< by handle of MPI_Message
  std::unordered_map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>>
      sent;  ///< messages, bytes by rank
};

class Processes {
 public:
  explicit Processes(Groups& groups) : groups_(groups) {}

  Process* of(std::uint32_t application, std::uint32_t rank) {
    Process& process = processes_[{application, rank}];
    process.application = application;
    process.rank = rank;
    return &process;
  }
  void define(Process& process, const CommunicatorDefinition& definition);

  [[nodiscard]] std::optional<LocalCommunicator> communicator(const Process& process, std::uint64_t id) const;
  /// The rank in the world of a position in a communicator.
  [[nodiscard]] std::optional<std::uint32_t> partner(LocalCommunicator communicator,
                                                     std::int64_t position) const;
  [[nodiscard]] const std::map<std::pair<std::uint32_t, std::uint32_t>, Process>& all() const {
    return processes_;
  }
  [[nodiscard]] const Groups& groups() const { return groups_; }

 private:
  Groups& groups_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Process> processes_;
};

}  // namespace groma::trace
