// Memory for the messages of a probe, checked against the limit before it is allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/pages.hpp"
#include "survey/network/probe.hpp"

namespace groma::survey::network {

class Buffers {
 public:
  /// Collective. `count` messages of up to `bytes` each. Error "memory" on all ranks, before anything is
  /// taken, where they are more than a rank may take.
  static Result<Buffers> make(const Context& context, std::uint64_t bytes, std::size_t count);

  /// Touches the first `bytes` of every message, unless it was done before. No message is timed without.
  void prepare(std::uint64_t bytes);

  /// Begins at a page.
  [[nodiscard]] std::span<std::byte> message(std::size_t which, std::uint64_t bytes) const {
    return {block_.data() + which * stride_, bytes};
  }

 private:
  Buffers(Block block, std::uint64_t stride) : block_(std::move(block)), stride_(stride) {}
  Block block_;
  std::uint64_t stride_;
  std::uint64_t touched_ = 0;
};

/// 1,536 bytes, 32 MiB, 3.1 GiB.
std::string bytes_text(std::uint64_t bytes);

}  // namespace groma::survey::network
