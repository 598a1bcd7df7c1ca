// A barrier for threads that measure together.
#pragma once

#include <atomic>
#include <cstdint>

namespace groma {

/// Sense-reversing barrier that spins: its members leave within a cache line's latency of each other.
/// Yields after a while, so that it does not hang where there are fewer cores than members.
class SpinBarrier {
 public:
  explicit SpinBarrier(std::uint32_t members) : members_(members) {}
  void wait();

 private:
  const std::uint32_t members_;
  std::atomic<std::uint32_t> waiting_{0};
  std::atomic<std::uint32_t> phase_{0};
};

}  // namespace groma
