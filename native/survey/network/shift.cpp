#include "survey/network/shift.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "mpi/stamp.hpp"
#include "mpi/wait.hpp"
#include "survey/network/message_size.hpp"
#include "survey/network/validation.hpp"

namespace groma::survey::network {
namespace {

constexpr int kTag = 1;
constexpr std::uint64_t kConnecting = 1024;  // bytes with which connections are made
/// Of the budget, that a single message may take while pieces are tried.
constexpr double kTrialShare = 1.0 / 25.0;
/// Of the budget, that is not spent on trying pieces.
constexpr double kLeftToMeasure = 0.7;
/// Of a message at the rate that was tried: shorter ones measure how ranks are started and stopped.
constexpr double kMinSeconds = 0.025;

/// The pieces of one direction, in their order: so many posted, the oldest of them completed.
class Lane {
 public:
  explicit Lane(std::size_t in_flight) : requests_(in_flight, MPI_REQUEST_NULL) {}

  [[nodiscard]] bool has_room() const { return posted_ - done_ < requests_.size(); }
  [[nodiscard]] bool is_empty() const { return posted_ == done_; }
  [[nodiscard]] std::uint64_t posted() const { return posted_; }
  [[nodiscard]] std::uint64_t done() const { return done_; }

  /// The place for the request of the next piece; there is room.
  MPI_Request* next() { return &requests_[posted_++ % requests_.size()]; }

  /// Whether the oldest piece is done, and how.
  bool complete(MPI_Status* status) {
    if (is_empty()) return false;
    int done = 0;
    MPI_Test(&requests_[done_ % requests_.size()], &done, status);
    if (done != 0) ++done_;
    return done != 0;
  }

 private:
  std::vector<MPI_Request> requests_;
  std::uint64_t posted_ = 0;
  std::uint64_t done_ = 0;
};

/// The memory of a message as its pieces, which come round.
class PieceMemory {
 public:
  PieceMemory(std::span<std::byte> message, std::uint64_t piece)
      : message_(message), piece_(piece), count_(message.size() / piece) {}

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::span<std::byte> at(std::uint64_t number) const {
    return message_.subspan(number % count_ * piece_, piece_);
  }

 private:
  std::span<std::byte> message_;
  std::uint64_t piece_;
  std::uint64_t count_;
};

/// One sample of one rank.
class Exchange {
 public:
  Exchange(const Context& context, const Shift& shift, const Pieces& pieces, std::span<std::byte> out,
           std::span<std::byte> in, std::uint32_t number)
      : context_(context),
        shift_(shift),
        piece_(pieces.bytes),
        ends_(pieces.in_flight),
        out_(out, pieces.bytes),
        in_(in, pieces.bytes),
        number_(number),
        sent_(pieces.in_flight),
        received_(pieces.in_flight) {
    for (std::uint64_t i = 0; i < out_.count(); ++i) mpi::stamp(out_.at(i), number);
    for (std::uint64_t i = 0; i < in_.count(); ++i) mpi::unstamp(in_.at(i), number);
  }

  ShiftTiming run(std::uint64_t bytes) {
    const Seconds start = context_.clock.now();
    mpi::Backoff backoff(mpi::WaitPolicy::kYield);
    while (!is_over()) {
      receive();
      send();
      synchronize();
      backoff.pause();
    }
    const auto counted = static_cast<double>(counted_ * piece_);
    return {.start = start,
            .time = (last_ - first_) * (static_cast<double>(bytes) / counted),
            .whole = context_.clock.now() - start};
  }

  [[nodiscard]] std::uint64_t wrong() const { return wrong_; }

 private:
  /// Until every rank has a quarter of its message, until each has another whole one, until nothing is left.
  enum class Phase { kLead, kMeasured, kEnding };

  [[nodiscard]] bool is_over() const {
    return phase_ == Phase::kEnding && ends_ == 0 && sent_.is_empty() && has_ended_ && received_.is_empty();
  }

  void receive() {
    while (!has_ended_ && received_.has_room()) post_receive();
    MPI_Status status;
    while (received_.complete(&status)) {
      take(received_.done() - 1, status);
      if (!has_ended_) post_receive();
    }
  }

  void post_receive() {
    const auto memory = in_.at(received_.posted());
    MPI_Irecv(memory.data(), static_cast<int>(memory.size()), MPI_BYTE, shift_.from, kTag,
              context_.world.handle(), received_.next());
  }

  /// Empty pieces are the last ones, one for each receive that waits.
  void take(std::uint64_t which, const MPI_Status& status) {
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    has_ended_ = has_ended_ || bytes == 0;
    if (bytes == 0) return;
    wrong_ += mpi::is_stamped(in_.at(which), number_) ? 0 : 1;
    mpi::unstamp(in_.at(which), number_);  // another piece comes there
    if (phase_ != Phase::kEnding) ++counted_;
  }

