#include "hpcc/effective_bandwidth/sampler.hpp"

#include <algorithm>

namespace groma::hpcc {
namespace {

// Messages go by direction, to which the outgoing and the incoming buffer of a set belong: in a ring 0 runs
// to the right and 1 to the left; in a ping-pong 0 is the ping and 1 the pong.
constexpr int kForth = 0;
constexpr int kBack = 1;
constexpr int kTag = 200;

/// Calls MPI itself: the wrapper's conversions would be part of a time of a hundred nanoseconds.
struct Line {
  MPI_Comm comm;
  int count;

  void send(std::span<const std::byte> message, int to, int direction) const {
    MPI_Send(message.data(), count, MPI_BYTE, to, kTag + direction, comm);
  }
  void receive(std::span<std::byte> message, int from, int direction) const {
    MPI_Recv(message.data(), count, MPI_BYTE, from, kTag + direction, comm, MPI_STATUS_IGNORE);
  }
  void send_receive(const MessageSet& set, int to, int from, int direction) const {
    const auto index = static_cast<std::size_t>(direction);
    MPI_Sendrecv(set.out[index].data(), count, MPI_BYTE, to, kTag + direction, set.in[index].data(), count,
                 MPI_BYTE, from, kTag + direction, comm, MPI_STATUS_IGNORE);
  }
  void exchange_at_once(const MessageSet& set, const Neighbours& at) const {
    std::array<MPI_Request, 4> requests{};
    MPI_Irecv(set.in[0].data(), count, MPI_BYTE, at.left, kTag + kForth, comm, requests.data());
    MPI_Irecv(set.in[1].data(), count, MPI_BYTE, at.right, kTag + kBack, comm, &requests[1]);
    MPI_Isend(set.out[0].data(), count, MPI_BYTE, at.right, kTag + kForth, comm, &requests[2]);
    MPI_Isend(set.out[1].data(), count, MPI_BYTE, at.left, kTag + kBack, comm, &requests[3]);
    MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
  }
};

std::uint64_t mistamped(std::span<const std::byte> message, std::uint32_t iteration) {
  return is_stamped(message, iteration) ? 0 : 1;
}

}  // namespace

template <class Step>
RankSample Sampler::time_steps(const Pattern& pattern, Step step) {
  std::uint64_t wrong = 0;
  const bool rotates = pattern.buffers == BufferState::kRotating;
  MessageSet set = messages_.set(pattern.buffers, pattern.bytes, iterations_);
  const auto run = [&](std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t iteration = from; iteration < to; ++iteration) {
      if (rotates) set = messages_.set(pattern.buffers, pattern.bytes, iterations_ + iteration);
      wrong += step(set, iteration);
    }
  };
  const std::uint32_t all = pattern.warm_ups + pattern.loop;
  const Seconds begin = clock_.now();
  run(0, pattern.warm_ups);
  const Seconds start = clock_.now();
  run(pattern.warm_ups, all);
  const Seconds end = clock_.now();
  iterations_ += all;
  return {.took_part = true,
          .start = start,
          .warm_up = (start - begin) / (2.0 * std::max(1U, pattern.warm_ups)),
          .time = (end - start) / (2.0 * pattern.loop),
          .wrong = wrong};
}

void Sampler::fill_set(const Pattern& pattern, std::uint64_t number) {
  if (pattern.buffers == BufferState::kRotating) return;
  const MessageSet set = messages_.set(pattern.buffers, pattern.bytes, 0);
  for (std::uint32_t direction = 0; direction < set.out.size(); ++direction) {
    fill(set.out[direction], {all_.rank(), direction, number});
  }
}

RankSample Sampler::ping_pong(const Pattern& pattern, const RankPair& pair, std::uint64_t number) {
  const Line line{all_.handle(), static_cast<int>(pattern.bytes)};
  const bool leads = all_.rank() == pair.client;
  const int other = leads ? pair.server : pair.client;
  const auto lead = [&](const MessageSet& set, std::uint32_t iteration) {
    stamp(set.out[kForth], iteration);
    line.send(set.out[kForth], other, kForth);
    line.receive(set.in[kBack], other, kBack);
    return mistamped(set.in[kBack], iteration);
  };
  const auto follow = [&](const MessageSet& set, std::uint32_t iteration) {
    line.receive(set.in[kForth], other, kForth);
    const std::uint64_t wrong = mistamped(set.in[kForth], iteration);
    stamp(set.out[kBack], iteration);
    line.send(set.out[kBack], other, kBack);
    return wrong;
  };
  RankSample sample = leads ? time_steps(pattern, lead) : time_steps(pattern, follow);
  if (pattern.buffers != BufferState::kRotating) {
    const int direction = leads ? kBack : kForth;
    const MessageSet set = messages_.set(pattern.buffers, pattern.bytes, 0);
    sample.wrong += wrong_bytes(set.in[static_cast<std::size_t>(direction)],
                                {other, static_cast<std::uint32_t>(direction), number});
  }
  return sample;
}

RankSample Sampler::ring(const Pattern& pattern, const Neighbours& neighbours, std::uint64_t number) {
  const Line line{all_.handle(), static_cast<int>(pattern.bytes)};
  const bool at_once = pattern.exchange == Exchange::kNonBlocking;
  const auto step = [&](const MessageSet& set, std::uint32_t iteration) {
    stamp(set.out[kForth], iteration);
    stamp(set.out[kBack], iteration);
    if (at_once) {
      line.exchange_at_once(set, neighbours);
    } else {
      line.send_receive(set, neighbours.right, neighbours.left, kForth);
      line.send_receive(set, neighbours.left, neighbours.right, kBack);
    }
    return mistamped(set.in[kForth], iteration) + mistamped(set.in[kBack], iteration);
  };
  RankSample sample = time_steps(pattern, step);
  if (pattern.buffers != BufferState::kRotating) {
    const MessageSet set = messages_.set(pattern.buffers, pattern.bytes, 0);
    sample.wrong += wrong_bytes(set.in[kForth], {neighbours.left, kForth, number});
    sample.wrong += wrong_bytes(set.in[kBack], {neighbours.right, kBack, number});
  }
  return sample;
}

RankSample Sampler::sample(const Pattern& pattern, const Routes& routes, std::uint64_t number) {
  const bool is_ring = pattern.exchange != Exchange::kPingPong;
  const RankPair pair = is_ring ? RankPair{0, 0} : routes.pairs[pattern.route];
  const bool takes_part = is_ring || all_.rank() == pair.client || all_.rank() == pair.server;
  if (takes_part) fill_set(pattern, number);
  all_.barrier();
  if (!takes_part) return {};
  return is_ring ? ring(pattern, routes.rings[pattern.route], number) : ping_pong(pattern, pair, number);
}

}  // namespace groma::hpcc
