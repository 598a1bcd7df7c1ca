// Lets ranks of MPICH leave the core to others while they wait. MPICH polls at full speed, so that every
// message costs a time slice of the scheduler where ranks outnumber cores, and takes the cores from other
// tests while a rank waits for a slow network. MPICH waits in the worker of UCX, or in libfabric, which polls
// sockets: all calls that make progress pass through one of the functions below. Open MPI yields by itself
// (mpi_yield_when_idle).
//
// Linked into the native tests, and a library that the Python tests preload (tests/polite.py). In processes
// without MPICH nothing changes.
#include <dlfcn.h>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>

#include <ctime>

namespace {

constexpr unsigned kSpins = 32;    // a message that is on its way comes within so many polls
constexpr unsigned kYields = 168;  // then another rank may have to run before it can come
constexpr timespec kNap{0, 20'000};

thread_local unsigned empty_polls = 0;

bool is_mpich() {
  static const bool found = dlsym(RTLD_DEFAULT, "MPIR_Err_create_code") != nullptr;
  return found;
}

void after_poll(bool found_something) {
  empty_polls = found_something ? 0 : empty_polls + 1;
  if (empty_polls <= kSpins || !is_mpich()) return;
  if (empty_polls <= kSpins + kYields) {
    sched_yield();
  } else {
    nanosleep(&kNap, nullptr);
  }
}

template <class Function>
Function* next(Function* /*own*/, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] unsigned ucp_worker_progress(void* worker) {
  static auto* const of_library = next(ucp_worker_progress, "ucp_worker_progress");
  const unsigned events = of_library(worker);
  after_poll(events != 0);
  return events;
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which put functions of their own there
[[gnu::visibility("default")]] int epoll_wait(int set, epoll_event* events, int most, int timeout) {
  static auto* const of_library = next(epoll_wait, "epoll_wait");
  const int found = of_library(set, events, most, timeout);
  if (timeout == 0) after_poll(found > 0);
  return found;
}

[[gnu::visibility("default")]] int poll(pollfd* files, nfds_t count, int timeout) {
  static auto* const of_library = next(poll, "poll");
  const int found = of_library(files, count, timeout);
  if (timeout == 0) after_poll(found > 0);
  return found;
}
#endif

}  // extern "C"
