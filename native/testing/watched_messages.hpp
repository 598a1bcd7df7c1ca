// The messages of a rank as a test sees them, below the code that it tests: the MPI calls of RandomAccess are
// caught in front of the library (watched_messages.cpp), so that a test can count, spoil and slow them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>

#include "mpi/communicator.hpp"

namespace groma::test {

/// What a test does to messages of updates. One at a time.
struct MessageHooks {
  /// Before a message leaves; it may change the updates.
  std::function<void(std::span<std::uint64_t> updates)> leaving = [](std::span<std::uint64_t>) {};
  /// Once the library has no more use for a message that left.
  std::function<void(std::span<const std::uint64_t> updates)> sent = [](std::span<const std::uint64_t>) {};
  /// After a message has come.
  std::function<void(std::span<const std::uint64_t> updates, int from)> arrived =
      [](std::span<const std::uint64_t>, int) {};
  /// Polls for which a message from a rank stays unseen after it came.
  std::function<std::uint64_t(int from)> delay = [](int) { return std::uint64_t{0}; };
};

/// In force on this rank from its construction to its end.
class WatchedMessages {
 public:
  explicit WatchedMessages(MessageHooks hooks);
  ~WatchedMessages();
  WatchedMessages(const WatchedMessages&) = delete;
  WatchedMessages& operator=(const WatchedMessages&) = delete;
};

}  // namespace groma::test
