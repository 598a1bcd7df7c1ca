// A queue of updates from one rank of a node to another, in memory that they share: one writes, one reads,
// and neither ever waits for a lock (Lamport 1983). Each end keeps the other end's count as it last saw it,
// and looks again only when that does not suffice.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "randomaccess/mailbox.hpp"
#include "randomaccess/past_caches.hpp"

namespace groma::randomaccess {

/// The queue in memory that is zero at first and aligned to kApart; a view, copied freely. No count ever
/// wraps. It may be used many times: the writer ends each use, and the reader empties it.
class UpdateQueue {
 public:
  /// `capacity` is a power of two.
  static std::size_t bytes(std::uint64_t capacity) {
    const std::size_t size = sizeof(Counts) + capacity * sizeof(std::uint64_t);
    return (size + kApart - 1) / kApart * kApart;
  }

  UpdateQueue(std::byte* memory, std::uint64_t capacity)
      : counts_(reinterpret_cast<Counts*>(memory)), capacity_(capacity) {}

 private:
  friend class QueueWriter;
  friend class QueueReader;

  struct Counts {
    alignas(kApart) std::atomic<std::uint64_t> written;
    std::atomic<std::uint64_t> ended;  ///< uses
    alignas(kApart) std::atomic<std::uint64_t> read;
  };

  [[nodiscard]] std::uint64_t* entries() const { return reinterpret_cast<std::uint64_t*>(counts_ + 1); }
  [[nodiscard]] std::uint64_t slot(std::uint64_t at) const { return at & (capacity_ - 1); }

  Counts* counts_;
  std::uint64_t capacity_;
};

/// Of one rank, for one use.
class QueueWriter {
 public:
  explicit QueueWriter(const UpdateQueue& queue)
      : queue_(queue),
        at_(queue.counts_->written.load(std::memory_order_relaxed)),
        read_(queue.counts_->read.load(std::memory_order_acquire)) {}

  /// Whether so many have room, as far as it knows.
  [[nodiscard]] bool fits(std::uint64_t count) const { return unread() + count <= queue_.capacity_; }
  /// Looks how far the reader is.
  void look() { read_ = queue_.counts_->read.load(std::memory_order_acquire); }

  /// They must fit.
  void push(std::span<const std::uint64_t> updates) {
    std::uint64_t* const entries = queue_.entries();
    for (const std::uint64_t update : updates) write_past_caches(entries + queue_.slot(at_++), update);
    end_of_writes();
    queue_.counts_->written.store(at_, std::memory_order_release);
  }

  /// Nothing more will come in this use.
  void end() { queue_.counts_->ended.fetch_add(1, std::memory_order_release); }

  /// Those in the queue: at least as many as are.
  [[nodiscard]] std::uint64_t unread() const { return at_ - read_; }

 private:
  UpdateQueue queue_;
  std::uint64_t at_;
  std::uint64_t read_;
};

/// Of one rank, for one use.
class QueueReader {
 public:
  /// `use` counts from 1.
  QueueReader(const UpdateQueue& queue, std::uint64_t use)
      : queue_(queue), use_(use), at_(queue.counts_->read.load(std::memory_order_relaxed)), written_(at_) {}

  /// The oldest updates that lie side by side. Those that have come since it last looked are asked for
  /// meanwhile, so that they are on their way from another core while these are dealt with.
  std::span<const std::uint64_t> arrived() {
    const std::uint64_t known = written_;
    written_ = queue_.counts_->written.load(std::memory_order_acquire);
    fetch(known);
    const std::uint64_t ready = known == at_ ? written_ : known;
    const std::uint64_t from = queue_.slot(at_);
    return {queue_.entries() + from, std::min(ready - at_, queue_.capacity_ - from)};
  }

  /// The first `count` of them are dealt with; their room is the writer's again.
  void take(std::uint64_t count) {
    at_ += count;
    queue_.counts_->read.store(at_, std::memory_order_release);
  }

  /// Whether nothing more will arrive, and all is dealt with.
  [[nodiscard]] bool has_ended() const {
    // First whether the writer has ended, then its count: what it wrote before is then seen.
    return queue_.counts_->ended.load(std::memory_order_acquire) >= use_ &&
           queue_.counts_->written.load(std::memory_order_relaxed) == at_;
  }

 private:
  static constexpr std::uint64_t kPerLine = 8;

  void fetch(std::uint64_t from) const {
    for (std::uint64_t at = from; at < written_; at += kPerLine) {
      __builtin_prefetch(queue_.entries() + queue_.slot(at), 0, 3);
    }
  }

  UpdateQueue queue_;
  std::uint64_t use_;
  std::uint64_t at_;
  std::uint64_t written_;
};

}  // namespace groma::randomaccess
