#include "survey/network/stream.hpp"

#include "mpi/stamp.hpp"
#include "mpi/wait.hpp"

namespace groma::survey::network {
namespace {

constexpr int kTag = 3;
constexpr std::size_t kSlots = 2;

/// All streams of this rank while they run.
class Traffic {
 public:
  Traffic(const mpi::Communicator& world, const Clock& clock, std::span<const Stream> streams,
          std::uint32_t messages)
      : world_(world),
        clock_(clock),
        streams_(streams),
        messages_(messages),
        requests_(streams.size() * kSlots, MPI_REQUEST_NULL),
        completed_(requests_.size()),
        begun_(streams.size(), 0),
        done_(streams.size(), 0),
        times_(streams.size()) {}

  std::vector<Seconds> run() {
    start_ = clock_.now();
    for (std::size_t slot = 0; slot < requests_.size(); ++slot) begin(slot);
    mpi::Backoff backoff(mpi::WaitPolicy::kYield);
    while (progress()) backoff.pause();
    return times_;
  }

 private:
  void begin(std::size_t slot) {
    const Stream& stream = streams_[slot / kSlots];
    if (begun_[slot / kSlots] == messages_) return;
    ++begun_[slot / kSlots];
    const auto message = stream.memory[slot % kSlots];
    const mpi::LargeCount large(message.size(), MPI_BYTE);
    const auto start = [&](auto call) {
      call(message.data(), large.count(), large.type(), stream.peer, kTag, world_.handle(), &requests_[slot]);
    };
    stream.direction == Direction::kSend ? start(MPI_Isend) : start(MPI_Irecv);
  }

  /// Whether something is still on its way.
  bool progress() {
    int count = 0;
    MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, completed_.data(),
                 MPI_STATUSES_IGNORE);
    if (count == MPI_UNDEFINED) return false;
    for (int i = 0; i < count; ++i) finish(static_cast<std::size_t>(completed_[static_cast<std::size_t>(i)]));
    return true;
  }

  void finish(std::size_t slot) {
    const std::size_t stream = slot / kSlots;
    if (++done_[stream] == messages_) times_[stream] = clock_.now() - start_;
    begin(slot);
  }

  const mpi::Communicator& world_;
  const Clock& clock_;
  std::span<const Stream> streams_;
  std::uint32_t messages_;
  std::vector<MPI_Request> requests_;
  std::vector<int> completed_;
  std::vector<std::uint32_t> begun_;
  std::vector<std::uint32_t> done_;
  std::vector<Seconds> times_;
  Seconds start_;
};

}  // namespace

std::vector<Seconds> run_streams(const mpi::Communicator& world, const Clock& clock,
                                 std::span<const Stream> streams, std::uint32_t messages,
                                 std::uint32_t number) {
  for (const Stream& stream : streams) {
    for (const auto message : stream.memory) {
      if (stream.direction == Direction::kSend) {
        mpi::stamp(message, number);
      } else {
        mpi::unstamp(message, number);
      }
    }
  }
  return Traffic(world, clock, streams, messages).run();
}

std::uint64_t wrong_messages(std::span<const Stream> streams, std::uint32_t number) {
  std::uint64_t wrong = 0;
  for (const Stream& stream : streams) {
    if (stream.direction != Direction::kReceive) continue;
    for (const auto message : stream.memory) wrong += mpi::is_stamped(message, number) ? 0 : 1;
  }
  return wrong;
}

}  // namespace groma::survey::network
