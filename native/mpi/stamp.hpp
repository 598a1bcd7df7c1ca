// Marks in messages by which a receiver checks that it got the message of this iteration.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace groma::mpi {

/// Marks first and last byte with an iteration; where there is but one, the last counts.
inline void stamp(std::span<std::byte> message, std::uint32_t iteration) {
  if (message.empty()) return;
  message.front() = static_cast<std::byte>(iteration);
  message.back() = static_cast<std::byte>(iteration + 1);
}

inline bool is_stamped(std::span<const std::byte> message, std::uint32_t iteration) {
  if (message.empty()) return true;
  const bool front = message.size() == 1 || message.front() == static_cast<std::byte>(iteration);
  return front && message.back() == static_cast<std::byte>(iteration + 1);
}

/// Before a message is received: what lies in its memory is not taken for it, whoever sent that.
inline void unstamp(std::span<std::byte> memory, std::uint32_t iteration) {
  stamp(memory, ~iteration);
}

}  // namespace groma::mpi
