#include "base/crew.hpp"

#include <algorithm>
#include <tuple>

#include "base/affinity.hpp"

namespace groma {

Crew::Crew(std::uint32_t members) {
  if (const auto allowed = allowed_cpus(); members > 1 && allowed.size() == members) cpus_ = allowed;
  threads_.reserve(members);
  try {
    while (size() < members) threads_.emplace_back([this, member = size()] { serve(member); });
  } catch (...) {
    dismiss();  // those that stand ready would never end
    throw;
  }
  if (!cpus_.empty()) std::ignore = pin_this_thread(cpus_.front());
}

Crew::~Crew() {
  dismiss();
  if (!cpus_.empty()) std::ignore = keep_this_thread_on(cpus_);
}

void Crew::dismiss() {
  leave_ = true;
  piece_.fetch_add(1, std::memory_order_release);
  piece_.notify_all();
  threads_.clear();
}

void Crew::run(const std::function<void(std::size_t member)>& work) {
  work_ = &work;
  busy_.store(static_cast<std::uint32_t>(threads_.size()), std::memory_order_relaxed);
  piece_.fetch_add(1, std::memory_order_release);
  if (!threads_.empty()) piece_.notify_all();
  work(0);
  for (auto busy = busy_.load(std::memory_order_acquire); busy > 0;) {
    busy_.wait(busy, std::memory_order_acquire);
    busy = busy_.load(std::memory_order_acquire);
  }
}

void Crew::serve(std::size_t member) {
  // A thread that may not be pinned still does its part.
  if (!cpus_.empty()) std::ignore = pin_this_thread(cpus_[member]);
  for (std::uint32_t done = 0;; ++done) {
    piece_.wait(done, std::memory_order_acquire);
    if (leave_) return;
    (*work_)(member);
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
