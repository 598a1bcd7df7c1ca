// The calls that begin and end MPI, and those that end or switch tracing. Their wrappers are not generated.
#include <cstdlib>

#include "trace/tracer/lifetime.hpp"
#include "trace/tracer/other_mpi.hpp"
#include "trace/tracer/presence.hpp"
#include "trace/tracer/wrapping.hpp"

using namespace groma::trace;  // NOLINT(google-build-using-namespace)

namespace {

/// A thread is in a call of MPI: what that calls is not of the program.
class CallScope {
 public:
  /// `frame` is that of the function of MPI.
  explicit CallScope(const void* frame) {
    enter_call(thread_state, frame, frame);
    depth_ = thread_state.depth;
  }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;
  CallScope(CallScope&&) = delete;
  CallScope& operator=(CallScope&&) = delete;
  ~CallScope() { thread_state.depth = depth_ - 1; }

 private:
  unsigned depth_;
};

bool is_of_own_family() {
  return is_own_family(find_real("ompi_mpi_comm_world"));
}

/// False if the program opened another MPI by itself, which the folder of the trace then says. Nothing of it
/// is recorded: all wrappers do is to hand its calls on.
bool is_own_mpi() {
  const bool is_own = is_of_own_family();
  if (!is_own) {
    note_other_mpi(std::getenv("GROMA_TRACE_DIR"));  // NOLINT(concurrency-mt-unsafe)
  }
  return is_own;
}

/// A call that may be the first one of the process.
FrameCall first_call(log::CallIndex index, const void* site) {
  uses_counter = has_steady_counter();
  return {index, ticks(), site};
}

/// A call that may be the last one of the process.
FrameCall last_call(log::CallIndex index, const void* site) {
  if (running.is_set() && thread_state.counting != nullptr) {
    thread_state.counting->enter();
  }
  return {index, ticks(), site};
}

/// The last call of a process: it ends in the log after MPI ended.
template <class Call>
int end_recording(const FrameCall& call, Call real) {
  const bool traced = thread_state.recording;
  if (traced) {
    thread_state.writer->header().in_call = static_cast<std::uint64_t>(call.index) + 1;
    thread_state.writer->header().entered = call.entered;
  }
  const int result = real();
  if (traced) {
    record_call(call);
  }
  return result;
}

// The defaults of `site` and `frame` are those of the function of MPI that calls these.
template <class Call>
int initialize(log::CallIndex index, Call real, const void* site = __builtin_return_address(0),
               const void* frame = __builtin_frame_address(0)) {
  if (is_within_call(thread_state, frame)) {
    return real();
  }
  const FrameCall call = first_call(index, site);
  const CallScope scope(frame);
  if (is_of_own_family()) {
    announce_presence();
  }
  const int result = real();
  if (result == MPI_SUCCESS && is_own_mpi()) {
    begin_world(call);
  } else {
    withdraw_presence();
  }
  return result;
}

template <class Call>
int finalize(Call real, const void* site = __builtin_return_address(0),
             const void* frame = __builtin_frame_address(0)) {
  if (is_within_call(thread_state, frame)) {
    return real();
  }
  const CallScope scope(frame);
  const FrameCall call = last_call(log::CallIndex::Finalize, site);
  prepare_end_of_world();
  const int result = end_recording(call, real);
  end_world();
  return result;
}

#if MPI_VERSION >= 4
template <class Call>
int record_session_call(log::CallIndex index, Call real, const void* site) {
  Scope call(index);
  const int result = real();
  call.stop();
  if (call.recorded() && result != MPI_SUCCESS) {
    call.leave_failed(site);
  } else if (call.recorded()) {
    if (Record record = call.leave(site)) {
      call.commit(record);
    }
  }
  return result;
}

template <class Call>
int initialize_session(Call real, const void* site = __builtin_return_address(0),
                       const void* frame = __builtin_frame_address(0)) {
  if (is_within_call(thread_state, frame)) {
    return real();
  }
  if (reserve_session()) {
    const int result = record_session_call(log::CallIndex::Session_init, real, site);
    if (result != MPI_SUCCESS) {
      remove_session();
    }
    return result;
  }
  const FrameCall call = first_call(log::CallIndex::Session_init, site);
  const CallScope scope(frame);
  const int result = real();
  if (result == MPI_SUCCESS && is_own_mpi()) {
    begin_session(call);
  }
  return result;
}

template <class Call>
int finalize_session(Call real, const void* site = __builtin_return_address(0),
                     const void* frame = __builtin_frame_address(0)) {
  if (is_within_call(thread_state, frame)) {
    return real();
  }
  const FrameCall call = last_call(log::CallIndex::Session_finalize, site);
  if (!prepare_end_of_sessions()) {
    const int result = record_session_call(log::CallIndex::Session_finalize, real, site);
    remove_session();
    return result;
  }
  const CallScope scope(frame);
  const int result = end_recording(call, real);
  end_sessions();
  return result;
}
#endif

/// Some MPICH return from MPI_Abort, and the program goes on until its launcher ends it.
template <class Call>
void abort_job(Call real, const void* site = __builtin_return_address(0)) {
  Scope call(log::CallIndex::Abort);
  real();
  call.stop();
  if (!call.recorded()) return;
  if (Record record = call.leave(site)) call.commit(record);
}

/// Level 0 switches tracing off in this process, any other switches it on.
template <class Call>
void control(int level, Call real, const void* site = __builtin_return_address(0)) {
  Scope call(log::CallIndex::Pcontrol);
  real();
  call.stop();
  if (call.recorded()) {
    if (Record record = call.leave(site)) {
      record.put(level != 0 ? 1 : 0);
      call.commit(record);
    }
  }
  if (call.is_outermost()) {
    switched_off.set(level == 0);
  }
}

}  // namespace

