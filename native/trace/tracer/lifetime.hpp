// When MPI is in use, and with it what is traced: from the first MPI_Init or MPI_Session_init to the last
// MPI_Finalize or MPI_Session_finalize.
#pragma once

#include <cstdint>

#include "trace/log/calls.hpp"

namespace groma::trace {

/// A call that begins or ends the use of MPI. `site` is where the program called.
struct FrameCall {
  log::CallIndex index;
  std::uint64_t entered;  ///< ticks
  const void* site;
};

/// Held by who begins or ends a session or MPI_COMM_WORLD.
class LifetimeLock {
 public:
  LifetimeLock();
  LifetimeLock(const LifetimeLock&) = delete;
  LifetimeLock& operator=(const LifetimeLock&) = delete;
  LifetimeLock(LifetimeLock&&) = delete;
  LifetimeLock& operator=(LifetimeLock&&) = delete;
  ~LifetimeLock();
};

/// Records a call of this thread that has ended.
void record_call(const FrameCall& call);

/// MPI_Init has returned.
void begin_world(const FrameCall& call);
/// Before the real MPI_Finalize: the last comparison of clocks.
void prepare_end_of_world();
/// MPI_Finalize has returned.
void end_world();

// For the holder of the lock.
/// Another session, where calls are recorded already.
void add_session();
/// MPI_Session_init has returned, where no calls were recorded before it.
void begin_session(const FrameCall& call);
/// MPI_Session_finalize was called. True if MPI stays in use.
bool remove_session();
/// Before the real MPI_Session_finalize of the last one, and after it.
void prepare_end_of_sessions();
void end_sessions();

}  // namespace groma::trace
