// A lock for moments.
#pragma once

#include <sched.h>

#include <atomic>

namespace groma::trace {

/// Needs no memory and nothing of the C++ library, and may be used at any time of a process. Who waits gives
/// the processor away: the holder may need it. Not for handlers of signals.
class YieldingLock {
 public:
  constexpr YieldingLock() = default;
  YieldingLock(const YieldingLock&) = delete;
  YieldingLock& operator=(const YieldingLock&) = delete;
  YieldingLock(YieldingLock&&) = delete;
  YieldingLock& operator=(YieldingLock&&) = delete;
  ~YieldingLock() = default;

  void lock() {
    while (busy_.test_and_set(std::memory_order_acquire)) {
      sched_yield();
    }
  }
  void unlock() { busy_.clear(std::memory_order_release); }

 private:
  std::atomic_flag busy_;
};

}  // namespace groma::trace