// NOLINTNEXTLINE(cert-dcl50-cpp,modernize-avoid-variadic-functions): the standard's
GROMA_TRACE_EXPORT int MPI_Pcontrol(const int level, ...) {
  control(level, [level] { REAL(PMPI_Pcontrol)(level); });
  return MPI_SUCCESS;
}

GROMA_TRACE_EXPORT int MPI_Init(int* count, char*** values) {
  return initialize(log::CallIndex::Init,
                    [&] { return WRAPPED("MPI_Init", decltype(&MPI_Init))(count, values); });
}

GROMA_TRACE_EXPORT int MPI_Init_thread(int* count, char*** values, int required, int* provided) {
  return initialize(log::CallIndex::Init_thread, [&] {
    return WRAPPED("MPI_Init_thread", decltype(&MPI_Init_thread))(count, values, required, provided);
  });
}

GROMA_TRACE_EXPORT int MPI_Finalize() {
  return finalize([] { return WRAPPED("MPI_Finalize", decltype(&MPI_Finalize))(); });
}

#if MPI_VERSION >= 4
GROMA_TRACE_EXPORT int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session* session) {
  return initialize_session(
      [&] { return WRAPPED("MPI_Session_init", decltype(&MPI_Session_init))(info, handler, session); });
}

GROMA_TRACE_EXPORT int MPI_Session_finalize(MPI_Session* session) {
  return finalize_session(
      [&] { return WRAPPED("MPI_Session_finalize", decltype(&MPI_Session_finalize))(session); });
}
#endif

// The communicator passes as it came: see wrapper_generator/wrappers.py.
GROMA_TRACE_EXPORT int wrapper_of_abort(std::uintptr_t comm, int code) __asm__("MPI_Abort");
GROMA_TRACE_EXPORT int wrapper_of_abort(std::uintptr_t comm, int code) {
  int result = MPI_SUCCESS;
  abort_job([&] { result = WRAPPED("MPI_Abort", int (*)(std::uintptr_t, int))(comm, code); });
  return result;
}

#define GROMA_FORTRAN_FRAME(suffix)                                                                         \
  GROMA_TRACE_EXPORT void mpi_init##suffix(int* error) {                                                    \
    int code = MPI_SUCCESS;                                                                                 \
    initialize(log::CallIndex::Init, [&] {                                                                  \
      FORTRAN_REAL("mpi_init" #suffix, void (*)(int*))(&code);                                              \
      return code;                                                                                          \
    });                                                                                                     \
    if (error != nullptr) *error = code;                                                                    \
  }                                                                                                         \
  GROMA_TRACE_EXPORT void mpi_init_thread##suffix(int* required, int* provided, int* error) {               \
    int code = MPI_SUCCESS;                                                                                 \
    initialize(log::CallIndex::Init_thread, [&] {                                                           \
      FORTRAN_REAL("mpi_init_thread" #suffix, void (*)(int*, int*, int*))(required, provided, &code);       \
      return code;                                                                                          \
    });                                                                                                     \
    if (error != nullptr) *error = code;                                                                    \
  }                                                                                                         \
  GROMA_TRACE_EXPORT void mpi_finalize##suffix(int* error) {                                                \
    int code = MPI_SUCCESS;                                                                                 \
    finalize([&] {                                                                                          \
      FORTRAN_REAL("mpi_finalize" #suffix, void (*)(int*))(&code);                                          \
      return code;                                                                                          \
    });                                                                                                     \
    if (error != nullptr) *error = code;                                                                    \
  }                                                                                                         \
  GROMA_TRACE_EXPORT void mpi_pcontrol##suffix(int* level) {                                                \
    control(*level, [level] { FORTRAN_REAL("mpi_pcontrol" #suffix, void (*)(int*))(level); });              \
  }                                                                                                         \
  GROMA_TRACE_EXPORT void mpi_abort##suffix(void* comm, void* code, int* error) {                           \
    abort_job([&] { FORTRAN_REAL("mpi_abort" #suffix, void (*)(void*, void*, int*))(comm, code, error); }); \
  }
#if defined(OPEN_MPI)
GROMA_FORTRAN_FRAME(_)
#endif
GROMA_FORTRAN_FRAME(_f08_)

#if MPI_VERSION >= 4
#define GROMA_FORTRAN_SESSIONS(suffix)                                                                     \
  GROMA_TRACE_EXPORT void mpi_session_init##suffix(void* info, void* handler, void* session, int* error) { \
    int code = MPI_SUCCESS;                                                                                \
    initialize_session([&] {                                                                               \
      FORTRAN_REAL("mpi_session_init" #suffix, void (*)(void*, void*, void*, int*))                        \
      (info, handler, session, &code);                                                                     \
      return code;                                                                                         \
    });                                                                                                    \
    if (error != nullptr) *error = code;                                                                   \
  }                                                                                                        \
  GROMA_TRACE_EXPORT void mpi_session_finalize##suffix(void* session, int* error) {                        \
    int code = MPI_SUCCESS;                                                                                \
    finalize_session([&] {                                                                                 \
      FORTRAN_REAL("mpi_session_finalize" #suffix, void (*)(void*, int*))(session, &code);                 \
      return code;                                                                                         \
    });                                                                                                    \
    if (error != nullptr) *error = code;                                                                   \
  }
#if defined(OPEN_MPI)
GROMA_FORTRAN_SESSIONS(_)
#endif
GROMA_FORTRAN_SESSIONS(_f08_)
#endif
