#include "counters/threshold.hpp"

#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "counters/reason.hpp"

namespace groma::counters {
namespace {

constexpr int kPlaces = 64;

/// A handler can use no lock: a place is taken by its descriptor, which is written last.
struct Place {
  std::atomic<int> descriptor{-1};
  Threshold::Call call{};
};

std::array<Place, kPlaces> places;
std::mutex places_mutex;
struct sigaction previous;

/// The last real-time signal is used least by others.
int signal_number() {
  return SIGRTMAX - 3;
}

void hand_on(int number, siginfo_t* info, void* context) {
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(number, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(number);
  }
}

void on_signal(int number, siginfo_t* info, void* context) {
  const int kept = errno;
  for (const Place& place : places) {
    if (place.descriptor.load(std::memory_order_acquire) != info->si_fd) continue;
    place.call.function(place.call.context);
    errno = kept;
    return;
  }
  hand_on(number, info, context);
  errno = kept;
}

bool install_handler() {
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  return sigaction(signal_number(), &action, &previous) == 0;
}

int take_place(int descriptor, Threshold::Call call) {
  const std::lock_guard lock(places_mutex);
  static const bool is_installed = install_handler();
  for (int i = 0; is_installed && i < kPlaces; ++i) {
    Place& place = places[static_cast<std::size_t>(i)];
    if (place.descriptor.load(std::memory_order_relaxed) >= 0) continue;
    place.call = call;
    place.descriptor.store(descriptor, std::memory_order_release);
    return i;
  }
  return -1;
}

void leave_place(int place) {
  const std::lock_guard lock(places_mutex);
  places[static_cast<std::size_t>(place)].descriptor.store(-1, std::memory_order_release);
}

perf_event_attr sampling(const Event& event, std::uint64_t threshold) {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.config1 = event.config1;
  attributes.config2 = event.config2;
  attributes.sample_period = threshold;
  attributes.sample_type = PERF_SAMPLE_IP;
  attributes.wakeup_events = 1;
  attributes.disabled = 1;
  attributes.exclude_user = event.user ? 0 : 1;
  attributes.exclude_kernel = event.kernel ? 0 : 1;
  attributes.exclude_hv = 1;
  return attributes;
}

/// The kernel signals only events that have somewhere to put samples: a page of state and one of samples,
/// which are overwritten.
std::size_t ring_bytes() {
  return 2 * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

bool signal_this_thread(int descriptor) {
  const f_owner_ex owner{F_OWNER_TID, gettid()};
  return fcntl(descriptor, F_SETFL, O_ASYNC | O_NONBLOCK) == 0 &&
         fcntl(descriptor, F_SETSIG, signal_number()) == 0 && fcntl(descriptor, F_SETOWN_EX, &owner) == 0;
}

int open_sampling(const Event& event, std::uint64_t threshold) {
  perf_event_attr attributes = sampling(event, threshold);
  const int opened = this_system().open(attributes, 0, -1);
  if ((opened != -EACCES && opened != -EPERM) || event.is_counted_in_kernel) return opened;
  attributes.exclude_kernel = 1;
  return this_system().open(attributes, 0, -1);
}

std::string why_not(const Event& event, std::uint64_t threshold) {
  if (event.source != Source::kPerf) return "only perf events interrupt at a count";
  return threshold == 0 ? "a threshold is at least 1" : "";
}

}  // namespace

std::unique_ptr<Threshold> Threshold::open(const Event& event, std::uint64_t threshold, Call call,
                                           std::string& reason) {
  reason = why_not(event, threshold);
  if (!reason.empty()) return nullptr;
  const int opened = open_sampling(event, threshold);
  if (opened < 0) {
    reason = reason_for(-opened, event, this_system());
    return nullptr;
  }
  void* pages = mmap(nullptr, ring_bytes(), PROT_READ, MAP_SHARED, opened, 0);
  if (pages == MAP_FAILED) {
    reason = std::string("the kernel gives no room for samples: ") + std::strerror(errno);
    close(opened);
    return nullptr;
  }
  const int place = take_place(opened, call);
  std::unique_ptr<Threshold> made(new Threshold(opened, pages, place));
  if (place < 0) {
    reason = "too many thresholds at a time";
  } else if (!signal_this_thread(opened) || ioctl(opened, PERF_EVENT_IOC_ENABLE, 0) < 0) {
    reason = std::string("the threshold does not start: ") + std::strerror(errno);
  }
  return reason.empty() ? std::move(made) : nullptr;
}

Threshold::~Threshold() {
  // The program may have closed it, and have a file of its own in its place: see system.cpp.
  const bool is_own = this_system().is_own(descriptor_) || fcntl(descriptor_, F_GETSIG) == signal_number();
  if (is_own) ioctl(descriptor_, PERF_EVENT_IOC_DISABLE, 0);
  if (place_ >= 0) leave_place(place_);
  munmap(pages_, ring_bytes());
  if (is_own) close(descriptor_);
}

}  // namespace groma::counters
