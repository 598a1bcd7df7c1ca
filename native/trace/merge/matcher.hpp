// Which receive got which message.
//
// MPI lets messages between two processes, of one tag on one communicator, arrive in the order in which they
// were sent, at receives in the order in which they were posted. A receive that names no source or tag
// belongs to such a class only once it is known what it got; until then, later receives of the classes that
// it could belong to wait.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "trace/merge/message_class.hpp"
#include "trace/merge/slots.hpp"
#include "trace/merge/turns.hpp"
#include "trace/model/trace.hpp"

namespace groma::trace {

/// A process of the trace.
struct ProcessId {
  std::uint32_t application = 0;
  std::uint32_t rank = 0;
};

using SendId = std::uint64_t;

struct SentMessage {
  ObjectIndex sender = 0;
  Nanoseconds logical = 0;
  Nanoseconds physical = 0;
  std::uint64_t bytes = 0;
  SendId id = 0;         ///< of this message alone
  bool lost = false;     ///< nothing is known of it
  bool doubted = false;  ///< it may have been cancelled
};

using ReceiveId = std::uint32_t;
constexpr ObjectIndex kNobody = ~ObjectIndex{0};  ///< posted a receive of which nothing is known

/// What is missing of a class of which a log has a gap. Where both sides end as MPI says, as many messages
/// were received as sent: those after the gap are then counted from the end.
struct ClassPlan {
  std::uint32_t application = 0;
  std::uint64_t lost_sends = 0;
  std::uint64_t lost_receives = 0;
  bool has_tail = false;  ///< what is after the gap is known to belong together
};

using Plans = std::unordered_map<MessageClass, ClassPlan, MessageClassHash>;

/// What becomes known of messages while the logs are read.
class MessageSink {
 public:
  MessageSink() = default;
  MessageSink(const MessageSink&) = delete;
  MessageSink& operator=(const MessageSink&) = delete;
  MessageSink(MessageSink&&) = delete;
  MessageSink& operator=(MessageSink&&) = delete;
  virtual ~MessageSink() = default;

  /// Whether what follows is after the gap of its process.
  virtual void set_tail(bool is_tail) = 0;
  /// A process goes on after its gap.
  virtual void pass_gap(std::uint32_t application, std::uint32_t rank) = 0;

  virtual void send(const MessageClass& to, const SentMessage& message) = 0;
  /// The program asks to cancel a message. Whether it was received is not known until one of the next two
  /// says so.
  virtual void doubt(const MessageClass& to, SendId send) = 0;
  virtual void confirm(const MessageClass& to, SendId send) = 0;
  virtual void withdraw(const MessageClass& to, SendId send) = 0;
  /// A receive whose class is known from the begin.
  virtual ReceiveId post(const MessageClass& from, ObjectIndex receiver, Nanoseconds logical) = 0;
  /// A receive that names no source or no tag.
  virtual ReceiveId post_any(const MessageClass& from, ObjectIndex receiver, Nanoseconds logical) = 0;
  /// It got its message, as `receiver` saw. For a receive of post_any, `from` says which; by complete() that
  /// is not known.
  virtual void complete(ReceiveId receive, ObjectIndex receiver, Nanoseconds physical) = 0;
  virtual void complete_any(ReceiveId receive, const MessageClass& from, ObjectIndex receiver,
                            Nanoseconds physical) = 0;
  /// The program asks to cancel it. Unless one of complete() says otherwise, it was cancelled.
  virtual void doubt(ReceiveId receive) = 0;
  /// The program freed its request, and nobody saw its message arrive: by then, or after it was sent.
  virtual void free(ReceiveId receive, Nanoseconds freed) = 0;
  /// It was cancelled.
  virtual void abandon(ReceiveId receive) = 0;
  /// It got a message, but nobody saw it arrive: neither is in the trace.
  virtual void discard(ReceiveId receive) = 0;
};

class Matcher final : public MessageSink {
 public:
  using Output = std::function<void(const Communication&)>;
  /// `plans`: of the classes of which logs have gaps.
  explicit Matcher(Output output, Plans plans = {}) : output_(std::move(output)), plans_(std::move(plans)) {}

  void set_tail(bool is_tail) override { is_tail_ = is_tail; }
  void pass_gap(std::uint32_t application, std::uint32_t rank) override;
  void send(const MessageClass& to, const SentMessage& message) override;
  void doubt(const MessageClass& to, SendId send) override;
  void confirm(const MessageClass& to, SendId send) override;
  void withdraw(const MessageClass& to, SendId send) override;
  ReceiveId post(const MessageClass& from, ObjectIndex receiver, Nanoseconds logical) override;
  ReceiveId post_any(const MessageClass& from, ObjectIndex receiver, Nanoseconds logical) override;
  void complete(ReceiveId receive, ObjectIndex receiver, Nanoseconds physical) override;
  void complete_any(ReceiveId receive, const MessageClass& from, ObjectIndex receiver,
                    Nanoseconds physical) override;
  void doubt(ReceiveId receive) override;
  void free(ReceiveId receive, Nanoseconds freed) override;
  void abandon(ReceiveId receive) override;
  void discard(ReceiveId receive) override;
  /// To be called at the end: doubted messages were cancelled, and what open receives got is inferred.
  void finish(const UnknownSends& unknown = {});

