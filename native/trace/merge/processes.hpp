// What is known of a process while its calls are read in their order.
#pragma once

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "trace/merge/groups.hpp"
#include "trace/merge/live_handles.hpp"
#include "trace/merge/matcher.hpp"

namespace groma::trace {

/// A communicator as a process sees it.
struct LocalCommunicator {
  GroupIndex group = 0;
  bool other_side = false;  ///< of an intercommunicator: its partners are the members of the group
};

/// What a request does, from the call that made it.
struct Request {
  enum class Kind : std::uint8_t { kSend, kReceive, kSendInit, kReceiveInit, kOther } kind = Kind::kReceive;
  MessageClass message{};  ///< of a send or a receive
  std::uint64_t bytes = 0;
  LocalCommunicator communicator{};
  bool any = false;                       ///< a receive without source or tag
  std::optional<ReceiveId> receive = {};  ///< while it is active
  std::optional<SendId> send = {};        ///< while it is active
  bool is_counted = false;                ///< among what its process sent
  bool is_doubted = false;                ///< the program asked to cancel its message

  [[nodiscard]] bool is_persistent() const { return kind == Kind::kSendInit || kind == Kind::kReceiveInit; }
};

/// Times between MPI_Pcontrol(0) and the next MPI_Pcontrol with another level.
class DisabledTimes {
 public:
  /// To be called in the order of times.
  void switch_off(Nanoseconds time) {
    if (!is_off_) off_.push_back({time, kForever});
    is_off_ = true;
  }
  void switch_on(Nanoseconds time) {
    if (is_off_) off_.back().to = time;
    is_off_ = false;
  }
  [[nodiscard]] bool at(Nanoseconds time) const {
    if (off_.empty()) return false;
    const auto after = std::upper_bound(off_.begin(), off_.end(), time,
                                        [](Nanoseconds one, const Times& other) { return one < other.from; });
    return after != off_.begin() && time < std::prev(after)->to;
  }

 private:
  static constexpr Nanoseconds kForever = ~Nanoseconds{0};
  struct Times {
    Nanoseconds from;
    Nanoseconds to;
  };
  std::vector<Times> off_;
  bool is_off_ = false;
};

struct Process {
  std::uint32_t application = 0;
  std::uint32_t rank = 0;
  TickGap gap;           ///< of all its threads
  bool is_whole = true;  ///< its logs reach its end
  bool is_past_gap = false;
  std::uint64_t last_communicator = 0;  ///< number of the last one that was defined

  [[nodiscard]] bool has_gap() const { return gap.to != 0; }
  DisabledTimes off;
  std::vector<std::optional<LocalCommunicator>> communicators;  ///< by the number of the process
  LiveHandles<Request> requests;
  LiveHandles<ReceiveId> messages;  ///< of MPI_Message
  std::unordered_map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>>
      sent;  ///< messages, bytes by rank
};

/// Where a call of a process lies: what is between is not to be used, as other threads' logs do not have it.
enum class Part : std::uint8_t { kHead, kBetween, kTail };
inline Part part_of(const Process& process, const HandleUse& call) {
  if (call.left <= process.gap.from) return Part::kHead;
  return call.entered >= process.gap.to ? Part::kTail : Part::kBetween;
}

class Processes {
 public:
  explicit Processes(Groups& groups) : groups_(groups) {}

  Process* of(std::uint32_t application, std::uint32_t rank) {
    Process& process = processes_[{application, rank}];
    process.application = application;
    process.rank = rank;
    return &process;
  }
  /// See Groups. `parent` is the number of the process for it.
  NumberedDefinition number(const CommunicatorDefinition& definition) { return groups_.number(definition); }
  void define(Process& process, const NumberedDefinition& definition,
              std::optional<std::uint64_t> parent = std::nullopt);

  [[nodiscard]] std::optional<LocalCommunicator> communicator(const Process& process, std::uint64_t id) const;
  /// The rank in the world of a position in a communicator.
  [[nodiscard]] std::optional<std::uint32_t> partner(LocalCommunicator communicator,
                                                     std::int64_t position) const;
  [[nodiscard]] const std::map<std::pair<std::uint32_t, std::uint32_t>, Process>& all() const {
    return processes_;
  }
  /// nullptr if it has no logs.
  [[nodiscard]] const Process* find(std::uint32_t application, std::uint32_t rank) const {
    const auto found = processes_.find({application, rank});
    return found == processes_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] const Groups& groups() const { return groups_; }

 private:
  Groups& groups_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Process> processes_;
};

}  // namespace groma::trace
