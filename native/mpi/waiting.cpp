#include "mpi/waiting.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace groma::mpi {
namespace {

constexpr std::uint32_t kYields = 100;
constexpr std::chrono::microseconds kShortest{50};
constexpr std::chrono::microseconds kLongest{1000};

/// A tenth longer from pause to pause.
std::chrono::microseconds nap(std::uint32_t number) {
  return std::min(kLongest, kShortest + kShortest * number / 10);
}

}  // namespace

void Pauses::pause() {
  ++taken_;
  if (how_ == Waiting::kYielding || taken_ < kYields) {
    sched_yield();
  } else {
    std::this_thread::sleep_for(nap(taken_ - kYields));
  }
}

void wait_all(std::span<MPI_Request> requests, Waiting how) {
  const auto are_done = [&] {
    int done = 0;
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    return done != 0;
  };
  for (Pauses pauses(how); !are_done();) pauses.pause();
}

void barrier(const Communicator& all, Waiting how) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(all.handle(), &request);
  wait_all({&request, 1}, how);
}

}  // namespace groma::mpi
