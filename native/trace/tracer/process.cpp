#include "trace/tracer/process.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "trace/tracer/wrapping.hpp"

namespace groma::trace {

thread_local ThreadState thread_state{};
bool running = false;
bool switched_off = false;
bool only_counts_misses = false;
bool wildcards_expected = false;
bool cancels_expected = false;

namespace {

constexpr std::size_t kMaxThreads = 4096;

/// What all threads of the process share.
struct Process {
  log::Header start;
  LogOptions options;
  std::array<char, 4096> folder;  ///< of the logs; the program may change its environment
  const char* counters;           ///< names of events, separated by commas
  bool records_sites;
  std::array<Writer, kMaxThreads> writers;
  std::array<MissCounts, kMaxThreads> misses;  ///< of the same threads
  std::uint32_t threads;
};
constinit Process process{};

std::uint64_t number_from(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before there are threads
  return text != nullptr && *text != '\0' ? std::strtoull(text, nullptr, 10) : otherwise;
}

template <std::size_t size>
void copy_text(std::array<char, size>& to, const char* from) {
  std::snprintf(to.data(), size, "%s", from);
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
  const std::uint32_t threads = std::min<std::uint32_t>(process.threads, kMaxThreads);
  for (std::uint32_t i = 0; i < threads; ++i) {
    if (process.writers[i].is_open()) {
      what(process.writers[i], process.misses[i]);
    }
  }
}

/// A thread without a log.
void refuse_thread() {
  thread_state.refused = true;
  if (process.writers[0].is_open()) {
    __atomic_fetch_add(&process.writers[0].header().no_logs, 1U, __ATOMIC_RELAXED);
  }
}

/// A child of fork() shares the mappings of its parent's logs; the parent goes on with them.
void leave_logs_to_parent() {
  running = false;
  thread_state = {};
  const std::uint32_t threads = std::min<std::uint32_t>(process.threads, kMaxThreads);
  for (std::uint32_t i = 0; i < threads; ++i) {
    process.writers[i] = {};
    process.misses[i] = {};
  }
  process.threads = 0;
  process.options = {};
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
  if (process.writers[0].is_open()) {
    __atomic_fetch_add(&process.writers[0].header().unknown_comms, 1U, __ATOMIC_RELAXED);
  }
}

void set_world(const World& world) {
  store(world, process.start);
  for_each_log([&world](Writer& writer, MissCounts& /*misses*/) { store(world, writer.header()); });
}

void set_call_cost(const CallCost& cost) {
  store(cost, process.start);
  for_each_log([&cost](Writer& writer, MissCounts& /*misses*/) { store(cost, writer.header()); });
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
}

bool attach_thread() {
  ThreadState& state = thread_state;
  if (state.refused || !has_begun()) {
    return false;
  }
  const std::uint32_t number = __atomic_fetch_add(&process.threads, 1U, __ATOMIC_RELAXED);
  if (number >= kMaxThreads) {
    refuse_thread();
    return false;
  }
  state.writer = &process.writers[number];
  state.misses = &process.misses[number];
  log::Header start = process.start;
  if (number > 0) {
    start.begin_ticks = ticks();
  }
  state.recording = state.writer->open(process.options, start, number);
  if (!state.recording) {
    refuse_thread();
  } else {
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

}  // namespace groma::trace
