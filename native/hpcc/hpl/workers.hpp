// Threads of one rank that share its work on the trailing matrix. The thread that owns them is one of the
// team: it may do other things, such as MPI, between start() and finish().
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace groma::hpcc::hpl {

class Workers {
 public:
  /// What each thread does, told by its number; 0 is the owner.
  using Job = std::function<void(std::size_t)>;

  /// A team of `threads` with the calling one.
  explicit Workers(std::uint32_t threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  [[nodiscard]] std::size_t size() const { return helpers_.size() + 1; }
  /// Every other thread begins the job.
  void start(Job job);
  /// The caller does its part of the job, then waits for the others.
  void finish();

 private:
  void serve(std::size_t number);

  Job job_;
  std::atomic<std::uint32_t> round_{0};
  std::atomic<std::uint32_t> busy_{0};
  std::atomic<bool> over_{false};
  std::vector<std::jthread> helpers_;
};

}  // namespace groma::hpcc::hpl
