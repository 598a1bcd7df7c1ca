#include "sim/torus/messages/collectives.hpp"

#include <algorithm>
#include <bit>

namespace groma::sim::torus {
namespace {

enum Tag : std::int32_t { kBarrier = -10, kBcast, kReduce, kGather, kScatter, kAllgather, kAlltoall };

}  // namespace

Rank Collectives::lowest_bit(Rank relative) const {
  return relative == 0 ? std::bit_ceil(ranks_) : relative & (~relative + 1);
}

/// Messages between two ranks are matched in order, so one tag does for all rounds and all barriers.
void Collectives::barrier(Program& program) const {
  for (Rank distance = 1; distance < ranks_; distance *= 2) {
    const RequestId sent = program.send((rank_ + distance) % ranks_, 0, kBarrier);
    program.wait(program.receive((rank_ + ranks_ - distance) % ranks_, kBarrier));
    program.wait(sent);
  }
}

void Collectives::bcast(Program& program, Rank root, std::uint64_t bytes) const {
  const Rank own = relative(root);
  if (own != 0) program.wait(program.receive(absolute(own & (own - 1), root), kBcast));
  std::vector<RequestId> sends;
  for (Rank bit = lowest_bit(own) / 2; bit != 0; bit /= 2) {
    if (own + bit < ranks_) sends.push_back(program.send(absolute(own + bit, root), bytes, kBcast));
  }
  for (const RequestId send : sends) program.wait(send);
}

void Collectives::reduce(Program& program, Rank root, std::uint64_t bytes, double cycles) const {
  const Rank own = relative(root);
  for (Rank bit = 1; bit < lowest_bit(own); bit *= 2) {
    if (own + bit >= ranks_) continue;
    program.wait(program.receive(absolute(own + bit, root), kReduce));
    if (cycles > 0.0) program.compute(cycles);
  }
  if (own != 0) program.wait(program.send(absolute(own & (own - 1), root), bytes, kReduce));
}

void Collectives::allreduce(Program& program, std::uint64_t bytes, double cycles) const {
  reduce(program, 0, bytes, cycles);
  bcast(program, 0, bytes);
}

void Collectives::gather(Program& program, Rank root, std::uint64_t bytes) const {
  if (rank_ != root) {
    program.wait(program.send(root, bytes, kGather));
    return;
  }
  std::vector<RequestId> receives;
  for (Rank i = 1; i < ranks_; ++i) receives.push_back(program.receive(absolute(i, root), kGather));
  for (const RequestId receive : receives) program.wait(receive);
}

void Collectives::scatter(Program& program, Rank root, std::uint64_t bytes) const {
  if (rank_ != root) {
    program.wait(program.receive(root, kScatter));
    return;
  }
  std::vector<RequestId> sends;
  for (Rank i = 1; i < ranks_; ++i) sends.push_back(program.send(absolute(i, root), bytes, kScatter));
  for (const RequestId send : sends) program.wait(send);
}

void Collectives::allgather(Program& program, std::uint64_t bytes) const {
  for (Rank step = 1; step < ranks_; ++step) {
    const RequestId receive = program.receive((rank_ + ranks_ - 1) % ranks_, kAllgather);
    const RequestId send = program.send((rank_ + 1) % ranks_, bytes, kAllgather);
    program.wait(receive);
    program.wait(send);
  }
}

void Collectives::alltoall(Program& program, std::uint64_t bytes) const {
  alltoallv(program, std::vector<std::uint64_t>(ranks_, bytes));
}

void Collectives::alltoallv(Program& program, const std::vector<std::uint64_t>& bytes) const {
  std::vector<RequestId> requests;
  for (Rank i = 1; i < ranks_; ++i)
    requests.push_back(program.receive((rank_ + ranks_ - i) % ranks_, kAlltoall));
  for (Rank i = 1; i < ranks_; ++i) {
    const Rank to = (rank_ + i) % ranks_;
    requests.push_back(program.send(to, bytes[to], kAlltoall));
  }
  for (const RequestId request : requests) program.wait(request);
}

}  // namespace groma::sim::torus
