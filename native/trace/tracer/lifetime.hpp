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

/// Records a call of this thread that has ended.
void record_call(const FrameCall& call);

/// MPI_Init has returned.
void begin_world(const FrameCall& call);
/// Before the real MPI_Finalize: the last comparison of clocks.
void prepare_end_of_world();
/// MPI_Finalize has returned.
void end_world();

// Sessions may begin and end in several threads at a time. No lock is held in a call of the program.
/// Before the real MPI_Session_init. True where calls are recorded already: the session then counts from here
/// on, so that no other thread ends the logs.
bool reserve_session();
/// After it, where calls were not recorded.
void begin_session(const FrameCall& call);
/// Before the real MPI_Session_finalize. True if MPI is not in use then: the session does not count any more,
/// and nothing is recorded but this call. end_sessions() follows after the call.
bool prepare_end_of_sessions();
void end_sessions();
/// After the real MPI_Session_finalize of a session that was not the last, or a MPI_Session_init that failed.
void remove_session();

}  // namespace groma::trace
