#include "job/interruption.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "base/ending_signals.hpp"

namespace groma::job {
namespace {

constexpr std::uint64_t kSignalled = 1;
constexpr std::uint64_t kOver = std::uint64_t{1} << 32U;

/// Counts signals, and kOver once the run is over. Written by the handler, so a plain descriptor.
int events = -1;

volatile std::sig_atomic_t last_signal = 0;

/// The system repeats SIGXCPU every second: only the first of them counts.
extern "C" void on_signal(int signal) {
  if (signal == SIGXCPU && last_signal == SIGXCPU) return;
  const int saved = errno;
  last_signal = signal;
  [[maybe_unused]] const auto written = write(events, &kSignalled, sizeof(kSignalled));
  errno = saved;
}

/// Waits for a signal or the end; 0 after `seconds` (-1: never).
std::uint64_t wait_for_event(int seconds) {
  pollfd waiting{.fd = events, .events = POLLIN, .revents = 0};
  while (poll(&waiting, 1, seconds < 0 ? -1 : 1000 * seconds) < 0 && errno == EINTR) {
  }
  std::uint64_t count = 0;
  if ((waiting.revents & POLLIN) == 0) return 0;
  return read(events, &count, sizeof(count)) == sizeof(count) ? count : 0;
}

}  // namespace

Interruption::Interruption(std::atomic<bool>& cancelled, std::function<void()> save,
                           std::function<void()> give_up)
    : cancelled_(cancelled), save_(std::move(save)), give_up_(std::move(give_up)) {
  events = eventfd(0, EFD_CLOEXEC);
  last_signal = 0;
  waiting_ = std::thread([this] { wait_for_signal(); });
  handle_ending_signals(on_signal, SA_RESTART);
}

Interruption::~Interruption() {
  [[maybe_unused]] const auto written = write(events, &kOver, sizeof(kOver));
  waiting_.join();
  handle_ending_signals(SIG_DFL);
  close(events);
}

int Interruption::signal() const {
  return last_signal;
}

void Interruption::wait_for_signal() {
  if (wait_for_event(-1) >= kOver) return;
  cancelled_ = true;
  save_();
  if (wait_for_event(kGrace) < kOver) give_up_();
}

namespace {

std::string in_words(int signal) {
  return "signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
}

/// Nobody wonders about Ctrl-C, nor about the signal that a launcher passes on.
void note_batch_signal(const mpi::Communicator& world, const Process& process, std::string_view program,
                       int signal) {
  if (!world.is_root() || std::ranges::find(kBatchSignals, signal) == kBatchSignals.end()) return;
  process.errors << note_text(program, "interrupted by " + in_words(signal)) << std::flush;
}

}  // namespace

void report_signal(const mpi::Communicator& world, const Process& process, std::string_view program,
                   int signal) {
  const int all = world.size();
  const int signalled = world.reduce_to_all(std::int32_t{signal != 0}, mpi::Reduction::kSum);
  if (signalled == 0) return;
  if (signalled == all) return note_batch_signal(world, process, program, signal);
  const int first = world.reduce_to_all(signal == 0 ? all : world.rank(), mpi::Reduction::kMin);
  const int sent = world.broadcast_value(std::int32_t{signal}, first);
  fail(world, process, program,
       {"interrupted", "rank " + std::to_string(first) + " received " + in_words(sent),
        "it was ended from outside: by a limit of the job, the scheduler or another user"});
}

}  // namespace groma::job
