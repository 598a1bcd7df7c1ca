// Waiting that leaves the core to others: MPI's own blocking calls poll at full speed, which costs time
// slices where ranks share cores, and frequency where they do not.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <span>

#include "mpi/communicator.hpp"

namespace groma::mpi {

enum class WaitPolicy {
  kYield,  ///< for short waits: polls at full speed on a core of its own, yields a shared one
  kSleep,  ///< for longer waits: yields for a short while, then sleeps for up to a millisecond at a time
  kIdle,   ///< while others measure: sleeps for a millisecond at a time from the start
};

/// What a loop does between two polls.
class Backoff {
 public:
  explicit Backoff(WaitPolicy policy) : policy_(policy) {}
  void pause();

 private:
  WaitPolicy policy_;
  std::uint32_t pauses_ = 0;
};

/// Until all are complete; makes progress. Not collective.
void wait_all(std::span<MPI_Request> requests, WaitPolicy policy);

/// Collective.
void barrier(const Communicator& all, WaitPolicy policy);

/// Collective. Runs `work` on one rank only; the others are idle until it is done.
void run_alone(const Communicator& all, int rank, const std::function<void()>& work);

}  // namespace groma::mpi
