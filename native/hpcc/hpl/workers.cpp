#include "hpcc/hpl/workers.hpp"

namespace groma::hpcc::hpl {
namespace {

/// Waits until the value is no longer `old`: a short while awake, as the next job is never far, then asleep,
/// so that a thread without work leaves its core.
void await_change(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  constexpr int kAwake = 2000;
  for (int i = 0; i < kAwake; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    if (i % 64 == 63) std::this_thread::yield();
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

Workers::Workers(std::uint32_t threads) {
  for (std::uint32_t number = 1; number < threads; ++number) {
    helpers_.emplace_back([this, number] { serve(number); });
  }
}

Workers::~Workers() {
  over_ = true;
  round_.fetch_add(1);
  round_.notify_all();
}

void Workers::start(Job job) {
  job_ = std::move(job);
  if (helpers_.empty()) return;
  busy_.store(static_cast<std::uint32_t>(helpers_.size()));
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
}

void Workers::finish() {
  job_(0);
  for (std::uint32_t left = busy_.load(); left != 0; left = busy_.load()) await_change(busy_, left);
}

void Workers::serve(std::size_t number) {
  for (std::uint32_t seen = 0;; ++seen) {
    await_change(round_, seen);
    if (over_) return;
    job_(number);
    busy_.fetch_sub(1);
    busy_.notify_all();
  }
}

}  // namespace groma::hpcc::hpl
