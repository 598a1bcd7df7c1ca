#include "counters/program_signals.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>

namespace groma::counters {
namespace {

constexpr std::array kHandedOn{SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU};
constexpr std::array kOfTerminal{SIGINT, SIGQUIT};

constexpr pid_t kNone = 0;
std::atomic<pid_t> running{kNone};
static_assert(std::atomic<pid_t>::is_always_lock_free);  // a handler reads it

bool is_of_terminal(int number) {
  return std::ranges::find(kOfTerminal, number) != kOfTerminal.end();
}

extern "C" void hand_on(int number) {
  const int kept = errno;
  if (const pid_t program = running.load(); program != kNone) kill(program, number);
  errno = kept;
}

}  // namespace

ProgramSignals::ProgramSignals() {
  sigset_t held;
  sigemptyset(&held);
  const auto hold = [&](int number) {
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    if (before.sa_handler == SIG_IGN) return;
    handled_.push_back({number, before});
    sigaddset(&held, number);
  };
  std::ranges::for_each(kHandedOn, hold);
  std::ranges::for_each(kOfTerminal, hold);
  pthread_sigmask(SIG_BLOCK, &held, &mask_before_);
  // Where it is ignored, the system forgets how a child ended.
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &usual, &child_before_);
}

ProgramSignals::~ProgramSignals() {
  restore();
}

void ProgramSignals::restore() const {
  for (const Handled& one : handled_) sigaction(one.number, &one.before, nullptr);
  sigaction(SIGCHLD, &child_before_, nullptr);
  pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

void ProgramSignals::begin(pid_t program) const {
  running = program;
  sigset_t waiting;
  sigpending(&waiting);
  for (const Handled& one : handled_) {
    struct sigaction action {};
    action.sa_handler = is_of_terminal(one.number) ? SIG_IGN : hand_on;
    action.sa_flags = SA_RESTART;
    // What came before there was a program did not reach it, and is forgotten once it is ignored.
    if (is_of_terminal(one.number) && sigismember(&waiting, one.number) == 1) kill(program, one.number);
    sigaction(one.number, &action, nullptr);
  }
  pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

void ProgramSignals::end() const {
  running = kNone;
}

}  // namespace groma::counters
