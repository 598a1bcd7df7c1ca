// Which receive got which message.
//
// MPI lets messages between two processes, of one tag on one communicator, arrive in the order in which they
// were sent, at receives in the order in which they were posted. A receive that names no source or tag
// belongs to such a class only once it is known what it got; until then, later receives of its process and
// communicator wait.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "trace/model/trace.hpp"

namespace groma::trace {

/// A process of the trace.
struct ProcessId {
  std::uint32_t application = 0;
  std::uint32_t rank = 0;
};

/// Messages that may match each other.
struct MessageClass {
  std::uint32_t group = 0;  ///< index of the communicator
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  std::int64_t tag = 0;
  bool partitioned = false;
  bool operator==(const MessageClass&) const = default;
};

struct SentMessage {
  ObjectIndex sender = 0;
  Nanoseconds logical = 0;
  Nanoseconds physical = 0;
  std::uint64_t bytes = 0;
};

using ReceiveId = std::uint32_t;

class Matcher {
 public:
  using Output = std::function<void(const Communication&)>;
  explicit Matcher(Output output) : output_(std::move(output)) {}

  void send(const MessageClass& to, const SentMessage& message);

  /// A receive whose class is known from the begin.
  ReceiveId post(const MessageClass& from, ObjectIndex receiver, Nanoseconds logical);
  /// A receive of a process, given by a number of its own, on a communicator, which names no source or no
  /// tag.
  ReceiveId post_any(std::uint32_t process, std::uint32_t group, ObjectIndex receiver, Nanoseconds logical);
  /// It got its message. For a receive of post_any, `from` says which.
  void complete(ReceiveId receive, Nanoseconds physical);
  void complete_any(ReceiveId receive, const MessageClass& from, Nanoseconds physical);
  /// It was cancelled.
  void abandon(ReceiveId receive);

  /// Messages and receives without a partner. To be called at the end.
  struct Unmatched {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
  };
  [[nodiscard]] Unmatched unmatched() const;
  /// How many classes are kept.
  [[nodiscard]] std::size_t classes() const { return classes_.size(); }

 private:
  template <class T>
  class Queue {
   public:
    [[nodiscard]] bool empty() const { return first_ == items_.size(); }
    [[nodiscard]] std::size_t size() const { return items_.size() - first_; }
    [[nodiscard]] const T& front() const { return items_[first_]; }
    void push(const T& item) { items_.push_back(item); }
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
  };
  struct Receive {
    MessageClass from;
    std::uint64_t order = 0;  ///< of posting
    std::uint32_t process = 0;
    ObjectIndex receiver = 0;
    Nanoseconds logical = 0;
    Nanoseconds physical = 0;
    enum class Status : std::uint8_t { kPosted, kComplete, kAbandoned } status = Status::kPosted;
    bool any = false;
  };
  struct Open {  ///< a receive without a class
    std::uint64_t order;
    std::uint32_t group;
  };
  struct Hash {
    std::size_t operator()(const MessageClass& one) const noexcept;
  };

  ReceiveId make(const Receive& receive);
  Class& class_of(const MessageClass& key);
  void match(const MessageClass& key, Class& there);
  [[nodiscard]] bool must_wait(const Receive& receive) const;
  void settle_any(ReceiveId id);
  void purge();

  Output output_;
  std::unordered_map<MessageClass, Class, Hash> classes_;
  std::size_t purge_at_ = 1U << 14U;
  std::vector<Receive> receives_;
  std::vector<ReceiveId> free_;
  std::uint64_t posted_ = 0;
  std::unordered_map<std::uint32_t, std::vector<Open>> open_;             ///< by process
  std::unordered_map<std::uint32_t, std::vector<MessageClass>> waiting_;  ///< classes behind open receives
};

}  // namespace groma::trace
