// Lets ranks leave the core to others while they wait. MPI polls at full speed, so that every message costs a
// time slice of the scheduler where ranks outnumber cores, and takes the cores from other tests while a rank
// waits for a slow network. MPICH waits in the worker of UCX, or in libfabric, which polls sockets: all calls
// that make progress pass through one of the functions below. Open MPI waits in opal_progress, and yields at
// its end where nothing has happened, if it is set to.
//
// Linked into the native tests, and a library that the Python tests preload (tests/polite.py). In processes
// without MPI nothing changes.
#include <dlfcn.h>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>

#include <algorithm>
#include <ctime>

#include "base/sanitizers.hpp"

namespace {

constexpr unsigned kSpins = 16;  // a message that is on its way comes within so many polls
constexpr unsigned kYields = 8;  // then another rank may have to run before it can come

// Nanoseconds. A nap is a sixteenth of the naps before it, so that a wait is hardly longer for them; the
// longest one leaves a rank that computes between its polls time to do so.
constexpr long kShortestNap = 20'000;
constexpr long kLongestNap = 200'000;

thread_local unsigned empty_polls = 0;
thread_local long next_nap = kShortestNap;

bool is_mpich() {
  static const bool found = dlsym(RTLD_DEFAULT, "MPIR_Err_create_code") != nullptr;
  return found;
}

template <class Function>
Function* next(Function* /*own*/, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

int yield() {
  static auto* const of_library = next(sched_yield, "sched_yield");
  return of_library();
}

void nap() {
  const timespec length{0, next_nap};
  nanosleep(&length, nullptr);
  next_nap = std::min(next_nap + next_nap / 16, kLongestNap);
}

void after_poll(bool found_something) {
  if (found_something) {
    empty_polls = 0;
    next_nap = kShortestNap;
  } else if (++empty_polls > kSpins + kYields) {
    nap();
  } else if (empty_polls > kSpins) {
    yield();
  }
}

void after_poll_of_mpich(bool found_something) {
  if (is_mpich()) after_poll(found_something);
}

/// Open MPI's own: whether opal_progress yields where nothing has happened.
bool* yields_when_idle() {
  static auto* const setting = static_cast<bool*>(dlsym(RTLD_DEFAULT, "opal_progress_yield_when_idle"));
  return setting;
}

thread_local bool polling = false;  // in opal_progress
thread_local bool found_nothing = false;

}  // namespace

extern "C" {

[[gnu::visibility("default")]] unsigned ucp_worker_progress(void* worker) {
  static auto* const of_library = next(ucp_worker_progress, "ucp_worker_progress");
  const unsigned events = of_library(worker);
  after_poll_of_mpich(events != 0);
  return events;
}

/// Returns nothing before Open MPI 5, and events since then.
[[gnu::visibility("default")]] int opal_progress() {
  static auto* const of_library = next(opal_progress, "opal_progress");
  if (yields_when_idle() != nullptr) *yields_when_idle() = true;
  polling = true;
  found_nothing = false;
  const int events = of_library();
  polling = false;
  after_poll(!found_nothing);
  return events;
}

[[gnu::visibility("default")]] int sched_yield() {
  if (!polling) return yield();
  found_nothing = true;
  return 0;
}

#if !defined(GROMA_ADDRESS_SANITIZER) && \
    !defined(GROMA_THREAD_SANITIZER)  // which put functions of their own there
[[gnu::visibility("default")]] int epoll_wait(int set, epoll_event* events, int most, int timeout) {
  static auto* const of_library = next(epoll_wait, "epoll_wait");
  const int found = of_library(set, events, most, timeout);
  if (timeout == 0) after_poll_of_mpich(found > 0);
  return found;
}

[[gnu::visibility("default")]] int poll(pollfd* files, nfds_t count, int timeout) {
  static auto* const of_library = next(poll, "poll");
  const int found = of_library(files, count, timeout);
  if (timeout == 0) after_poll_of_mpich(found > 0);
  return found;
}
#endif

}  // extern "C"
