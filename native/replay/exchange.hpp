// The messages of a pattern, sent and received again and again.
#pragma once

#include <vector>

#include "mpi/communicator.hpp"
#include "replay/pattern.hpp"

namespace groma::replay {

/// This rank's part of a pattern. A message is filled by its sender and its number, and marked with the
/// iteration.
class Exchange {
 public:
  Exchange(const mpi::Communicator& world, const std::vector<Traffic>& pattern);

  /// Starts all messages of one iteration, then waits for all. Collective.
  void iterate(std::uint32_t iteration);

  /// Messages that are not what their senders sent in this iteration.
  [[nodiscard]] std::uint64_t wrong_messages(std::uint32_t iteration) const;

 private:
  struct Message {
    Traffic traffic;
    std::uint64_t number;  ///< of those of one entry; messages between two ranks keep their order
    std::vector<std::byte> bytes;
  };

  const mpi::Communicator& world_;
  std::vector<Message> incoming_;
  std::vector<Message> outgoing_;
};

}  // namespace groma::replay
