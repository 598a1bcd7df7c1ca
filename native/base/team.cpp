#include "base/team.hpp"

#include <mutex>
#include <optional>
#include <thread>

#include "base/affinity.hpp"
#include "base/clock.hpp"

namespace groma {

namespace {

struct Account {
  std::mutex guard;
  TeamTimes times;
};

Account& account() {
  static Account all;
  return all;
}

void book(const TeamTimes& times) {
  Account& all = account();
  const std::lock_guard lock(all.guard);
  all.times = {all.times.waited + times.waited, all.times.wall + times.wall, all.times.cpu + times.cpu};
}

/// Books the wall and CPU time of the calling thread while it lives.
class MemberWatch {
 public:
  MemberWatch() : wall_(clock_.now()), cpu_(clock_.thread_cpu()) {}
  MemberWatch(const MemberWatch&) = delete;
  MemberWatch& operator=(const MemberWatch&) = delete;
  ~MemberWatch() { book({Seconds(0.0), clock_.now() - wall_, clock_.thread_cpu() - cpu_}); }

 private:
  SystemClock clock_;
  Seconds wall_;
  Seconds cpu_;
};

}  // namespace

TeamTimes team_times() {
  Account& all = account();
  const std::lock_guard lock(all.guard);
  return all.times;
}

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

Status run_team(const std::vector<PhysicalCore>& cpus, const std::function<void(const TeamMember&)>& work) {
  SpinBarrier barrier(static_cast<std::uint32_t>(cpus.size()));
  std::mutex guard;
  std::optional<Error> failed;
  const auto member = [&](std::size_t index) {
    if (const Status pinned = pin_this_thread(cpus[index]); !pinned) {
      const std::lock_guard lock(guard);
      failed = pinned.error();
    }
    barrier.wait();
    const bool all_pinned = [&] {
      const std::lock_guard lock(guard);
      return !failed.has_value();
    }();
    const MemberWatch watch;
    if (all_pinned) work({index, barrier});
  };
  const Seconds start = SystemClock().now();
  std::vector<std::jthread> threads;
  threads.reserve(cpus.size());
  for (std::size_t i = 0; i < cpus.size(); ++i) threads.emplace_back(member, i);
  threads.clear();
  book({SystemClock().now() - start, Seconds(0.0), Seconds(0.0)});
  if (failed) return *failed;
  return Done{};
}

}  // namespace groma
