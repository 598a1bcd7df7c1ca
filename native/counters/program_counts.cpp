#include "counters/program_counts.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/clock.hpp"
#include "counters/reason.hpp"

namespace groma::counters {
namespace {

struct Opened {
  Event event;
  int descriptor = -1;
  bool is_usage = false;
  std::string remark;
};

perf_event_attr inherited(const Event& event) {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.config1 = event.config1;
  attributes.config2 = event.config2;
  attributes.disabled = 1;
  attributes.enable_on_exec = 1;
  attributes.inherit = 1;
  attributes.exclude_user = event.user ? 0 : 1;
  attributes.exclude_kernel = event.kernel ? 0 : 1;
  attributes.exclude_hv = event.kernel ? 0 : 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return attributes;
}

void open_perf(Opened& one, int process) {
  perf_event_attr attributes = inherited(one.event);
  one.descriptor = this_system().open(attributes, process, -1);
  const bool is_forbidden = one.descriptor == -EACCES || one.descriptor == -EPERM;
  if (is_forbidden && one.event.kernel && one.event.user && !one.event.is_counted_in_kernel) {
    attributes.exclude_kernel = 1;
    one.descriptor = this_system().open(attributes, process, -1);
    if (!one.event.is_clock) one.remark = "user mode only";
  }
  if (one.descriptor >= 0) return;
  one.is_usage = one.event.usage.has_value();
  one.remark = one.is_usage ? "from the kernel's accounts of the process"
                            : reason_for(-one.descriptor, one.event, this_system());
}

std::vector<Opened> open_all(const std::vector<std::string>& names, int process) {
  std::vector<Opened> all;
  for (const std::string& name : names) {
    Opened one;
    auto event = find_event(name, this_system(), one.remark);
    one.event.name = name;
    if (event) {
      one.event = std::move(*event);
      if (one.event.source == Source::kPerf) open_perf(one, process);
      if (one.event.source == Source::kPapi) one.remark = "PAPI counts threads, not other programs";
    } else {
      one.event.source = Source::kPapi;
    }
    all.push_back(std::move(one));
  }
  return all;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

double used(const rusage& usage, Usage what) {
  switch (what) {
    case Usage::kPageFaults:
      return static_cast<double>(usage.ru_minflt + usage.ru_majflt);
    case Usage::kMinorFaults:
      return static_cast<double>(usage.ru_minflt);
    case Usage::kMajorFaults:
      return static_cast<double>(usage.ru_majflt);
    case Usage::kContextSwitches:
      return static_cast<double>(usage.ru_nvcsw + usage.ru_nivcsw);
    default:
      return 1e9 * (seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime));
  }
}

struct ChildUsage {
  rusage usage;
  double ticks;
};

ProgramCount count_of(Opened& one, const ChildUsage& child_usage) {
  ProgramCount count{one.event.name, std::nullopt, 1, one.remark};
  if (one.event.source == Source::kTicks) count.value = child_usage.ticks;
  if (one.is_usage) count.value = used(child_usage.usage, *one.event.usage);
  if (one.descriptor < 0) return count;
  std::array<std::uint64_t, 3> read{};  // count, time that it was wanted, time that it had a counter
  const auto bytes = this_system().read(one.descriptor, read.data(), sizeof(read));
  this_system().close(one.descriptor);
  if (bytes != sizeof(read) || (read[2] == 0 && read[1] > 0)) {
    count.remark = "it had no counter: something else holds them (often the NMI watchdog)";
    return count;
  }
  if (read[2] > 0) count.share = static_cast<double>(read[2]) / static_cast<double>(read[1]);
  count.value = static_cast<double>(read[0]) / count.share;
  return count;
}

/// Of descriptors that nobody inherits; the program begins when the end for writing is closed.
struct Gate {
  std::array<int, 2> ends{-1, -1};
  int error = 0;  // of one that could not be made
  Gate() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) error = errno;
  }
  ~Gate() {
    if (ends[0] >= 0) close(ends[0]);
    open();
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  void open() {
    if (ends[1] >= 0) close(ends[1]);
    ends[1] = -1;
  }
  void wait() {
    char sign = 0;
    open();
    while (read(ends[0], &sign, 1) < 0 && errno == EINTR) {
    }
  }
};

[[noreturn]] void become(const std::vector<std::string>& command, Gate& gate, int answer) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  gate.wait();
  execvp(words[0], words.data());
  const int error = errno;
  [[maybe_unused]] const auto written = write(answer, &error, sizeof(error));
  _exit(127);
}

/// Waits until it has ended; its number stays its own until wait4() asks for its usage.
void wait_for(pid_t program) {
  siginfo_t ended{};
  while (waitid(P_PID, static_cast<id_t>(program), &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
}

int code_of_status(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

Error cannot_start(const std::string& program, int error) {
  return {"usage", program + " cannot be started: " + std::strerror(error), "name a program that exists"};
}

Error no_room_for(const std::string& program, int error) {
  Error lack = cannot_start(program, error);
  lack.code = "environment";
  lack.next = "raise the limits of this shell: ulimit -a";
  return lack;
}

}  // namespace

Result<ProgramCounts> count_program(const std::vector<std::string>& events,
                                    const std::vector<std::string>& command, const ProgramSignals& signals) {
  Gate gate;
  Gate answer;
  for (const int error : {gate.error, answer.error}) {
    if (error != 0) return no_room_for(command.front(), error);
  }
  const pid_t child = fork();
  if (child < 0) return no_room_for(command.front(), errno);
  if (child == 0) {
    signals.restore();
    become(command, gate, answer.ends[1]);
  }
  answer.open();
  std::vector<Opened> opened = open_all(events, child);
  signals.begin(child);
  const std::int64_t start = monotonic_ns();
  const std::uint64_t ticks = this_system().ticks();
  gate.open();
  wait_for(child);
  signals.end();
  int status = 0;
  ChildUsage child_usage{};
  while (wait4(child, &status, 0, &child_usage.usage) < 0 && errno == EINTR) {
  }
  child_usage.ticks = static_cast<double>(this_system().ticks() - ticks);
  ProgramCounts counts{1e-9 * static_cast<double>(monotonic_ns() - start), code_of_status(status), {}};
  for (Opened& one : opened) counts.counts.push_back(count_of(one, child_usage));
  int error = 0;
  if (read(answer.ends[0], &error, sizeof(error)) == sizeof(error))
    return cannot_start(command.front(), error);
  return counts;
}

}  // namespace groma::counters
