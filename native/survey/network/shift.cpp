#include "survey/network/shift.hpp"

#include <algorithm>
#include <array>

#include "mpi/stamp.hpp"
#include "mpi/waiting.hpp"

namespace groma::survey::network {
namespace {

constexpr int kTag = 1;

// Long enough that what queues and buckets on the way hold for free is little of it.
constexpr Seconds kTellingTime{0.02};
constexpr std::uint64_t kGrowth = 4;

/// Collective. Mean time over the shifts, each of its slowest rank.
Seconds mean_time(const Context& context, ShiftBench& bench, std::span<const Shift> shifts,
                  std::uint64_t bytes) {
  std::vector<double> times;
  for (const Shift& shift : shifts) times.push_back(bench.run(shift, bytes, nullptr).time.value());
  context.world.reduce_to_root(std::span(times), mpi::Reduction::kMax);
  double sum = 0.0;
  for (const double time : times) sum += time;
  return Seconds(context.world.broadcast_value(sum / static_cast<double>(times.size())));
}

}  // namespace

Passage ShiftBench::run(const Shift& shift, std::uint64_t bytes, RoundNotes* notes) {
  ++number_;
  mpi::stamp(buffers_.message(0, bytes), number_);
  mpi::barrier(context_.world, mpi::Waiting::kYielding);
  Passage passage;
  if (notes != nullptr) {
    notes->busy([&] { passage = exchange(shift, bytes); });
  } else {
    passage = exchange(shift, bytes);
  }
  wrong_ += mpi::is_stamped(buffers_.message(1, bytes), number_) ? 0 : 1;
  return passage;
}

Passage ShiftBench::exchange(const Shift& shift, std::uint64_t bytes) {
  const mpi::Extent extent(bytes, MPI_BYTE);
  const auto out = buffers_.message(0, bytes);
  const auto in = buffers_.message(1, bytes);
  std::array<MPI_Request, 2> requests{};
  const Seconds start = context_.clock.now();
  MPI_Irecv(in.data(), extent.count(), extent.type(), shift.from, kTag, context_.world.handle(),
            requests.data());
  MPI_Isend(out.data(), extent.count(), extent.type(), shift.to, kTag, context_.world.handle(), &requests[1]);
  mpi::wait_all(requests, mpi::Waiting::kYielding);
  return {.start = start, .time = context_.clock.now() - start};
}

Status ShiftBench::validated() const {
  const auto wrong = context_.world.reduce_to_all(wrong_, mpi::Reduction::kSum);
  if (wrong == 0) return Done{};
  return Error{"validation", std::to_string(wrong) + " messages arrived otherwise than they were sent",
               "check the network and its adapters: no figure of this run can be trusted"};
}

std::uint64_t fitting_message(const MessageLimits& limits, Seconds one_kibibyte) {
  const double each = limits.time.value() / static_cast<double>(std::max<std::size_t>(1, limits.exchanges));
  const double kibibytes = std::clamp(each / one_kibibyte.value(), 1.0, 1e12);
  const std::uint64_t fitting = static_cast<std::uint64_t>(kibibytes) << 10U;
  return std::min(limits.most, std::max(kSmallestMessage, fitting));
}

std::uint64_t fit_message(const Context& context, ShiftBench& bench, std::span<const Shift> shifts,
                          const MessageLimits& limits) {
  std::uint64_t bytes = std::min(limits.most, kSmallestMessage);
  mean_time(context, bench, shifts, bytes);  // connections
  for (;; bytes = std::min(limits.most, bytes * kGrowth)) {
    const Seconds time = mean_time(context, bench, shifts, bytes);
    if (time < kTellingTime && bytes < limits.most) continue;
    return fitting_message(limits, time / (static_cast<double>(bytes) / 1024.0));
  }
}

}  // namespace groma::survey::network
