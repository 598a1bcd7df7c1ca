#include "base/thread_pool.hpp"

#include <algorithm>
#include <tuple>

#include "base/affinity.hpp"

namespace groma {
namespace {

/// Waits until the value is no longer `old`: a short while awake, then asleep.
void await_change(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  constexpr int kSpins = 2000;
  constexpr int kSpinsPerYield = 64;
  for (int spin = 1; spin <= kSpins; ++spin) {
    if (value.load(std::memory_order_acquire) != old) return;
    if (spin % kSpinsPerYield == 0) std::this_thread::yield();
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

ThreadPool::ThreadPool(std::size_t members, Pinning pinning) {
  if (pinning == Pinning::kOneCpuEach && members > 1) {
    if (const auto allowed = allowed_cpus(); allowed.size() == members) cpus_ = allowed;
  }
  threads_.reserve(members);
  try {
    while (size() < members) threads_.emplace_back([this, member = size()] { serve(member); });
  } catch (...) {
    stop();  // threads that run already would never end
    throw;
  }
  if (!cpus_.empty()) std::ignore = pin_this_thread(cpus_.front());
}

ThreadPool::~ThreadPool() {
  stop();
  if (!cpus_.empty()) std::ignore = keep_this_thread_on(cpus_);
}

void ThreadPool::stop() {
  stopped_ = true;
  started_.fetch_add(1, std::memory_order_release);
  started_.notify_all();
  threads_.clear();
}

void ThreadPool::run(Task task) {
  start(std::move(task));
  finish();
}

void ThreadPool::start(Task task) {
  task_ = std::move(task);
  if (threads_.empty()) return;
  busy_.store(static_cast<std::uint32_t>(threads_.size()), std::memory_order_relaxed);
  started_.fetch_add(1, std::memory_order_release);
  started_.notify_all();
}

void ThreadPool::finish() {
  task_(0);
  for (std::uint32_t busy; (busy = busy_.load(std::memory_order_acquire)) != 0;) await_change(busy_, busy);
}

void ThreadPool::serve(std::size_t member) {
  // A thread that may not be pinned still does its part.
  if (!cpus_.empty()) std::ignore = pin_this_thread(cpus_[member]);
  for (std::uint32_t done = 0;; ++done) {
    await_change(started_, done);
    if (stopped_) return;
    task_(member);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
  }
}

std::pair<std::uint64_t, std::uint64_t> part_of(std::uint64_t count, std::uint64_t grain, std::size_t part,
                                                std::size_t parts) {
  const std::uint64_t grains = (count + grain - 1) / grain;
  const auto bound = [&](std::size_t k) {
    // Quotient and rest apart: a product of 64-bit sizes might overflow.
    const std::uint64_t begin = grains / parts * k + grains % parts * k / parts;
    return std::min(count, begin * grain);
  };
  return {bound(part), bound(part + 1)};
}

}  // namespace groma
