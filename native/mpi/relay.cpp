#include "mpi/relay.hpp"

#include <algorithm>

#include "mpi/waiting.hpp"

namespace groma::mpi {
namespace {

enum Tag { kToken, kArrived, kGo, kDone };

void send_signal(const Communicator& channel, int to, int tag) {
  MPI_Send(nullptr, 0, MPI_BYTE, to, tag, channel.handle());
}

void await_signal(const Communicator& channel, int from, int tag, Waiting how) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(nullptr, 0, MPI_BYTE, from, tag, channel.handle(), &request);
  wait_all({&request, 1}, how);
}

bool has_member(const Turn& turn, int rank) {
  return std::find(turn.begin(), turn.end(), rank) != turn.end();
}

}  // namespace

void Relay::run(std::span<const Turn> turns, const std::function<void(std::size_t)>& take) const {
  for (std::size_t at = 0; at < turns.size(); ++at) {
    if (!has_member(turns[at], channel_.rank())) continue;
    if (at > 0) await(turns[at - 1]);
    take(at);
    part(turns[at]);
    if (at + 1 < turns.size() && turns[at].front() == channel_.rank()) hand_on(turns[at + 1]);
  }
  barrier(channel_, Waiting::kSleeping);
}

void Relay::await(const Turn& before) const {
  if (before.front() != channel_.rank()) {
    await_signal(channel_, before.front(), kToken, Waiting::kSleeping);
  }
}

void Relay::hand_on(const Turn& next) const {
  for (const int member : next) {
    if (member != channel_.rank()) send_signal(channel_, member, kToken);
  }
}

void Relay::meet(const Turn& turn) const {
  gather_at_leader(turn, kArrived);
  tell_members(turn, kGo);
}

void Relay::part(const Turn& turn) const {
  gather_at_leader(turn, kDone);
}

void Relay::gather_at_leader(const Turn& turn, int tag) const {
  if (turn.front() != channel_.rank()) return send_signal(channel_, turn.front(), tag);
  for (const int member : turn) {
    if (member != channel_.rank()) await_signal(channel_, member, tag, Waiting::kYielding);
  }
}

void Relay::tell_members(const Turn& turn, int tag) const {
  if (turn.front() != channel_.rank()) {
    return await_signal(channel_, turn.front(), tag, Waiting::kYielding);
  }
  for (const int member : turn) {
    if (member != channel_.rank()) send_signal(channel_, member, tag);
  }
}

}  // namespace groma::mpi