  void send() {
    MPI_Status status;
    while (sent_.complete(&status)) {
    }
    const bool ending = phase_ == Phase::kEnding;
    while (sent_.has_room() && (!ending || ends_ > 0)) {
      const auto memory = out_.at(sent_.posted());
      const int bytes = ending ? 0 : static_cast<int>(memory.size());
      MPI_Issend(memory.data(), bytes, MPI_BYTE, shift_.to, kTag, context_.world.handle(), sent_.next());
      if (ending) --ends_;
    }
  }

  /// A phase ends for all ranks when each of them has received enough.
  void synchronize() {
    if (phase_ == Phase::kEnding) return;
    if (all_ == MPI_REQUEST_NULL) {
      if (counted_ < enough()) return;
      MPI_Ibarrier(context_.world.handle(), &all_);
    }
    int done = 0;
    MPI_Test(&all_, &done, MPI_STATUS_IGNORE);
    if (done != 0) end_phase();
  }

  [[nodiscard]] std::uint64_t enough() const {
    return phase_ == Phase::kLead ? in_.count() / 4 : in_.count();
  }

  void end_phase() {
    if (phase_ == Phase::kLead) {
      first_ = context_.clock.now();
      counted_ = 0;
      phase_ = Phase::kMeasured;
    } else {
      last_ = context_.clock.now();
      phase_ = Phase::kEnding;
    }
  }

  const Context& context_;
  Shift shift_;
  std::uint64_t piece_;
  std::size_t ends_;
  PieceMemory out_;
  PieceMemory in_;
  std::uint32_t number_;
  Lane sent_;
  Lane received_;
  Phase phase_ = Phase::kLead;
  MPI_Request all_ = MPI_REQUEST_NULL;
  bool has_ended_ = false;
  std::uint64_t counted_ = 0;
  std::uint64_t wrong_ = 0;
  Seconds first_{0.0};
  Seconds last_{0.0};
};

/// Collective. Mean over shifts of this rank, each of its slowest rank, the fastest of `tries`: a try that a
/// lost packet stalled says nothing about the network's rate.
Seconds undisturbed_time(const Context& context, ShiftBench& bench, std::span<const Shift> shifts,
                         std::uint64_t bytes, int tries) {
  double sum = 0.0;
  for (const Shift& shift : shifts) {
    double fastest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < tries; ++i) {
      const double own = bench.run(shift, bytes, nullptr).whole.value();
      fastest = std::min(fastest, context.world.reduce_to_all(own, mpi::Reduction::kMax));
    }
    sum += fastest;
  }
  return Seconds(sum / static_cast<double>(shifts.size()));
}

}  // namespace

ShiftTiming ShiftBench::run(const Shift& shift, std::uint64_t bytes, RoundNotes* notes) {
  ++number_;
  buffers_.prepare(bytes);
  const Pieces pieces = pieces_of(bytes, pieces_);
  Exchange exchange(context_, shift, pieces, buffers_.message(0, bytes), buffers_.message(1, bytes), number_);
  mpi::barrier(context_.world, mpi::WaitPolicy::kYield);
  ShiftTiming timing;
  if (notes != nullptr) {
    notes->busy([&] { timing = exchange.run(bytes); });
  } else {
    timing = exchange.run(bytes);
  }
  wrong_ += exchange.wrong();
  return timing;
}

double ShiftBench::choose_pieces(std::span<const Shift> shifts, const TrialLimits& limits) {
  mean_rate(shifts, std::min(limits.most, kConnecting));
  const TriedPieces found = fastest_pieces(limits, [&](const Pieces& pieces, std::uint64_t message) {
    pieces_ = pieces;
    return mean_rate(shifts, message);
  });
  pieces_ = found.pieces;
  return found.rate;
}

double ShiftBench::mean_rate(std::span<const Shift> shifts, std::uint64_t bytes) {
  double sum = 0.0;
  for (const Shift& shift : shifts) {
    const double own = static_cast<double>(bytes) / run(shift, bytes, nullptr).time.value();
    sum += context_.world.reduce_to_all(own, mpi::Reduction::kSum);
  }
  return sum / static_cast<double>(context_.world.size()) / static_cast<double>(shifts.size());
}

Status ShiftBench::validated() const {
  return network::validated(context_.world, wrong_);
}

std::uint64_t fit_shifts(const Context& context, ShiftBench& bench, std::span<const Shift> shifts,
                         const SamplingRule& rule, std::size_t exchanges) {
  const std::uint64_t most = std::max<std::uint64_t>(1, context.parameters.count("bytes"));
  const std::vector<Shift> ends = {shifts.front(), shifts.back()};
  const double rate =
      bench.choose_pieces(std::span(ends).first(std::min<std::size_t>(shifts.size(), ends.size())),
                          {.most = most, .seconds = rule.budget.value() * kTrialShare, .goes_on = [&] {
                             return time_left(context, rule) > rule.budget * kLeftToMeasure;
                           }});
  const MessageLimits limits{
      .most = most,
      .exchanges = exchanges,
      .least = std::max(kMinMessage, static_cast<std::uint64_t>(rate * kMinSeconds)),
  };
  return fit_message(
      limits, [&] { return time_left(context, rule); },
      [&](std::uint64_t size, int tries) { return undisturbed_time(context, bench, shifts, size, tries); });
}

}  // namespace groma::survey::network
