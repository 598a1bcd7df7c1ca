// A pool of threads that share one task after another, for tasks that repeat too often to start threads for
// each.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "base/units.hpp"

namespace groma {

enum class Pinning {
  kNone,        ///< members keep the affinity mask of the thread that makes the pool
  kOneCpuEach,  ///< where that mask has just one CPU for each member, each is pinned to its own CPU while the
                ///< pool lives, so that its memory stays close to it
};

/// The thread that makes the pool is its member 0, so that a pool of one member costs nothing; it may do
/// other things, such as MPI, between start() and finish(). Members that wait spin for a short while, because
/// the next task is seldom far, then sleep.
class ThreadPool {
 public:
  /// Called once on each member, with the member's number.
  using Task = std::function<void(std::size_t member)>;

  /// Throws std::system_error where the system refuses a thread.
  explicit ThreadPool(std::size_t members, Pinning pinning = Pinning::kOneCpuEach);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] std::size_t size() const { return threads_.size() + 1; }

  // By the thread that made the pool only.

  /// Runs `task` on all members; returns when all have finished.
  void run(Task task);
  /// Starts `task` on all members but the caller.
  void start(Task task);
  /// Runs the started task on the caller, then waits for the others.
  void finish();

 private:
  void serve(std::size_t member);
  void stop();

  Task task_;
  std::atomic<std::uint32_t> started_{0};  ///< tasks so far
  std::atomic<std::uint32_t> busy_{0};     ///< members at work, without the caller
  std::atomic<bool> stopped_{false};
  std::vector<PhysicalCore> cpus_;  ///< of the members if they are pinned, else none
  std::vector<std::jthread> threads_;
};

/// First and last element, exclusive, of one part of `count` elements in `parts`; every bound but the last is
/// a multiple of `grain`.
std::pair<std::uint64_t, std::uint64_t> part_of(std::uint64_t count, std::uint64_t grain, std::size_t part,
                                                std::size_t parts);

}  // namespace groma
