#include "hpcc/network.hpp"

#include <algorithm>
#include <vector>

#include "hpcc/routes.hpp"

namespace groma::hpcc {
namespace {

constexpr std::uint64_t kShort = 8;
constexpr std::uint32_t kShortLoop = 8;
constexpr std::uint64_t kFirst = std::uint64_t{64} << 10U;
constexpr std::uint64_t kLongest = std::uint64_t{2} << 20U;
constexpr Seconds kLong{0.05};  ///< an exchange of this time is resolved by any clock and any scheduler
constexpr Seconds kEnough{0.25};
constexpr int kTimes = 3;
constexpr std::size_t kPairs = 3;
constexpr int kTag = 90;

/// The least of a few, for noise only adds; fewer where they take long. The first one does not count.
Seconds least_time(const TimedExchange& exchange, std::uint64_t bytes, std::uint32_t times) {
  Seconds spent = exchange(bytes, 1);
  Seconds least = exchange(bytes, times);
  for (int done = 1; done < kTimes && spent + least * times < kEnough; ++done) {
    spent = spent + least * times;
    least = std::min(least, exchange(bytes, times));
  }
  return least;
}

/// The buffers and ranks of the exchanges.
class Exchanger {
 public:
  Exchanger(const mpi::Communicator& world, const Clock& clock)
      : world_(world), clock_(clock), out_(kLongest), in_(kLongest) {}

  /// One message to the right, then one to the left.
  Seconds around(const Neighbours& at, std::uint64_t bytes, std::uint32_t times) {
    return together(times, [&] {
      pass(at.right, at.left, bytes);
      pass(at.left, at.right, bytes);
    });
  }

  /// One way, as half of a round trip.
  Seconds between(const RankPair& pair, std::uint64_t bytes, std::uint32_t times) {
    return together(times,
                    [&] {
                      if (world_.rank() == pair.client) {
                        send(pair.server, bytes);
                        receive(pair.server, bytes);
                      } else if (world_.rank() == pair.server) {
                        receive(pair.client, bytes);
                        send(pair.client, bytes);
                      }
                    }) *
           0.5;
  }

 private:
  template <class Work>
  Seconds together(std::uint32_t times, const Work& work) {
    world_.barrier();
    const Seconds start = clock_.now();
    for (std::uint32_t i = 0; i < times; ++i) work();
    const Seconds time = clock_.now() - start;
    return Seconds(world_.reduce_to_all(time.value(), mpi::Reduction::kMax)) / times;
  }
  void pass(int to, int from, std::uint64_t bytes) {
    mpi::Request arriving = world_.start_receive(std::span(in_).first(bytes), from, kTag);
    mpi::Request leaving = world_.start_send(std::span<const std::byte>(out_).first(bytes), to, kTag);
    arriving.wait();
    leaving.wait();
  }
  void send(int to, std::uint64_t bytes) {
    world_.send(std::span<const std::byte>(out_).first(bytes), to, kTag);
  }
  void receive(int from, std::uint64_t bytes) { world_.receive(std::span(in_).first(bytes), from, kTag); }

  const mpi::Communicator& world_;
  const Clock& clock_;
  std::vector<std::byte> out_;
  std::vector<std::byte> in_;
};

MessageTime mean_of(const std::vector<MessageTime>& times) {
  const double share = 1.0 / static_cast<double>(times.size());
  MessageTime mean{};
  for (const MessageTime& one : times) {
    mean.latency = mean.latency + one.latency * share;
    mean.seconds_per_byte += one.seconds_per_byte * share;
  }
  return mean;
}

Json to_json(const MessageTime& time) {
  return JsonObject()
      .add("latency", time.latency.value())
      .add("seconds_per_byte", time.seconds_per_byte)
      .json();
}

}  // namespace

double Network::exchange_rate() const {
  constexpr double kMessages = 2.0;  // of an exchange with both neighbours
  return kMessages / std::max(1e-15, std::max(ring.seconds_per_byte, random_ring.seconds_per_byte));
}

MessageTime measure_exchange(const TimedExchange& exchange) {
  const Seconds latency = least_time(exchange, kShort, kShortLoop);
  std::uint64_t bytes = kFirst;
  Seconds time = least_time(exchange, bytes, 1);
  while (time < kLong && bytes < kLongest) time = least_time(exchange, bytes *= 2, 1);
  const double beyond = std::max(0.0, (time - latency).value());
  return {.latency = latency, .seconds_per_byte = beyond / static_cast<double>(bytes)};
}

Network measure_network(const mpi::Communicator& world, const Clock& clock, std::uint64_t seed) {
  Network network{.is_measured = world.size() > 1};
  if (world.size() == 1) return network;
  Exchanger exchanger(world, clock);
  const auto ring = [&](std::uint32_t number) {
    const Neighbours at = neighbours_in(ring_order(world.size(), number, seed), world.rank());
    return measure_exchange(
        [&](std::uint64_t bytes, std::uint32_t times) { return exchanger.around(at, bytes, times); });
  };
  network.ring = ring(0);
  network.random_ring = ring(1);
  std::vector<MessageTime> pairs;
  for (const RankPair& pair : choose_pairs(world.size(), kPairs, RandomStream(seed))) {
    if (pairs.size() == kPairs) break;
    pairs.push_back(measure_exchange(
        [&](std::uint64_t bytes, std::uint32_t times) { return exchanger.between(pair, bytes, times); }));
  }
  network.pair = mean_of(pairs);
  return network;
}

Json to_json(const Network& network) {
  return JsonObject()
      .add("measured", network.is_measured)
      .add("pair", to_json(network.pair))
      .add("ring", to_json(network.ring))
      .add("random_ring", to_json(network.random_ring))
      .json();
}

}  // namespace groma::hpcc
