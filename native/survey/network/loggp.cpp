// What the LogGP parameters of each layer follow from: round trips, overheads of sender and receiver, gaps.
#include <algorithm>
#include <optional>

#include "base/quantile.hpp"
#include "survey/network/layer_sampling.hpp"

namespace groma::survey::network {
namespace {

const ProbeInfo kInfo{
    .name = "net_loggp",
    .title = "Overheads and gaps of messages",
    .measures = "round trips, overheads of sending and receiving, time between messages of a burst (s)",
    .method =
        "sending: the time that MPI_Isend keeps the sender; receiving: the time of MPI_Recv for a message "
        "that has arrived; gap: a burst against a single message; one pair at a time",
    .traffic = "up to 260 messages per sample",
    .reference = "Alexandrov et al. 1995 (LogGP); Culler et al. 1996 for the overheads",
    .order = 30,
    .ranks = "layers",
    .parameters = {kLayersParameter,
                   {"largest", "65536", "1048576", "4194304", "largest message in bytes", "bytes"},
                   {"pairs", "1", "1", "2", "maximum number of pairs of each layer"},
                   {"budget", "3", "8", "40", "seconds for all rounds"},
                   {"rounds", "15", "40", "150", "rounds after which sampling stops"}}};

constexpr int kDataTag = 4;
constexpr int kSignalTag = 5;
constexpr int kShort = 4096;
constexpr std::uint32_t kShortBurst = 64;
constexpr std::uint32_t kLongBurst = 8;
constexpr std::uint32_t kRepeats = 4;

/// What reading the clock adds to an interval.
Seconds clock_cost(const Clock& clock) {
  std::vector<double> costs;
  for (int i = 0; i < 101; ++i) {
    const Seconds start = clock.now();
    costs.push_back((clock.now() - start).value());
  }
  return Seconds(quantile(costs, 0.5));
}

/// Messages and empty signals of one end.
class Ends {
 public:
  Ends(const Clock& clock, const PingPong& ping_pong, Seconds clock_cost)
      : clock_(clock),
        game_(ping_pong),
        count_(static_cast<int>(ping_pong.out.size())),
        clock_cost_(clock_cost) {}

  /// Mean time that a call to send keeps the caller. By both ends; valid for the one that leads.
  [[nodiscard]] Seconds send_overhead() const {
    Seconds sum;
    for (std::uint32_t i = 0; i < kRepeats; ++i) sum = sum + (game_.leads ? timed_send() : taken());
    return sum / kRepeats;
  }

  /// Mean time of receiving what has arrived after `arrival`.
  [[nodiscard]] Seconds receive_overhead(Seconds arrival) const {
    Seconds sum;
    for (std::uint32_t i = 0; i < kRepeats; ++i) {
      sum = sum + (game_.leads ? timed_receive(arrival) : given());
    }
    return sum / kRepeats;
  }

  /// Time between two messages of a burst: a burst less a single message, each the fastest of a few, for a
  /// pause in either would be taken for gap. Nothing where a single message took longer than the burst.
  [[nodiscard]] std::optional<Seconds> gap() const {
    const std::uint32_t messages = count_ <= kShort ? kShortBurst : kLongBurst;
    const Seconds between = (fastest_burst(messages + 1) - fastest_burst(1)) / messages;
    return between > Seconds(0.0) ? std::optional(between) : std::nullopt;
  }

 private:
  void send() const { MPI_Send(game_.out.data(), count_, MPI_BYTE, game_.peer, kDataTag, game_.comm); }
  void receive() const {
    MPI_Recv(game_.in.data(), count_, MPI_BYTE, game_.peer, kDataTag, game_.comm, MPI_STATUS_IGNORE);
  }
  void signal() const { MPI_Send(nullptr, 0, MPI_BYTE, game_.peer, kSignalTag, game_.comm); }
  void await_signal() const {
    MPI_Recv(nullptr, 0, MPI_BYTE, game_.peer, kSignalTag, game_.comm, MPI_STATUS_IGNORE);
  }
  [[nodiscard]] Seconds since(Seconds start) const {
    return std::max(Seconds(0.0), clock_.now() - start - clock_cost_);
  }

  [[nodiscard]] Seconds timed_send() const {
    await_signal();  // the other end waits for the message now
    MPI_Request request = MPI_REQUEST_NULL;
    const Seconds start = clock_.now();
    MPI_Isend(game_.out.data(), count_, MPI_BYTE, game_.peer, kDataTag, game_.comm, &request);
    const Seconds time = since(start);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return time;
  }
  [[nodiscard]] Seconds taken() const {
    signal();
    receive();
    return Seconds(0.0);
  }

  [[nodiscard]] Seconds timed_receive(Seconds arrival) const {
    signal();
    for (const Seconds asked = clock_.now(); clock_.now() - asked < arrival;) {
    }
    const Seconds start = clock_.now();
    receive();
    return since(start);
  }
  [[nodiscard]] Seconds given() const {
    await_signal();
    send();
    return Seconds(0.0);
  }

  /// From the first of so many messages to the signal that all came.
  [[nodiscard]] Seconds burst(std::uint32_t messages) const {
    const Seconds start = clock_.now();
    for (std::uint32_t i = 0; i < messages; ++i) game_.leads ? send() : receive();
    game_.leads ? await_signal() : signal();
    return clock_.now() - start;
  }

  [[nodiscard]] Seconds fastest_burst(std::uint32_t messages) const {
    Seconds fastest = burst(messages);
    for (std::uint32_t i = 1; i < kRepeats; ++i) fastest = std::min(fastest, burst(messages));
    return fastest;
  }

  const Clock& clock_;
  const PingPong& game_;
  int count_;
  Seconds clock_cost_;
};

std::vector<std::uint64_t> sizes_up_to(std::uint64_t largest) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = 1; size <= largest; size *= 4) sizes.push_back(size);
  return sizes;
}

/// All four of one pair and size, on both ends in the same order.
LayerSample sample(const Clock& clock, const PingPong& ping_pong, Seconds cost, std::uint32_t number) {
  LayerSample result;
  const Ends ends(clock, ping_pong, cost);
  const Seconds there_and_back =
      round_trip(clock, ping_pong, iterations_for(ping_pong.out.size()), number, result.wrong);
  result.times = {there_and_back, ends.send_overhead(), ends.receive_overhead(there_and_back * 2.0),
                  ends.gap()};
  return result;
}

Result<Outcome> run(const Context& context) {
  const Seconds cost = clock_cost(context.clock);
  return sample_layers(context, {.sizes_up_to = sizes_up_to,
                                 .whats = {"round_trip", "send_overhead", "receive_overhead", "gap"},
                                 .take = [&](const PingPong& ping_pong, std::uint32_t number) {
                                   return sample(context.clock, ping_pong, cost, number);
                                 }});
}

const Registration kRegistered(kInfo, {run, check_layers});

}  // namespace
}  // namespace groma::survey::network
