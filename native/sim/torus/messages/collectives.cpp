#include "sim/torus/messages/collectives.hpp"

#include <algorithm>
#include <bit>

namespace groma::sim::torus {
namespace {

enum Tag : std::int32_t {
  kBarrier = -10,
  kBcast,
  kReduce,
  kGather,
  kScatter,
  kAllgather,
  kAlltoall,
  kScan,
  kReduceScatter
};

}  // namespace

Rank Collectives::lowest_bit(Rank relative) const {
  return relative == 0 ? std::bit_ceil(ranks_) : relative & (~relative + 1);
}

/// Messages between two ranks are matched in order, so one tag does for all rounds and all barriers.
void Collectives::barrier(Program& program) const {
  for (Rank distance = 1; distance < ranks_; distance *= 2) {
    const RequestId sent = send(program, (rank_ + distance) % ranks_, 0, kBarrier);
    program.wait(receive(program, (rank_ + ranks_ - distance) % ranks_, kBarrier));
    program.wait(sent);
  }
}

void Collectives::bcast(Program& program, Rank root, std::uint64_t bytes) const {
  const Rank own = relative(root);
  if (own != 0) program.wait(receive(program, absolute(own & (own - 1), root), kBcast));
  std::vector<RequestId> sends;
  for (Rank bit = lowest_bit(own) / 2; bit != 0; bit /= 2) {
    if (own + bit < ranks_) sends.push_back(send(program, absolute(own + bit, root), bytes, kBcast));
  }
  for (const RequestId send : sends) program.wait(send);
}

void Collectives::reduce(Program& program, Rank root, std::uint64_t bytes, double cycles) const {
  const Rank own = relative(root);
  for (Rank bit = 1; bit < lowest_bit(own); bit *= 2) {
    if (own + bit >= ranks_) continue;
    program.wait(receive(program, absolute(own + bit, root), kReduce));
    if (cycles > 0.0) program.compute(cycles);
  }
  if (own != 0) program.wait(send(program, absolute(own & (own - 1), root), bytes, kReduce));
}

void Collectives::allreduce(Program& program, std::uint64_t bytes, double cycles) const {
  reduce(program, 0, bytes, cycles);
  bcast(program, 0, bytes);
}

void Collectives::gather(Program& program, Rank root, std::uint64_t bytes) const {
  if (rank_ != root) {
    program.wait(send(program, root, bytes, kGather));
    return;
  }
  std::vector<RequestId> receives;
  for (Rank i = 1; i < ranks_; ++i) receives.push_back(receive(program, absolute(i, root), kGather));
  for (const RequestId receive : receives) program.wait(receive);
}

void Collectives::scan(Program& program, std::uint64_t bytes, double cycles) const {
  for (Rank distance = 1; distance < ranks_; distance *= 2) {
    std::vector<RequestId> sends;
    if (rank_ + distance < ranks_) sends.push_back(send(program, rank_ + distance, bytes, kScan));
    if (rank_ >= distance) {
      program.wait(receive(program, rank_ - distance, kScan));
      if (cycles > 0.0) program.compute(cycles);
    }
    for (const RequestId send : sends) program.wait(send);
  }
}

void Collectives::scatterv(Program& program, Rank root, const Sizes& bytes) const {
  if (rank_ != root) {
    program.wait(receive(program, root, kScatter));
    return;
  }
  std::vector<RequestId> sends;
  for (Rank i = 1; i < ranks_; ++i) {
    const Rank to = absolute(i, root);
    sends.push_back(send(program, to, bytes[to], kScatter));
  }
  for (const RequestId send : sends) program.wait(send);
}

void Collectives::allgatherv(Program& program, const Sizes& bytes) const {
  for (Rank step = 1; step < ranks_; ++step) {
    const Rank owner = (rank_ + ranks_ - (step - 1)) % ranks_;  // of what goes on to the next rank
    const RequestId received = receive(program, (rank_ + ranks_ - 1) % ranks_, kAllgather);
    const RequestId sent = send(program, (rank_ + 1) % ranks_, bytes[owner], kAllgather);
    program.wait(received);
    program.wait(sent);
  }
}

void Collectives::alltoallv(Program& program, const Sizes& bytes) const {
  std::vector<RequestId> requests;
  for (Rank i = 1; i < ranks_; ++i)
    requests.push_back(receive(program, (rank_ + ranks_ - i) % ranks_, kAlltoall));
  for (Rank i = 1; i < ranks_; ++i) {
    const Rank to = (rank_ + i) % ranks_;
    requests.push_back(send(program, to, bytes[to], kAlltoall));
  }
  for (const RequestId request : requests) program.wait(request);
}

void Collectives::reduce_scatter(Program& program, const Sizes& bytes, double cycles) const {
  std::vector<RequestId> receives;
  std::vector<RequestId> sends;
  for (Rank i = 1; i < ranks_; ++i)
    receives.push_back(receive(program, (rank_ + ranks_ - i) % ranks_, kReduceScatter));
  for (Rank i = 1; i < ranks_; ++i) {
    const Rank to = (rank_ + i) % ranks_;
    sends.push_back(send(program, to, bytes[to], kReduceScatter));
  }
  for (const RequestId received : receives) {
    program.wait(received);
    if (cycles > 0.0) program.compute(cycles);
  }
  for (const RequestId sent : sends) program.wait(sent);
}

}  // namespace groma::sim::torus
