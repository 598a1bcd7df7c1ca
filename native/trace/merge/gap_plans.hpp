// Messages where logs have gaps, because newer calls replaced older ones.
//
// Messages of a class are told apart by their numbers. Before a gap these count from the begin of the run,
// after it from the end: the processes reach MPI_Finalize only when as many messages were received as were
// sent.
#pragma once

#include <unordered_map>
#include <vector>

#include "trace/merge/matcher.hpp"
#include "trace/merge/processes.hpp"
#include "trace/merge/slots.hpp"

namespace groma::trace {

/// Messages and receives of a class, before the gap of their process and after it.
struct ClassCounts {
  struct Parts {
    std::uint64_t head = 0;
    std::uint64_t tail = 0;
  };
  Parts sent;
  Parts received;
};

/// Counts messages and receives that got one.
class MessageCounter final : public MessageSink {
 public:
  using Counts = std::unordered_map<MessageClass, ClassCounts, MessageClassHash>;

  void set_tail(bool is_tail) override { is_tail_ = is_tail; }
  void pass_gap(std::uint32_t /*application*/, std::uint32_t /*rank*/) override {}
  void send(const MessageClass& to, const SentMessage& message) override;
  void doubt(const MessageClass& /*to*/, SendId /*send*/) override {}
  void confirm(const MessageClass& /*to*/, SendId /*send*/) override {}
  void withdraw(const MessageClass& to, SendId send) override;
  ReceiveId post(const MessageClass& from, ObjectIndex receiver, Nanoseconds logical) override;
  ReceiveId post_any(const MessageClass& from, ObjectIndex receiver, Nanoseconds logical) override;
  void complete(ReceiveId receive, ObjectIndex receiver, Nanoseconds physical) override;
  void complete_any(ReceiveId receive, const MessageClass& from, ObjectIndex receiver,
                    Nanoseconds physical) override;
  void doubt(ReceiveId receive) override { receives_[receive].doubted = true; }
  void free(ReceiveId receive, Nanoseconds /*freed*/) override { discard(receive); }
  void abandon(ReceiveId receive) override { receives_.release(receive); }
  void discard(ReceiveId receive) override;

  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  struct Receive {
    MessageClass from;
    bool any;
    bool tail;
    bool doubted = false;
  };
  void count(const MessageClass& from, ReceiveId receive);

  Counts counts_;
  Slots<Receive> receives_;
  bool is_tail_ = false;
};

/// Of the classes that go from or to a process with a gap.
Plans plans_of(const MessageCounter::Counts& counts, const Processes& processes);

}  // namespace groma::trace
