#include "trace/tracer/lifetime.hpp"

#include <mutex>

#include "trace/tracer/calibration.hpp"
#include "trace/tracer/communicators.hpp"
#include "trace/tracer/job.hpp"
#include "trace/tracer/presence.hpp"
#include "trace/tracer/process.hpp"
#include "trace/tracer/sessions.hpp"
#include "trace/tracer/synchronize.hpp"
#include "trace/tracer/wrapping.hpp"
#include "trace/tracer/yielding_lock.hpp"

namespace groma::trace {
namespace {

/// What of MPI is in use: sessions, and what MPI_Init begins.
struct InUse {
  YieldingLock lock;
  unsigned sessions;
  bool world;
  bool all_traced;  ///< the ranks of the world
};
constinit InUse in_use{};

/// To be called by all traced ranks of the world.
void agree_on_world() {
  int rank = 0;
  int ranks = 0;
  REAL(PMPI_Comm_rank)(MPI_COMM_WORLD, &rank);
  REAL(PMPI_Comm_size)(MPI_COMM_WORLD, &ranks);
  const World world = meet(rank, ranks);
  set_world(world);
  in_use.all_traced = world.untraced == 0;
}

/// Clocks stay as they are where a rank would not take part.
void compare_clocks(log::Header* header) {
  if (in_use.all_traced) {
    synchronize(header);
  }
}

MPI_Group group_of_world() {
  MPI_Group group = MPI_GROUP_NULL;
  REAL(PMPI_Comm_group)(MPI_COMM_WORLD, &group);
  return group;
}

/// The first call of a process whose log is open.
void start_recording(const FrameCall& init) {
  running.set(true);
  const void* const outermost = thread_state.outermost;
  thread_state.depth = 0;
  set_call_cost(measure_call_cost());
  thread_state.depth = 1;
  thread_state.outermost = outermost;
  define_world();
  if (thread_state.counting != nullptr) {
    thread_state.counting->start_anew();  // the first values are 0: what was before was not counted
  }
  record_call(init);
}

/// MPI_Init where nothing was traced before it.
void begin_with_world(const FrameCall& init) {
  int rank = 0;
  int ranks = 0;
  REAL(PMPI_Comm_rank)(MPI_COMM_WORLD, &rank);
  REAL(PMPI_Comm_size)(MPI_COMM_WORLD, &ranks);
  if (!prepare_logs(init.entered, rank, ranks)) {
    return;
  }
  agree_on_world();
  if (!attach_thread()) {
    // The other ranks take part in what follows; this one does, too.
    compare_clocks(nullptr);
    return;
  }
  compare_clocks(&thread_state.writer->header());
  remember_world(group_of_world());
  start_recording(init);
}

/// MPI_Init where sessions were traced before it. All ranks do the same, whatever they did before.
void join_world(const FrameCall& init) {
  if (!running.is_set()) {
    reopen_logs();
    running.set(true);
  }
  agree_on_world();
  end_own_session();
  remember_world(group_of_world());
  const bool records = thread_state.recording || attach_thread();
  compare_clocks(records ? &thread_state.writer->header() : nullptr);
  if (records) {
    record_call(init);
  }
}

/// A call that has ended, where calls of others are recorded.
void record_late(const FrameCall& init) {
  if (thread_state.recording || attach_thread()) {
    record_call(init);
  }
}

/// A session after all others ended: the logs go on.
void go_on(const FrameCall& init) {
  reopen_logs();
  running.set(true);
  record_late(init);
}

/// Sessions have ended.
void stop_recording() {
  running.set(false);
  end_own_session();
}

/// The first session of a process that has not called MPI_Init.
void begin_with_session(const FrameCall& init, MPI_Group world) {
  int rank = 0;
  int ranks = 0;
  REAL(PMPI_Group_rank)(world, &rank);
  REAL(PMPI_Group_size)(world, &ranks);
  if (!prepare_logs(init.entered, rank, ranks)) {
    return;
  }
  remember_world(world);
  set_world({ranks == 1 ? new_world().id : id_of_job(), 0});
  if (attach_thread()) {
    start_recording(init);
  }
}

}  // namespace

[[gnu::noinline]] void record_call(const FrameCall& frame) {
  Scope call(frame.index);
  call.begin_at(frame.entered);
  call.stop();
  if (Record record = call.leave(frame.site)) {
    call.commit(record);
  }
}

void begin_world(const FrameCall& init) {
  const std::lock_guard held(in_use.lock);
  in_use.world = true;
  if (has_begun()) {
    join_world(init);
  } else {
    begin_with_world(init);
  }
}

void prepare_end_of_world() {
  const bool traced = running.is_set() && thread_state.recording;
  running.set(false);
  if (has_begun()) {
    stop_comparing();
    compare_clocks(traced ? &thread_state.writer->header() : nullptr);
  }
}

void end_world() {
  const std::lock_guard held(in_use.lock);
  in_use.world = false;
  withdraw_presence();
  running.set(in_use.sessions > 0 && has_begun());
  if (!running.is_set()) {
    close_logs();
  }
}

bool reserve_session() {
  const std::lock_guard held(in_use.lock);
  const bool is_recorded = running.is_set();
  in_use.sessions += is_recorded ? 1 : 0;
  return is_recorded;
}

void begin_session(const FrameCall& init) {
  const std::lock_guard held(in_use.lock);
  ++in_use.sessions;
  if (running.is_set()) {  // since another thread's session began
    record_late(init);
    return;
  }
  const MPI_Group group = open_own_session();
  if (group == MPI_GROUP_NULL) {
    return;
  }
  if (has_begun()) {
    remember_world(group);
    go_on(init);
  } else {
    begin_with_session(init, group);
  }
}

bool prepare_end_of_sessions() {
  const std::lock_guard held(in_use.lock);
  if (in_use.sessions != 1 || in_use.world || !running.is_set()) {
    return false;
  }
  in_use.sessions = 0;
  stop_recording();
  return true;
}

void end_sessions() {
  const std::lock_guard held(in_use.lock);
  if (!running.is_set()) {  // else a session of another thread began meanwhile
    close_logs();
  }
}

void remove_session() {
  const std::lock_guard held(in_use.lock);
  in_use.sessions -= in_use.sessions > 0 ? 1 : 0;
  if (in_use.sessions == 0 && !in_use.world &&
      running.is_set()) {  // another thread ended one at the same time
    stop_recording();
    close_logs();
  }
}

}  // namespace groma::trace
