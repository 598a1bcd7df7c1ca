#include "trace/tracer/lifetime.hpp"

#include <unistd.h>

#include <atomic>

#include "trace/tracer/calibration.hpp"
#include "trace/tracer/communicators.hpp"
#include "trace/tracer/process.hpp"
#include "trace/tracer/sessions.hpp"
#include "trace/tracer/synchronize.hpp"
#include "trace/tracer/wrapping.hpp"

namespace groma::trace {
namespace {

/// What of MPI is in use: sessions, and what MPI_Init begins.
struct InUse {
  std::atomic_flag busy;
  unsigned sessions;
  bool world;
};
constinit InUse in_use{};

/// The same number in all processes of the world.
std::uint64_t agree_on_world() {
  std::uint64_t id = system_nanoseconds(CLOCK_REALTIME) ^ (static_cast<std::uint64_t>(getpid()) << 44U);
  REAL(PMPI_Bcast)(&id, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  return id;
}

MPI_Group group_of_world() {
  MPI_Group group = MPI_GROUP_NULL;
  REAL(PMPI_Comm_group)(MPI_COMM_WORLD, &group);
  return group;
}

/// The first call of a process whose log is open.
void start_recording(const FrameCall& init) {
  running = true;
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
  set_world(agree_on_world());
  if (!attach_thread()) {
    // The other ranks take part in what follows; this one does, too.
    synchronize(nullptr);
    return;
  }
  synchronize(&thread_state.writer->header());
  remember_world(group_of_world());
  start_recording(init);
}

/// MPI_Init where sessions were traced before it. All ranks do the same, whatever they did before.
void join_world(const FrameCall& init) {
  if (!running) {
    reopen_logs();
    running = true;
  }
  set_world(agree_on_world());
  end_own_session();
  remember_world(group_of_world());
  const bool records = thread_state.recording || attach_thread();
  synchronize(records ? &thread_state.writer->header() : nullptr);
  if (records) {
    record_call(init);
  }
}

/// A session after all others ended: the logs go on.
void go_on(const FrameCall& init) {
  reopen_logs();
  running = true;
  if (thread_state.recording || attach_thread()) {
    record_call(init);
  }
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
  set_world(world_of_job());
  if (attach_thread()) {
    start_recording(init);
  }
}

}  // namespace

LifetimeLock::LifetimeLock() {
  while (in_use.busy.test_and_set(std::memory_order_acquire)) {
  }
}

LifetimeLock::~LifetimeLock() {
  in_use.busy.clear(std::memory_order_release);
}

[[gnu::noinline]] void record_call(const FrameCall& frame) {
  Scope call(frame.index);
  call.begin_at(frame.entered);
  call.stop();
  if (Record record = call.leave(frame.site)) {
    call.commit(record);
  }
}

void begin_world(const FrameCall& init) {
  const LifetimeLock lock;
  in_use.world = true;
  if (has_begun()) {
    join_world(init);
  } else {
    begin_with_world(init);
  }
}

void prepare_end_of_world() {
  const bool traced = running && thread_state.recording;
  running = false;
  if (has_begun()) {
    stop_comparing();
    synchronize(traced ? &thread_state.writer->header() : nullptr);
  }
}

void end_world() {
  const LifetimeLock lock;
  in_use.world = false;
  running = in_use.sessions > 0 && has_begun();
  if (!running) {
    close_logs();
  }
}

void add_session() {
  ++in_use.sessions;
}

void begin_session(const FrameCall& init) {
  add_session();
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

bool remove_session() {
  in_use.sessions -= in_use.sessions > 0 ? 1 : 0;
  return in_use.sessions > 0 || in_use.world;
}

void prepare_end_of_sessions() {
  running = false;
  end_own_session();
}

void end_sessions() {
  close_logs();
}

}  // namespace groma::trace
