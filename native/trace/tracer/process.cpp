#include "trace/tracer/process.hpp"

#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <mutex>
#include <optional>

#include "trace/tracer/copy_text.hpp"
#include "trace/tracer/wrapping.hpp"
#include "trace/tracer/yielding_lock.hpp"

namespace groma::trace {

thread_local ThreadState thread_state{};
constinit Flag running;
constinit Flag switched_off;
bool only_counts_misses = false;
constinit Flag wildcards_expected;
constinit Flag cancels_expected;

/// The thread that uses a log. Its end gives back the memory that the log takes while it is written.
class LogUser {
 public:
  LogUser() = default;
  LogUser(const LogUser&) = delete;
  LogUser& operator=(const LogUser&) = delete;
  LogUser(LogUser&&) = delete;
  LogUser& operator=(LogUser&&) = delete;
  ~LogUser();
};

namespace {

constexpr std::size_t kMaxThreads = 4096;
/// To find that no thread records a region or a value any more when MPI ends, 100 us apart. A thread that was
/// cancelled there stays in it.
constexpr int kAttempts = 1000;

/// What all threads of the process share.
struct Process {
  log::Header start;
  LogOptions options;
  std::array<char, 4096> folder;  ///< of the logs; the program may change its environment
  const char* counters;           ///< names of events, separated by commas
  bool records_sites;
  YieldingLock lock;  ///< of the number of threads, and of the end of the logs
  std::array<ThreadLog, kMaxThreads> logs;
  std::uint32_t threads;
  bool closed;
};
constinit Process process{};
thread_local constinit ThreadOwned<LogUser> user(&ThreadState::user);

std::uint64_t number_from(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before there are threads
  return text != nullptr && *text != '\0' ? std::strtoull(text, nullptr, 10) : otherwise;
}

void describe_library(log::Header& header) {
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = {};  // NOLINT(modernize-avoid-c-arrays)
  int written = 0;
  REAL(PMPI_Get_library_version)(library, &written);
  library[strcspn(library, "\n")] = '\0';
  copy_text(header.library, library);
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
  describe_library(header);
}

template <class Function>
void for_each_log(Function what) {
  for (std::uint32_t i = 0; i < process.threads; ++i) {
    if (process.logs[i].writer.is_open()) {
      what(process.logs[i]);
    }
  }
}

/// A thread without a log.
void refuse_thread() {
  thread_state.refused = true;
  if (process.logs[0].writer.is_open()) {
    __atomic_fetch_add(&process.logs[0].writer.header().no_logs, 1U, __ATOMIC_RELAXED);
  }
}

/// A child of fork() shares the mappings of its parent's logs; the parent goes on with them.
void leave_logs_to_parent() {
  running.set(false);
  thread_state = {};
  for (std::uint32_t i = 0; i < process.threads; ++i) {
    process.logs[i].writer = {};
    process.logs[i].misses = {};
    process.logs[i].busy = false;
  }
  process.lock.unlock();  // its holder is the parent's
  process.threads = 0;
  process.options = {};
}

/// Whether the thread of a log leaves it alone within the attempts that are left for all threads.
bool becomes_free(const ThreadLog& log, int& attempts) {
  for (; attempts > 0 && log.busy; --attempts) {
    usleep(100);
  }
  return !log.busy;
}

/// What begins to record.
enum class Recorder : std::uint8_t { mpi, besides_mpi };

/// The number of a log that this thread is going to open, and that is busy from here on. None if there are
/// too many, or MPI has ended.
std::optional<std::uint32_t> take_log(ThreadState& state, Recorder recorder) {
  const std::lock_guard held(process.lock);
  if (process.closed) {
    return std::nullopt;
  }
  if (process.threads == kMaxThreads) {
    refuse_thread();
    return std::nullopt;
  }
  state.log = &process.logs[process.threads];
  state.log->busy = true;
  if (recorder == Recorder::besides_mpi && !running.is_set_now()) {
    state.log->busy = false;
    return std::nullopt;
  }
  return process.threads++;
}

void open_log(ThreadState& state, std::uint32_t number) {
  log::Header start = process.start;
  if (number > 0) {
    start.begin_ticks = ticks();
  }
  state.writer = &state.log->writer;
  state.misses = &state.log->misses;
  state.recording = state.writer->open(process.options, start, number);
  if (!state.recording) {
    refuse_thread();
    return;
  }
  user.make();
  state.counting = Counting::open(process.counters, state.writer->header());
  state.sites = process.records_sites ? CallSites::open() : nullptr;
}

/// Opens the log of this thread, which then is busy. False if it cannot be.
bool attach_to_busy_log(Recorder recorder) {
  ThreadState& state = thread_state;
  if (state.refused || state.attaching || state.has_ended || !has_begun()) {
    return false;
  }
  state.attaching = true;  // a handler of signals may come here, and must not wait for the lock
  if (const auto number = take_log(state, recorder)) {
    open_log(state, *number);
    state.log->busy = state.recording;
  }
  state.attaching = false;
  return state.recording;
}

void store(const World& world, log::Header& header) {
  header.world = world.id;
  header.untraced = world.untraced;
}

void store(const CallCost& cost, log::Header& header) {
  header.cost = cost.all;
  header.cost_inside = cost.inside;
  header.counted_inside = cost.counted_inside;
  header.counted_outside = cost.counted_outside;
}

}  // namespace

LogUser::~LogUser() {
  const std::lock_guard held(process.lock);
  ThreadLog& log = *thread_state.log;
  if (!process.closed && log.misses.any) {
    record_misses(log.misses, log.writer);
  }
  log.writer.rest();
  log.busy = false;
}

bool prepare_logs(std::uint64_t entered, int rank, int ranks) {
  const char* const folder = std::getenv("GROMA_TRACE_DIR");  // NOLINT(concurrency-mt-unsafe)
  if (folder == nullptr || *folder == '\0') {
    return false;
  }
  static const int watches_forks = pthread_atfork(nullptr, nullptr, leave_logs_to_parent);
  if (watches_forks != 0) {
    return false;
  }
  copy_text(process.folder, folder);
  describe_process(process.start);
  process.start.rank = static_cast<std::uint32_t>(rank);
  process.start.ranks = static_cast<std::uint32_t>(ranks);
  process.start.begin_ticks = entered;
  process.start.begin = clock_pair();
  only_counts_misses = number_from("GROMA_TRACE_COUNT_MISSES", 0) != 0;
  process.counters = std::getenv("GROMA_TRACE_COUNTERS");  // NOLINT(concurrency-mt-unsafe)
  process.records_sites = number_from("GROMA_TRACE_CALL_SITES", 0) != 0;
  process.options = {process.folder.data(), number_from("GROMA_TRACE_BUFFER", 0),
                     number_from("GROMA_TRACE_NEWEST", 0) != 0 ? log::WhenFull::newest : log::WhenFull::stop};
  return true;
}

bool has_begun() {
  return process.options.folder != nullptr;
}

void count_unknown_communicator() {
  if (process.logs[0].writer.is_open()) {
    __atomic_fetch_add(&process.logs[0].writer.header().unknown_comms, 1U, __ATOMIC_RELAXED);
  }
}

void set_world(const World& world) {
  store(world, process.start);
  for_each_log([&world](ThreadLog& log) { store(world, log.writer.header()); });
}

void set_call_cost(const CallCost& cost) {
  store(cost, process.start);
  for_each_log([&cost](ThreadLog& log) { store(cost, log.writer.header()); });
}

void close_logs() {
  const std::lock_guard held(process.lock);
  process.closed = true;
  const log::ClockPair last = clock_pair();
  int attempts = kAttempts;
  for (std::uint32_t i = 0; i < process.threads; ++i) {
    ThreadLog& log = process.logs[i];
    const bool is_free = becomes_free(log, attempts);  // also from the thread that opens it
    if (is_free && log.misses.any) {
      record_misses(log.misses, log.writer);
    }
    if (log.writer.is_open()) {
      log.writer.close(last, is_free);
    }
  }
}

void reopen_logs() {
  const std::lock_guard held(process.lock);
  process.closed = false;
  for_each_log([](ThreadLog& log) { log.writer.reopen(); });
}

bool attach_thread() {
  if (!attach_to_busy_log(Recorder::mpi)) {
    return false;
  }
  thread_state.log->busy.store(false, std::memory_order_release);
  return true;
}

BesidesMpi::BesidesMpi() {
  const ThreadState& state = thread_state;
  if (!state.recording) {
    is_held_ = attach_to_busy_log(Recorder::besides_mpi);
    return;
  }
  is_held_ = !state.log->busy.exchange(true);
  // After that, who ends MPI either is seen here or waits for this thread.
  if (is_held_ && !running.is_set_now()) {
    state.log->busy = false;
    is_held_ = false;
  }
}

BesidesMpi::~BesidesMpi() {
  if (is_held_) {
    thread_state.log->busy.store(false, std::memory_order_release);
  }
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

}  // namespace groma::trace
