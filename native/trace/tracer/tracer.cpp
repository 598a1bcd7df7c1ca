// Begin and end of tracing, and what the wrappers share.
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "trace/tracer/communicators.hpp"
#include "trace/tracer/synchronize.hpp"
#include "trace/tracer/wrapping.hpp"

namespace groma::trace {

thread_local ThreadState thread_state{};
bool running = false;
bool switched_off = false;
bool only_counts_misses = false;
bool wildcards_expected = false;
bool cancels_expected = false;

namespace {

constexpr std::size_t kMostThreads = 4096;

/// What all threads of the process share.
struct Process {
  log::Header start;
  LogOptions options;
  const char* counters;  ///< names of events, separated by commas
  bool records_sites;
  std::array<Writer, kMostThreads> writers;
  std::array<MissCounts, kMostThreads> misses;  ///< of the same threads
  std::uint32_t threads;
  void* library;  ///< handle of the MPI library, if the program loads it by itself
};
constinit Process process{};

int find_library(dl_phdr_info* info, std::size_t /*size*/, void* found) {
  const char* const slash = std::strrchr(info->dlpi_name, '/');
  if (slash != nullptr && std::strncmp(slash, "/libmpi", 7) == 0) {
    void* const handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (handle != nullptr && dlsym(handle, "PMPI_Init") != nullptr) {
      *static_cast<void**>(found) = handle;
      return 1;
    }
  }
  return 0;
}

std::uint64_t number_from(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before there are threads
  return text != nullptr && *text != '\0' ? std::strtoull(text, nullptr, 10) : otherwise;
}

template <std::size_t size>
void copy_text(std::array<char, size>& to, const char* from) {
  std::snprintf(to.data(), size, "%s", from);
}

void describe_process(log::Header& header) {
  header.magic = log::kMagic;
  header.version = log::kVersion;
  header.chunk_bytes = log::kChunkBytes;
  header.calls = log::calls_hash();
  header.run = number_from("GROMA_TRACE_RUN", 0);
  header.process = static_cast<std::uint32_t>(getpid());
  header.clock = uses_counter ? log::Clock::counter : log::Clock::system;
  gethostname(header.host.data(), header.host.size() - 1);
  std::array<char, 256> program{};
  const auto length = readlink("/proc/self/exe", program.data(), program.size() - 1);
  copy_text(header.program, length > 0 ? program.data() : "?");
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = {};  // NOLINT(modernize-avoid-c-arrays)
  int written = 0;
  REAL(PMPI_Get_library_version)(library, &written);
  library[strcspn(library, "\n")] = '\0';
  copy_text(header.library, library);
}

/// The same number in all processes of the world.
std::uint64_t agree_on_world() {
  std::uint64_t id = system_nanoseconds(CLOCK_REALTIME) ^ (static_cast<std::uint64_t>(getpid()) << 44U);
  REAL(PMPI_Bcast)(&id, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  return id;
}

/// What the counters of this thread count of calls that do nothing: the least of all batches.
class CallCounts {
 public:
  using Counts = std::array<std::uint64_t, log::kMostCounters>;

  void add() {
    const Counting* const counting = thread_state.counting;
    for (std::size_t i = 0; counting != nullptr && i < counting->size(); ++i) {
      batch_inside_[i] += counting->within(i);
      batch_outside_[i] += counting->before(i);
    }
  }
  void end_batch(std::uint64_t calls, std::uint64_t scale) {
    for (std::size_t i = 0; i < inside_.size(); ++i) {
      keep_least(inside_[i], batch_inside_[i] * scale / calls);
      keep_least(outside_[i], batch_outside_[i] * scale / calls);
    }
    batch_inside_ = batch_outside_ = {};
    batches_ += 1;
  }
  [[nodiscard]] const Counts& inside() const { return inside_; }
  [[nodiscard]] const Counts& outside() const { return outside_; }

 private:
  void keep_least(std::uint64_t& least, std::uint64_t value) const {
    least = batches_ == 0 ? value : std::min(least, value);
  }
  Counts inside_{};
  Counts outside_{};
  Counts batch_inside_{};
  Counts batch_outside_{};
  int batches_ = 0;
};

/// Measures what a recorded call costs, with calls that do nothing; the log then forgets them.
void calibrate() {
  constexpr std::uint64_t scale = 256;
  constexpr int calls = 512;
  std::uint64_t least = ~std::uint64_t{0};
  std::uint64_t least_inside = ~std::uint64_t{0};
  CallCounts counts;
  for (int batch = 0; batch < 8; ++batch) {
    const std::uint64_t begin = ticks();
    std::uint64_t inside = 0;
    for (int i = 0; i < calls; ++i) {
      Scope call(log::CallIndex::Comm_rank);
      call.stop();
      inside += call.duration();
      counts.add();
      if (Record record = call.leave()) {
        record.put(communicator(MPI_COMM_WORLD).id);
        call.commit(record);
      }
    }
    least = std::min(least, (ticks() - begin) * scale / calls);
    least_inside = std::min(least_inside, inside * scale / calls);
    counts.end_batch(calls, scale);
    thread_state.writer->rewind();
  }
  log::Header& header = thread_state.writer->header();
  process.start.cost = header.cost = least;
  process.start.cost_inside = header.cost_inside = least_inside;
  process.start.counted_inside = header.counted_inside = counts.inside();
  process.start.counted_outside = header.counted_outside = counts.outside();
}

/// A call that began before its thread recorded.
void record_call(log::CallIndex index, std::uint64_t entered, const void* site) {
  Scope call(index);
  call.begin_at(entered);
  call.stop();
  if (Record record = call.leave(site)) {
    call.commit(record);
  }
}

/// Learns what all logs of the process have in common. False if nothing is to be traced.
bool prepare(std::uint64_t entered, int rank, int ranks) {
  const char* const folder = std::getenv("GROMA_TRACE_DIR");  // NOLINT(concurrency-mt-unsafe)
  if (folder == nullptr || *folder == '\0') {
    return false;
  }
  describe_process(process.start);
  process.start.rank = static_cast<std::uint32_t>(rank);
  process.start.ranks = static_cast<std::uint32_t>(ranks);
  process.start.begin_ticks = entered;
  process.start.begin = clock_pair();
  only_counts_misses = number_from("GROMA_TRACE_COUNT_MISSES", 0) != 0;
  process.counters = std::getenv("GROMA_TRACE_COUNTERS");  // NOLINT(concurrency-mt-unsafe)
  process.records_sites = number_from("GROMA_TRACE_CALL_SITES", 0) != 0;
  process.options = {folder, number_from("GROMA_TRACE_BUFFER", 0),
                     number_from("GROMA_TRACE_NEWEST", 0) != 0 ? log::WhenFull::newest : log::WhenFull::stop};
  return true;
}

/// The first call of a process whose log is open.
void start_recording(std::uint64_t entered, log::CallIndex init, const void* site) {
  running = true;
  thread_state.depth = 0;
  calibrate();
  thread_state.depth = 1;
  define_world();
  if (thread_state.counting != nullptr) {
    thread_state.counting->start_anew();  // the first values are 0: what was before was not counted
  }
  record_call(init, entered, site);
}

MPI_Group group_of_world() {
  MPI_Group group = MPI_GROUP_NULL;
  REAL(PMPI_Comm_group)(MPI_COMM_WORLD, &group);
  return group;
}

void begin(std::uint64_t entered, log::CallIndex init, const void* site) {
  int rank = 0;
  int ranks = 0;
  REAL(PMPI_Comm_rank)(MPI_COMM_WORLD, &rank);
  REAL(PMPI_Comm_size)(MPI_COMM_WORLD, &ranks);
  if (!prepare(entered, rank, ranks)) {
    return;
  }
  process.start.world = agree_on_world();
  if (!attach_thread()) {
    // The other ranks take part in what follows; this one does, too.
    synchronize(nullptr);
    return;
  }
  synchronize(&thread_state.writer->header());
  remember_world(group_of_world());
  start_recording(entered, init, site);
}

template <class Do>
void for_each_log(Do what) {
  const std::uint32_t threads = std::min<std::uint32_t>(process.threads, kMostThreads);
  for (std::uint32_t i = 0; i < threads; ++i) {
    if (process.writers[i].is_open()) {
      what(process.writers[i], process.misses[i]);
    }
  }
}

bool has_begun() {
  return process.options.folder != nullptr;
}

/// Before the real MPI_Finalize: the last comparison of clocks.
void end() {
  const bool traced = running && thread_state.recording;
  running = false;
  if (has_begun()) {
    stop_comparing();
    synchronize(traced ? &thread_state.writer->header() : nullptr);
  }
}

void close_logs() {
  const log::ClockPair last = clock_pair();
  for_each_log([&last](Writer& writer, MissCounts& misses) {
    if (misses.any) {
      record_misses(misses, writer);
    }
    writer.close(last);
  });
}

void reopen_logs() {
  for_each_log([](Writer& writer, MissCounts& /*misses*/) { writer.reopen(); });
  running = true;
}

/// What of MPI is in use: sessions, and what MPI_Init begins.
struct Models {
  std::atomic_flag busy;  ///< held by who begins or ends one
  unsigned sessions;
  bool world;
};
constinit Models models{};

class ModelsLocked {
 public:
  ModelsLocked() {
    while (models.busy.test_and_set(std::memory_order_acquire)) {
    }
  }
  ModelsLocked(const ModelsLocked&) = delete;
  ModelsLocked& operator=(const ModelsLocked&) = delete;
  ModelsLocked(ModelsLocked&&) = delete;
  ModelsLocked& operator=(ModelsLocked&&) = delete;
  ~ModelsLocked() { models.busy.clear(std::memory_order_release); }
};

#if MPI_VERSION >= 4
/// Of the tracer: objects of the program's sessions would outlive them.
MPI_Session own_session = MPI_SESSION_NULL;

MPI_Group group_of_session() {
  MPI_Group group = MPI_GROUP_NULL;
  if (REAL(PMPI_Session_init)(MPI_INFO_NULL, MPI_ERRORS_RETURN, &own_session) == MPI_SUCCESS) {
    REAL(PMPI_Group_from_session_pset)(own_session, "mpi://WORLD", &group);
  }
  return group;
}

void end_own_session() {
  if (own_session != MPI_SESSION_NULL) {
    forget_world_group();
    REAL(PMPI_Session_finalize)(&own_session);
    own_session = MPI_SESSION_NULL;
  }
}

/// Nothing of MPI is collective in MPI_Session_init: what tells jobs apart is what their launchers say.
std::uint64_t world_of_job() {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char* name :
       {"GROMA_TRACE_RUN", "PMIX_NAMESPACE", "PMI_JOBID", "SLURM_JOB_ID", "SLURM_STEP_ID"}) {
    const char* const text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    for (const char* letter = text; letter != nullptr && *letter != '\0'; ++letter) {
      hash = (hash ^ static_cast<unsigned char>(*letter)) * 0x100000001b3ULL;
    }
    hash *= 0x100000001b3ULL;
  }
  return hash;
}

void begin_by_session(std::uint64_t entered, const void* site) {
  const MPI_Group group = group_of_session();
  if (group == MPI_GROUP_NULL) {
    return;
  }
  int rank = 0;
  int ranks = 0;
  REAL(PMPI_Group_rank)(group, &rank);
  REAL(PMPI_Group_size)(group, &ranks);
  const bool goes_on = has_begun();
  if (!goes_on && !prepare(entered, rank, ranks)) {
    return;
  }
  remember_world(group);
  if (goes_on) {
    reopen_logs();
    if (thread_state.recording || attach_thread()) {
      record_call(log::CallIndex::Session_init, entered, site);
    }
    return;
  }
  process.start.world = world_of_job();
  if (attach_thread()) {
    start_recording(entered, log::CallIndex::Session_init, site);
  }
}
#else
void end_own_session() {}
#endif

/// MPI_Init where sessions were traced before it. All ranks do the same, whatever they did before.
void join_world(std::uint64_t entered, log::CallIndex init, const void* site) {
  if (!running) {
    reopen_logs();
  }
  const std::uint64_t world = agree_on_world();
  process.start.world = world;
  for_each_log([world](Writer& writer, MissCounts& /*misses*/) { writer.header().world = world; });
  end_own_session();
  remember_world(group_of_world());
  const bool records = thread_state.recording || attach_thread();
  synchronize(records ? &thread_state.writer->header() : nullptr);
  if (records) {
    record_call(init, entered, site);
  }
}

}  // namespace

void* find_real(const char* name) {
  void* const found = dlsym(RTLD_DEFAULT, name);
  if (found != nullptr) {
    return found;
  }
  if (process.library == nullptr) {
    dl_iterate_phdr(find_library, static_cast<void*>(&process.library));
  }
  return process.library == nullptr ? nullptr : dlsym(process.library, name);
}

void* find_next(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  return found != nullptr || process.library == nullptr ? found : dlsym(process.library, name);
}

bool attach_thread() {
  ThreadState& state = thread_state;
  if (state.refused || process.options.folder == nullptr) {
    return false;
  }
  const std::uint32_t number = __atomic_fetch_add(&process.threads, 1U, __ATOMIC_RELAXED);
  state.refused = number >= kMostThreads;
  if (state.refused) {
    return false;
  }
  state.writer = &process.writers[number];
  state.misses = &process.misses[number];
  log::Header start = process.start;
  if (number > 0) {
    start.begin_ticks = ticks();
  }
  state.recording = state.writer->open(process.options, start, number);
  state.refused = !state.recording;
  if (state.recording) {
    state.counting = Counting::open(process.counters, state.writer->header());
    state.sites = process.records_sites ? CallSites::open() : nullptr;
  }
  return state.recording;
}

void record_misses(MissCounts& misses, Writer& writer) {
  if (Record record = writer.begin()) {
    record.put(static_cast<std::uint64_t>(log::Head::misses));
    for (const MissCounts::Sum& sum : misses.of) {
      record.put(sum.count);
      record.put(sum.ticks);
    }
    writer.commit(record);
  }
  misses = {};
}

bool is_ignored(const MPI_Status* status) {
  static const void* const fortran[] = {
      // NOLINT(modernize-avoid-c-arrays)
      find_real("mpi_fortran_status_ignore_"),     find_real("mpi_fortran_status_ignore"),
      find_real("mpi_fortran_statuses_ignore_"),   find_real("mpi_fortran_statuses_ignore"),
      find_real("MPIR_F08_MPI_STATUS_IGNORE_OBJ"), find_real("MPIR_F08_MPI_STATUSES_IGNORE_OBJ")};
  if (status == MPI_STATUS_IGNORE || status == MPI_STATUSES_IGNORE) {
    return true;
  }
  return std::find(std::begin(fortran), std::end(fortran), status) != std::end(fortran);
}

bool fortran_in_place(const void* buffer) {
  static const void* const constants[] = {
      find_real("mpi_fortran_in_place_"),  // NOLINT(modernize-avoid-c-arrays)
      find_real("mpi_fortran_in_place"), find_real("MPIR_F08_MPI_IN_PLACE")};
  return buffer != nullptr &&
         std::find(std::begin(constants), std::end(constants), buffer) != std::end(constants);
}

void Completions::use_own_statuses() {
  if (is_ignored(statuses_)) {
    MPI_Status* const own = own_.make(several_ ? static_cast<std::size_t>(number_) : 1);
    statuses_ = own != nullptr ? own : statuses_;
  }
  has_statuses_ = !is_ignored(statuses_);
}

void Completions::add(int index, int status) {
  if (index < 0 || index >= number_ || handles_[index] == MPI_REQUEST_NULL) {
    return;
  }
  constexpr std::size_t longest_item = 30;
  if (record_ && record_.room() < longest_item) {
    flush();
  }
  if (!record_) {
    record_ = call_.writer().begin();
    if (!record_) {
      return;
    }
    record_.put(static_cast<std::uint64_t>(log::Head::requests));
  }
  record_.handle(bits(handles_[index]));
  int cancelled = 0;
  if (has_statuses_ && cancels_expected) {
    REAL(PMPI_Test_cancelled)(&statuses_[status], &cancelled);
  }
  if (cancelled != 0) {
    record_.put(static_cast<std::uint64_t>(log::Completion::cancelled));
  } else if (has_statuses_) {
    record_.put(static_cast<std::uint64_t>(log::Completion::with_status));
    record_.source(statuses_[status].MPI_SOURCE);
    record_.tag(statuses_[status].MPI_TAG);
  } else {
    record_.put(static_cast<std::uint64_t>(log::Completion::plain));
  }
}

void Completions::flush() {
  if (record_) {
    call_.writer().commit(record_);
    record_ = {};
  }
}

void Completions::all() {
  for (int i = 0; i < number_; ++i) {
    add(i, i);
  }
  flush();
}

void Completions::one(int index) {
  if (number_ > 0) {
    add(index, 0);
  }
  flush();
}

}  // namespace groma::trace

