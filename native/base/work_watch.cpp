#include "base/work_watch.hpp"

#include <sys/resource.h>

#include <algorithm>

namespace groma {
namespace {

/// Reading the clock of CPU time costs a system call; a lost core costs far more than both bounds.
constexpr Seconds kMinLoss{5e-6};
constexpr double kLostShare = 0.05;

/// Of the calling thread so far, to other threads and to an idle core.
std::int64_t context_switches() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw + usage.ru_nivcsw;
}

}  // namespace

bool lost_core(Seconds wall, Seconds cpu) {
  return wall - cpu > std::max(kMinLoss, wall * kLostShare);
}

WorkWatch::WorkWatch()
    : switches_(context_switches()), cpu_(read_clock(CLOCK_THREAD_CPUTIME_ID)), start_(monotonic_ns()) {}

void WorkWatch::stop() {
  end_ = monotonic_ns();
  cpu_ = read_clock(CLOCK_THREAD_CPUTIME_ID) - cpu_;
  switches_ = context_switches() - switches_;
}

}  // namespace groma
