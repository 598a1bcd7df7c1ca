#include "survey/network/shift.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "mpi/stamp.hpp"
#include "mpi/wait.hpp"
#include "survey/network/validation.hpp"

namespace groma::survey::network {
namespace {

constexpr int kTag = 1;
constexpr int kReceipt = 6;

}  // namespace

ShiftTiming ShiftBench::run(const Shift& shift, std::uint64_t bytes, RoundNotes* notes) {
  ++number_;
  buffers_.prepare(bytes);
  mpi::stamp(buffers_.message(0, bytes), number_);
  mpi::barrier(context_.world, mpi::WaitPolicy::kYield);
  ShiftTiming passage;
  if (notes != nullptr) {
    notes->busy([&] { passage = exchange(shift, bytes); });
  } else {
    passage = exchange(shift, bytes);
  }
  wrong_ += mpi::is_stamped(buffers_.message(1, bytes), number_) ? 0 : 1;
  return passage;
}

ShiftTiming ShiftBench::exchange(const Shift& shift, std::uint64_t bytes) {
  const mpi::LargeCount large(bytes, MPI_BYTE);
  const auto out = buffers_.message(0, bytes);
  const auto in = buffers_.message(1, bytes);
  MPI_Comm comm = context_.world.handle();
  MPI_Request arrived = MPI_REQUEST_NULL;
  std::array<MPI_Request, 3> others{};
  const Seconds start = context_.clock.now();
  MPI_Irecv(in.data(), large.count(), large.type(), shift.from, kTag, comm, &arrived);
  MPI_Irecv(nullptr, 0, MPI_BYTE, shift.to, kReceipt, comm, others.data());
  MPI_Isend(out.data(), large.count(), large.type(), shift.to, kTag, comm, &others[1]);
  mpi::wait_all({&arrived, 1}, mpi::WaitPolicy::kYield);
  MPI_Isend(nullptr, 0, MPI_BYTE, shift.from, kReceipt, comm, &others[2]);
  mpi::wait_all(others, mpi::WaitPolicy::kYield);
  return {.start = start, .time = context_.clock.now() - start};
}

Status ShiftBench::validated() const {
  return network::validated(context_.world, wrong_);
}

Seconds undisturbed_time(const Context& context, ShiftBench& bench, std::span<const Shift> shifts,
                         std::uint64_t bytes, int tries) {
  double sum = 0.0;
  for (const Shift& shift : shifts) {
    double fastest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < tries; ++i) {
      const double own = bench.run(shift, bytes, nullptr).time.value();
      fastest = std::min(fastest, context.world.reduce_to_all(own, mpi::Reduction::kMax));
    }
    sum += fastest;
  }
  return Seconds(sum / static_cast<double>(shifts.size()));
}

}  // namespace groma::survey::network
