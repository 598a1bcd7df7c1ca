#include "survey/network/ping_pong.hpp"

#include <algorithm>

#include "mpi/stamp.hpp"

namespace groma::survey::network {
namespace {

constexpr int kTag = 2;

// Messages that are shorter than this cost their latency, not their length.
constexpr std::uint64_t kLengthless = 4096;
constexpr std::uint32_t kMaxTimed = 100;

}  // namespace

void PingPong::exchange(std::uint32_t times) const {
  const auto count = static_cast<int>(out.size());
  const auto send = [&] { MPI_Send(out.data(), count, MPI_BYTE, peer, kTag, comm); };
  const auto receive = [&] { MPI_Recv(in.data(), count, MPI_BYTE, peer, kTag, comm, MPI_STATUS_IGNORE); };
  if (leads) {
    for (std::uint32_t i = 0; i < times; ++i) {
      send();
      receive();
    }
  } else {
    for (std::uint32_t i = 0; i < times; ++i) {
      receive();
      send();
    }
  }
}

Iterations iterations_for(std::uint64_t bytes) {
  const auto timed = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(kMaxTimed * kLengthless / (bytes + 1), 1, kMaxTimed));
  return {.warm_ups = std::max(1U, timed / 10), .timed = timed};
}

Seconds round_trip(const Clock& clock, const PingPong& ping_pong, const Iterations& iterations,
                   std::uint32_t number, std::uint64_t& wrong) {
  mpi::stamp(ping_pong.out, number);
  ping_pong.exchange(iterations.warm_ups);
  mpi::unstamp(ping_pong.in, number);
  const Seconds start = clock.now();
  ping_pong.exchange(iterations.timed);
  const Seconds time = clock.now() - start;
  wrong += mpi::is_stamped(ping_pong.in, number) ? 0 : 1;
  return time / static_cast<double>(iterations.timed);
}

}  // namespace groma::survey::network
