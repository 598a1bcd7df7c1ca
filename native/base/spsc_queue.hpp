// A lock-free queue of 64-bit words with a single producer and a single consumer (Lamport 1983), in memory
// that threads or processes share. Each end caches the count of the other end and reads it again only when
// the cached one does not suffice.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/nontemporal_store.hpp"
#include "base/prefetch.hpp"

namespace groma {

/// Bytes between data of different threads: two cache lines, because current cores prefetch lines in pairs.
constexpr std::size_t kFalseSharingRange = 128;

static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes share the counts");

/// A view of the queue, copied freely. Its memory is zero at first and aligned to kFalseSharingRange. It may
/// be used several times: in each use the producer closes it, and the consumer empties it. Counts never wrap.
class SpscQueue {
 public:
  /// `capacity` is a power of two.
  static std::size_t bytes(std::uint64_t capacity) {
    const std::size_t size = sizeof(Counts) + capacity * sizeof(std::uint64_t);
    return (size + kFalseSharingRange - 1) / kFalseSharingRange * kFalseSharingRange;
  }

  SpscQueue(std::byte* memory, std::uint64_t capacity)
      : counts_(reinterpret_cast<Counts*>(memory)), capacity_(capacity) {}

 private:
  friend class SpscProducer;
  friend class SpscConsumer;

  struct Counts {
    alignas(kFalseSharingRange) std::atomic<std::uint64_t> written;
    std::atomic<std::uint64_t> closed;  ///< uses
    alignas(kFalseSharingRange) std::atomic<std::uint64_t> read;
  };

  [[nodiscard]] std::uint64_t* words() const { return reinterpret_cast<std::uint64_t*>(counts_ + 1); }
  [[nodiscard]] std::uint64_t slot(std::uint64_t at) const { return at & (capacity_ - 1); }

  Counts* counts_;
  std::uint64_t capacity_;
};

/// The end that writes, for one use of the queue.
class SpscProducer {
 public:
  explicit SpscProducer(const SpscQueue& queue)
      : queue_(queue),
        at_(queue.counts_->written.load(std::memory_order_relaxed)),
        read_(queue.counts_->read.load(std::memory_order_acquire)) {}

  /// Whether `count` more words fit, by the consumer's count of the last refresh().
  [[nodiscard]] bool has_room(std::uint64_t count) const { return unread() + count <= queue_.capacity_; }
  /// Reads the consumer's count.
  void refresh() { read_ = queue_.counts_->read.load(std::memory_order_acquire); }

  /// Writes words, which must fit, and shows them to the consumer.
  void push(std::span<const std::uint64_t> words) {
    stage(words);
    fence_nontemporal_stores();
    publish();
  }

  /// Writes words, which must fit, without showing them. Several queues can so share one fence.
  void stage(std::span<const std::uint64_t> words) {
    std::uint64_t* const slots = queue_.words();
    std::uint64_t at = at_;
    for (const std::uint64_t word : words) store_nontemporal(slots + queue_.slot(at++), word);
    at_ = at;
  }
  /// Shows what was staged; fence_nontemporal_stores() comes first.
  void publish() { queue_.counts_->written.store(at_, std::memory_order_release); }

  /// Nothing more comes in this use.
  void close() { queue_.counts_->closed.fetch_add(1, std::memory_order_release); }

  /// Words that the consumer had not popped at the last refresh(): never fewer than there are.
  [[nodiscard]] std::uint64_t unread() const { return at_ - read_; }

 private:
  SpscQueue queue_;
  std::uint64_t at_;
  std::uint64_t read_;
};

/// The end that reads, for one use of the queue.
class SpscConsumer {
 public:
  /// `use` counts from 1.
  SpscConsumer(const SpscQueue& queue, std::uint64_t use)
      : queue_(queue), use_(use), at_(queue.counts_->read.load(std::memory_order_relaxed)), seen_(at_) {}

  /// Reads the producer's count, and prefetches the words that are new. Returns how many unread words an
  /// earlier poll() has prefetched: reading those first hides the latency of the others.
  std::uint64_t poll() {
    const std::uint64_t seen = seen_;
    seen_ = queue_.counts_->written.load(std::memory_order_acquire);
    prefetch_from(seen);
    return seen - at_;
  }

  /// Words that the last poll() saw and that are not popped.
  [[nodiscard]] std::uint64_t unread() const { return seen_ - at_; }

  /// The oldest unread words that lie side by side, at most `most`.
  [[nodiscard]] std::span<const std::uint64_t> front(std::uint64_t most) const {
    const std::uint64_t from = queue_.slot(at_);
    return {queue_.words() + from, std::min({most, unread(), queue_.capacity_ - from})};
  }

  /// Polls. Gives words that were prefetched earlier; if there are none, those that are new.
  std::span<const std::uint64_t> arrived() {
    const std::uint64_t prefetched = poll();
    return front(prefetched == 0 ? unread() : prefetched);
  }

  /// Gives the room of the first `count` words back to the producer.
  void pop(std::uint64_t count) {
    at_ += count;
    queue_.counts_->read.store(at_, std::memory_order_release);
  }

  /// Whether the producer has closed this use, and all words are popped.
  [[nodiscard]] bool is_finished() const {
    // In this order: what the producer wrote before it closed the queue is then seen.
    return queue_.counts_->closed.load(std::memory_order_acquire) >= use_ &&
           queue_.counts_->written.load(std::memory_order_relaxed) == at_;
  }

 private:
  static constexpr std::uint64_t kWordsPerLine = 8;

  void prefetch_from(std::uint64_t from) const {
    for (std::uint64_t at = from; at < seen_; at += kWordsPerLine) prefetch(queue_.words() + queue_.slot(at));
  }

  SpscQueue queue_;
  std::uint64_t use_;
  std::uint64_t at_;
  std::uint64_t seen_;
};

}  // namespace groma
