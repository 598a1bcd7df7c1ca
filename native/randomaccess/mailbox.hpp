// Queues of updates between workers that share memory, threads or ranks of a node: one queue for each ordered
// pair, written by one worker and read by one, without locks (Lamport 1983).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace groma::randomaccess {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes share them");

/// Two lines: the prefetcher of current cores fetches lines in pairs.
constexpr std::size_t kApart = 128;

/// The counts of a queue; its entries follow in memory. Neither count ever wraps.
struct Mailbox {
  alignas(kApart) std::atomic<std::uint64_t> written;
  alignas(kApart) std::atomic<std::uint64_t> read;

  [[nodiscard]] std::uint64_t* entries() { return reinterpret_cast<std::uint64_t*>(this + 1); }
};

/// The queues of all workers in memory of theirs; a view, copied freely.
class Mailboxes {
 public:
  /// Bytes that so many workers need; `capacity` is a power of two of at least 16.
  static std::size_t bytes(std::uint64_t workers, std::uint64_t capacity) {
    return kApart + workers * workers * stride(capacity);
  }

  /// Entries of a queue: room for several times what the workers of one sender may have under way to each.
  static std::uint64_t capacity_for(std::uint64_t workers);

  /// `memory` is zero at first and aligned to kApart.
  Mailboxes(std::span<std::byte> memory, std::uint64_t workers, std::uint64_t capacity)
      : memory_(memory.data()), workers_(workers), capacity_(capacity) {}

  [[nodiscard]] std::uint64_t workers() const { return workers_; }
  [[nodiscard]] std::uint64_t capacity() const { return capacity_; }

  /// How many times a worker has come to the end of its section.
  [[nodiscard]] std::atomic<std::uint64_t>& finished() const {
    return *reinterpret_cast<std::atomic<std::uint64_t>*>(memory_);
  }
  /// Boxes of one sender lie side by side.
  [[nodiscard]] Mailbox& box(std::uint64_t from, std::uint64_t to) const {
    return *reinterpret_cast<Mailbox*>(memory_ + kApart + (from * workers_ + to) * stride(capacity_));
  }

 private:
  static std::size_t stride(std::uint64_t capacity) {
    return sizeof(Mailbox) + capacity * sizeof(std::uint64_t);
  }

  std::byte* memory_;
  std::uint64_t workers_;
  std::uint64_t capacity_;
};

}  // namespace groma::randomaccess
