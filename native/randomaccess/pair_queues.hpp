// The queues between workers that share memory, threads or ranks of a node: one for each ordered pair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/spsc_queue.hpp"

namespace groma::randomaccess {

/// A view, copied freely.
class PairQueues {
 public:
  static std::size_t bytes(std::uint64_t workers, std::uint64_t capacity) {
    return workers * workers * SpscQueue::bytes(capacity);
  }

  /// Words of each queue: several times what the limit on look-ahead lets a worker send to each other one.
  static std::uint64_t capacity_for(std::uint64_t workers);

  /// `memory` is zero at first and aligned to kFalseSharingRange; `capacity` is a power of two.
  PairQueues(std::span<std::byte> memory, std::uint64_t workers, std::uint64_t capacity)
      : memory_(memory.data()), workers_(workers), capacity_(capacity) {}

  [[nodiscard]] std::uint64_t workers() const { return workers_; }
  [[nodiscard]] std::uint64_t capacity() const { return capacity_; }

  [[nodiscard]] SpscQueue queue(std::uint64_t from, std::uint64_t to) const {
    return {memory_ + (from * workers_ + to) * SpscQueue::bytes(capacity_), capacity_};
  }

 private:
  std::byte* memory_;
  std::uint64_t workers_;
  std::uint64_t capacity_;
};

}  // namespace groma::randomaccess