using namespace groma::trace;  // NOLINT(google-build-using-namespace)

namespace {

// The default of `site` is the return address of the function of MPI that calls these.
template <class Call>
int initialize(log::CallIndex index, Call real, const void* site = __builtin_return_address(0)) {
  if (thread_state.depth > 0) {
    return real();
  }
  uses_counter = has_steady_counter();
  const std::uint64_t entered = ticks();
  ++thread_state.depth;
  const int result = real();
  if (result == MPI_SUCCESS) {
    const ModelsLocked lock;
    models.world = true;
    if (has_begun()) {
      join_world(entered, index, site);
    } else {
      begin(entered, index, site);
    }
  }
  --thread_state.depth;
  return result;
}

/// The last call of a process: it ends in the log after MPI ended.
template <class Call>
int end_recording(log::CallIndex index, std::uint64_t entered, Call real, const void* site) {
  const bool traced = thread_state.recording;
  if (traced) {
    thread_state.writer->header().in_call = static_cast<std::uint64_t>(index) + 1;
    thread_state.writer->header().entered = entered;
  }
  const int result = real();
  if (traced) {
    record_call(index, entered, site);
  }
  return result;
}

template <class Call>
int finalize(Call real, const void* site = __builtin_return_address(0)) {
  if (thread_state.depth > 0) {
    return real();
  }
  ++thread_state.depth;
  if (running && thread_state.counting != nullptr) {
    thread_state.counting->enter();
  }
  const std::uint64_t entered = ticks();
  end();
  const int result = end_recording(log::CallIndex::Finalize, entered, real, site);
  const ModelsLocked lock;
  models.world = false;
  running = models.sessions > 0 && has_begun();
  if (!running) {
    close_logs();
  }
  --thread_state.depth;
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
int begin_session(Call real, const void* site = __builtin_return_address(0)) {
  if (thread_state.depth > 0) {
    return real();
  }
  const ModelsLocked lock;
  if (running) {
    const int result = record_session_call(log::CallIndex::Session_init, real, site);
    models.sessions += result == MPI_SUCCESS ? 1 : 0;
    return result;
  }
  uses_counter = has_steady_counter();
  const std::uint64_t entered = ticks();
  ++thread_state.depth;
  const int result = real();
  if (result == MPI_SUCCESS) {
    ++models.sessions;
    begin_by_session(entered, site);
  }
  --thread_state.depth;
  return result;
}

template <class Call>
int end_session(Call real, const void* site = __builtin_return_address(0)) {
  if (thread_state.depth > 0) {
    return real();
  }
  const ModelsLocked lock;
  models.sessions -= models.sessions > 0 ? 1 : 0;
  if (models.sessions > 0 || models.world || !running) {
    return record_session_call(log::CallIndex::Session_finalize, real, site);
  }
  ++thread_state.depth;
  if (thread_state.counting != nullptr) {
    thread_state.counting->enter();
  }
  const std::uint64_t entered = ticks();
  running = false;
  end_own_session();
  const int result = end_recording(log::CallIndex::Session_finalize, entered, real, site);
  close_logs();
  --thread_state.depth;
  return result;
}
#endif

/// Level 0 switches tracing off in this process, any other switches it on.
template <class Call>
void control(int level, Call real, const void* site = __builtin_return_address(0)) {
  Scope call(log::CallIndex::Pcontrol);
  real();
  call.stop();
  if (Record record = call.leave(site)) {
    record.put(level != 0 ? 1 : 0);
    call.commit(record);
  }
  if (call.is_outermost()) {
    switched_off = level == 0;
  }
}

}  // namespace

// NOLINTNEXTLINE(cert-dcl50-cpp,modernize-avoid-variadic-functions): the standard's
GROMA_TRACE_EXPORT int MPI_Pcontrol(const int level, ...) {
  control(level, [level] { REAL(PMPI_Pcontrol)(level); });
  return MPI_SUCCESS;
}

GROMA_TRACE_EXPORT int MPI_Init(int* count, char*** values) {
  return initialize(log::CallIndex::Init, [&] { return REAL(PMPI_Init)(count, values); });
}

GROMA_TRACE_EXPORT int MPI_Init_thread(int* count, char*** values, int required, int* provided) {
  return initialize(log::CallIndex::Init_thread,
                    [&] { return REAL(PMPI_Init_thread)(count, values, required, provided); });
}

GROMA_TRACE_EXPORT int MPI_Finalize() {
  return finalize([] { return REAL(PMPI_Finalize)(); });
}

#if MPI_VERSION >= 4
GROMA_TRACE_EXPORT int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session* session) {
  return begin_session([&] { return REAL(PMPI_Session_init)(info, handler, session); });
}

