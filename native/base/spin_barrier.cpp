#include "base/spin_barrier.hpp"

#include <thread>

namespace groma {

void SpinBarrier::wait() {
  constexpr int kSpinsBeforeYield = 20'000;
  const std::uint32_t phase = phase_.load(std::memory_order_acquire);
  if (waiting_.fetch_add(1, std::memory_order_acq_rel) + 1 == members_) {
    waiting_.store(0, std::memory_order_relaxed);
    phase_.store(phase + 1, std::memory_order_release);
    return;
  }
  for (int spins = 0; phase_.load(std::memory_order_acquire) == phase; ++spins) {
    if (spins > kSpinsBeforeYield) std::this_thread::yield();
  }
}

}  // namespace groma