  /// Messages and receives without a partner.
  struct Unmatched {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
  };
  [[nodiscard]] Unmatched unmatched() const;
  /// Receives of which nothing tells what they got, because of an earlier one from any source without an end.
  [[nodiscard]] std::uint64_t undetermined() const { return undetermined_; }
  /// Messages and receives of classes of which a log has a gap, without a partner.
  [[nodiscard]] std::uint64_t left_out() const;
  /// How many classes are kept.
  [[nodiscard]] std::size_t classes() const { return classes_.size(); }

 private:
  template <class T>
  class Queue {
   public:
    [[nodiscard]] bool empty() const { return first_ == items_.size(); }
    [[nodiscard]] std::size_t size() const { return items_.size() - first_; }
    [[nodiscard]] const T& front() const { return items_[first_]; }
    [[nodiscard]] auto begin() const { return items_.begin() + static_cast<std::ptrdiff_t>(first_); }
    [[nodiscard]] auto end() const { return items_.end(); }
    void push(const T& item) { items_.push_back(item); }
    /// nullptr for none.
    template <class Predicate>
    [[nodiscard]] T* find(Predicate is_meant) {
      const auto found = std::find_if(begin(), end(), is_meant);
      return found == end() ? nullptr : &items_[static_cast<std::size_t>(found - items_.begin())];
    }
    template <class Predicate>
    void remove(Predicate is_meant) {
      items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
      std::erase_if(items_, is_meant);
    }
    void pop() {
      if (++first_ == items_.size()) {
        items_.clear();
        first_ = 0;
      } else if (first_ > 1024 && first_ * 2 > items_.size()) {
        items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_));
        first_ = 0;
      }
    }
    template <class Before>
    void insert(const T& item, Before before) {
      auto place = items_.end();
      while (place != items_.begin() + static_cast<std::ptrdiff_t>(first_) && before(item, *(place - 1)))
        --place;
      items_.insert(place, item);
    }

   private:
    std::vector<T> items_;
    std::size_t first_ = 0;
  };
  struct Class {
    Queue<SentMessage> sends;
    Queue<ReceiveId> receives;
    bool waits = false;  ///< behind an open receive
  };
  struct Receive {
    MessageClass from;
    std::uint64_t order = 0;  ///< of posting
    ObjectIndex receiver = 0;
    Nanoseconds logical = 0;
    Nanoseconds physical = 0;
    enum class Status : std::uint8_t { kPosted, kComplete, kDiscarded, kAbandoned } status = Status::kPosted;
    bool any = false;
    bool tail = false;
    bool freed = false;
    bool doubted = false;  ///< the program asked to cancel it
  };
  using Hash = MessageClassHash;
  /// Receives that may get the same, and are not known to have got anything.
  struct Open {
    std::map<std::uint64_t, ReceiveId> receives;         ///< by order
    std::multimap<std::uint64_t, MessageClass> waiting;  ///< by the order of the first receive of the class
  };
  using OpenReceives = std::unordered_map<MessageClass, Open, Hash>;
  /// What may have got the same, at the end: all of one communicator and destination.
  struct Mailbox {
    std::vector<UnseenReceives> unseen = {};
    std::vector<ContendedClass> classes = {};
  };
  using Mailboxes = std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, Mailbox>;

  Class& class_of(const MessageClass& key);
  static SentMessage* find(Class& there, SendId send);
  void match(const MessageClass& key, Class& there);
  void deliver(const MessageClass& key, Class& there);
  void put_out(const MessageClass& key, const SentMessage& sent, const Receive& receive);
  void drop_front(Class& there);
  [[nodiscard]] Open* open_before(const MessageClass& key, std::uint64_t order);
  void settle(const MessageClass& pattern, std::uint64_t order);
  void release(Open& open, std::uint64_t before);
  void infer(const UnknownSends& unknown);
  Mailboxes mailboxes();
  void contend(const MessageClass& key, Mailbox& box);
  void leave_out_doubtful(const MessageClass& key, const Mailbox& box);
  [[nodiscard]] std::vector<ReceiveId> takers_of(const Class& there) const;
  void hand_out(const MessageClass& key, const std::vector<std::optional<std::uint64_t>>& taken);
  void hand_out_unseen(const MessageClass& key, std::span<const SentMessage> sent, std::uint64_t from,
                       std::uint64_t to);
  void drop_unseen(const MessageClass& key, Class& there);
  void purge();

  [[nodiscard]] bool is_left_out(const MessageClass& key, bool tail) const;
  /// Frees it.
  void leave_out(ReceiveId id);

  Output output_;
  Plans plans_;
  bool is_tail_ = false;
  std::uint64_t left_out_ = 0;
  std::unordered_map<MessageClass, Class, Hash> classes_;
  std::size_t purge_at_ = 1U << 14U;
  Slots<Receive> receives_;
  std::uint64_t posted_ = 0;
  OpenReceives open_;
  std::uint64_t undetermined_ = 0;
  std::uint64_t dropped_ = 0;  ///< messages that were discarded, and as many receives
};

}  // namespace groma::trace
