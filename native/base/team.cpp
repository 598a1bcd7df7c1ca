#include "base/team.hpp"

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
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

void add_times(const TeamTimes& times) {
  Account& all = account();
  const std::lock_guard lock(all.guard);
  all.times = {all.times.waited + times.waited, all.times.wall + times.wall, all.times.cpu + times.cpu};
}

/// Adds the wall and CPU time of the calling thread while it lives.
class ThreadTimer {
 public:
  ThreadTimer() : wall_(clock_.now()), cpu_(clock_.thread_cpu()) {}
  ThreadTimer(const ThreadTimer&) = delete;
  ThreadTimer& operator=(const ThreadTimer&) = delete;
  ~ThreadTimer() { add_times({Seconds(0.0), clock_.now() - wall_, clock_.thread_cpu() - cpu_}); }

 private:
  SystemClock clock_;
  Seconds wall_;
  Seconds cpu_;
};

/// What threads that have been started are to do: one that cannot be started must not be waited for.
enum class Start { kHold, kGo, kCancelled };

class FirstError {
 public:
  void set(const Error& error) {
    const std::lock_guard lock(guard_);
    if (!error_) error_ = error;
  }
  [[nodiscard]] std::optional<Error> get() const {
    const std::lock_guard lock(guard_);
    return error_;
  }

 private:
  mutable std::mutex guard_;
  std::optional<Error> error_;
};

Status start_threads(std::size_t count, const std::function<void(std::size_t)>& member,
                     std::vector<std::jthread>& threads) {
  try {
    threads.reserve(count);
    while (threads.size() < count) threads.emplace_back(member, threads.size());
    return Done{};
  } catch (const std::system_error& refused) {
    return Error{"team.no_thread",
                 "cannot start thread " + std::to_string(threads.size() + 1) + " of " +
                     std::to_string(count) + ": " + refused.code().message(),
                 "raise the limits on processes and memory (ulimit -u, ulimit -v, pids.max of the cgroup)"};
  }
}

}  // namespace

TeamTimes team_times() {
  Account& all = account();
  const std::lock_guard lock(all.guard);
  return all.times;
}

Status run_team(const std::vector<PhysicalCore>& cpus, const std::function<void(const TeamMember&)>& work) {
  SpinBarrier barrier(static_cast<std::uint32_t>(cpus.size()));
  FirstError failed;
  std::atomic<Start> start = Start::kHold;
  const auto member = [&](std::size_t index) {
    start.wait(Start::kHold);
    if (start == Start::kCancelled) return;
    if (const Status pinned = pin_this_thread(cpus[index]); !pinned) failed.set(pinned.error());
    barrier.wait();
    const ThreadTimer timer;
    if (!failed.get()) work({index, barrier});
  };
  const Seconds begin = SystemClock().now();
  std::vector<std::jthread> threads;
  const Status started = start_threads(cpus.size(), member, threads);
  start = started ? Start::kGo : Start::kCancelled;
  start.notify_all();
  threads.clear();
  add_times({SystemClock().now() - begin, Seconds(0.0), Seconds(0.0)});
  if (!started) return started.error();
  if (failed.get()) return *failed.get();
  return Done{};
}

}  // namespace groma
