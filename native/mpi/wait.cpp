#include "mpi/wait.hpp"

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

void Backoff::pause() {
  ++pauses_;
  if (policy_ == WaitPolicy::kIdle) {
    std::this_thread::sleep_for(kLongest);
  } else if (policy_ == WaitPolicy::kYield || pauses_ < kYields) {
    sched_yield();
  } else {
    std::this_thread::sleep_for(nap(pauses_ - kYields));
  }
}

void wait_all(std::span<MPI_Request> requests, WaitPolicy policy) {
  const auto are_done = [&] {
    int done = 0;
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    return done != 0;
  };
  for (Backoff backoff(policy); !are_done();) backoff.pause();
}

void barrier(const Communicator& all, WaitPolicy policy) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(all.handle(), &request);
  wait_all({&request, 1}, policy);
}

void run_alone(const Communicator& all, int rank, const std::function<void()>& work) {
  barrier(all, WaitPolicy::kIdle);
  if (all.rank() == rank) work();
  barrier(all, WaitPolicy::kIdle);
}

}  // namespace groma::mpi