GROMA_TRACE_EXPORT int MPI_Session_finalize(MPI_Session* session) {
  return end_session([&] { return REAL(PMPI_Session_finalize)(session); });
}
#endif

GROMA_TRACE_EXPORT int MPI_Abort(MPI_Comm comm, int code) {
  const Scope call(log::CallIndex::Abort);
  return REAL(PMPI_Abort)(comm, code);
}

#define GROMA_FORTRAN_FRAME(suffix)                                                                   \
  GROMA_TRACE_EXPORT void mpi_init##suffix(int* error) {                                              \
    int code = MPI_SUCCESS;                                                                           \
    initialize(log::CallIndex::Init, [&] {                                                            \
      FORTRAN_REAL("mpi_init" #suffix, void (*)(int*))(&code);                                        \
      return code;                                                                                    \
    });                                                                                               \
    if (error != nullptr) *error = code;                                                              \
  }                                                                                                   \
  GROMA_TRACE_EXPORT void mpi_init_thread##suffix(int* required, int* provided, int* error) {         \
    int code = MPI_SUCCESS;                                                                           \
    initialize(log::CallIndex::Init_thread, [&] {                                                     \
      FORTRAN_REAL("mpi_init_thread" #suffix, void (*)(int*, int*, int*))(required, provided, &code); \
      return code;                                                                                    \
    });                                                                                               \
    if (error != nullptr) *error = code;                                                              \
  }                                                                                                   \
  GROMA_TRACE_EXPORT void mpi_finalize##suffix(int* error) {                                          \
    int code = MPI_SUCCESS;                                                                           \
    finalize([&] {                                                                                    \
      FORTRAN_REAL("mpi_finalize" #suffix, void (*)(int*))(&code);                                    \
      return code;                                                                                    \
    });                                                                                               \
    if (error != nullptr) *error = code;                                                              \
  }                                                                                                   \
  GROMA_TRACE_EXPORT void mpi_pcontrol##suffix(int* level) {                                          \
    control(*level, [level] { FORTRAN_REAL("mpi_pcontrol" #suffix, void (*)(int*))(level); });        \
  }                                                                                                   \
  GROMA_TRACE_EXPORT void mpi_abort##suffix(void* comm, void* code, int* error) {                     \
    const Scope call(log::CallIndex::Abort);                                                          \
    FORTRAN_REAL("mpi_abort" #suffix, void (*)(void*, void*, int*))(comm, code, error);               \
  }
#if defined(OPEN_MPI)
GROMA_FORTRAN_FRAME(_)
#endif
GROMA_FORTRAN_FRAME(_f08_)

#if MPI_VERSION >= 4
#define GROMA_FORTRAN_SESSIONS(suffix)                                                                     \
  GROMA_TRACE_EXPORT void mpi_session_init##suffix(void* info, void* handler, void* session, int* error) { \
    int code = MPI_SUCCESS;                                                                                \
    begin_session([&] {                                                                                    \
      FORTRAN_REAL("mpi_session_init" #suffix, void (*)(void*, void*, void*, int*))                        \
      (info, handler, session, &code);                                                                     \
      return code;                                                                                         \
    });                                                                                                    \
    if (error != nullptr) *error = code;                                                                   \
  }                                                                                                        \
  GROMA_TRACE_EXPORT void mpi_session_finalize##suffix(void* session, int* error) {                        \
    int code = MPI_SUCCESS;                                                                                \
    end_session([&] {                                                                                      \
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
