// The memory of messages: what is sent and received, and whether it arrived as it was sent. First and last
// byte depend on the iteration; in reused buffers every other byte on its place, sender, direction and
// sample.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/pages.hpp"
#include "base/result.hpp"
#include "hpcc/effective_bandwidth/patterns.hpp"
#include "mpi/stamp.hpp"

namespace groma::hpcc {

/// What the words of a message follow from.
struct Origin {
  int sender;
  std::uint32_t direction;
  std::uint64_t sample;
};

void fill(std::span<std::byte> message, const Origin& origin);
/// Bytes that differ from what `origin` sent, but for the first and the last one.
std::uint64_t wrong_bytes(std::span<const std::byte> message, const Origin& origin);

using mpi::is_stamped;
using mpi::stamp;

/// Two messages that leave and two that arrive: one for each neighbour in a ring.
struct MessageSet {
  std::array<std::span<std::byte>, 2> out;
  std::array<std::span<std::byte>, 2> in;
};

class Messages {
 public:
  /// Memory for messages of up to `largest` bytes; `pool` bytes of rotating ones. Touched by the caller.
  static Result<Messages> make(std::uint64_t largest, Bytes pool);

  /// The set that iteration number `iteration` since the beginning uses. Rotating sets come round when the
  /// pool is used up, in an order that no prefetcher follows; they are never filled, which would warm them.
  [[nodiscard]] MessageSet set(BufferState buffers, std::uint64_t bytes, std::uint64_t iteration) const;

 private:
  Messages(Block small, Block huge, Block pool, std::uint64_t largest)
      : small_(std::move(small)), huge_(std::move(huge)), pool_(std::move(pool)), largest_(largest) {}
  Block small_;
  Block huge_;
  Block pool_;
  std::uint64_t largest_;
};

/// So much memory that all ranks around one last-level cache rotate through several times its size.
Bytes rotating_pool(std::uint64_t largest, Bytes last_level_cache, std::uint64_t cores_around_it);

}  // namespace groma::hpcc
