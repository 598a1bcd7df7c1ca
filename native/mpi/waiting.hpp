// Waiting that leaves the core to others: MPI's own blocking calls poll at full speed, which costs time
// slices where ranks share cores, and frequency where they do not.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>

#include "mpi/communicator.hpp"

namespace groma::mpi {

enum class Waiting {
  kYielding,  ///< for what comes soon: polls at full speed on a core of its own, gives a shared one away
  kSleeping,  ///< for what may take long: after a short while of yielding, sleeps up to a millisecond at a
              ///< time
};

/// One pause after the other between two polls.
class Pauses {
 public:
  explicit Pauses(Waiting how) : how_(how) {}
  void pause();

 private:
  Waiting how_;
  std::uint32_t taken_ = 0;
};

/// Until all are complete; makes progress. Not collective.
void wait_all(std::span<MPI_Request> requests, Waiting how);

/// Collective.
void barrier(const Communicator& all, Waiting how);

}  // namespace groma::mpi
