#include "mpi/token_scheduler.hpp"

#include <algorithm>

#include "mpi/wait.hpp"

namespace groma::mpi {
namespace {

enum Tag { kToken, kArrived, kGo, kDone };

void send_signal(const Communicator& channel, int to, int tag) {
  MPI_Send(nullptr, 0, MPI_BYTE, to, tag, channel.handle());
}

void await_signal(const Communicator& channel, int from, int tag, WaitPolicy policy) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(nullptr, 0, MPI_BYTE, from, tag, channel.handle(), &request);
  wait_all({&request, 1}, policy);
}

bool has_member(const RankGroup& group, int rank) {
  return std::find(group.begin(), group.end(), rank) != group.end();
}

}  // namespace

void TokenScheduler::run(std::span<const RankGroup> groups,
                         const std::function<void(std::size_t)>& work) const {
  for (std::size_t at = 0; at < groups.size(); ++at) {
    if (!has_member(groups[at], channel_.rank())) continue;
    if (at > 0) await_token(groups[at - 1]);
    work(at);
    finish(groups[at]);
    if (at + 1 < groups.size() && groups[at].front() == channel_.rank()) pass_token(groups[at + 1]);
  }
  barrier(channel_, WaitPolicy::kSleep);
}

void TokenScheduler::await_token(const RankGroup& previous) const {
  if (previous.front() != channel_.rank()) {
    await_signal(channel_, previous.front(), kToken, WaitPolicy::kSleep);
  }
}

void TokenScheduler::pass_token(const RankGroup& next) const {
  for (const int member : next) {
    if (member != channel_.rank()) send_signal(channel_, member, kToken);
  }
}

void TokenScheduler::synchronize(const RankGroup& group) const {
  gather_at_leader(group, kArrived);
  signal_members(group, kGo);
}

void TokenScheduler::finish(const RankGroup& group) const {
  gather_at_leader(group, kDone);
}

void TokenScheduler::gather_at_leader(const RankGroup& group, int tag) const {
  if (group.front() != channel_.rank()) return send_signal(channel_, group.front(), tag);
  for (const int member : group) {
    if (member != channel_.rank()) await_signal(channel_, member, tag, WaitPolicy::kYield);
  }
}

void TokenScheduler::signal_members(const RankGroup& group, int tag) const {
  if (group.front() != channel_.rank()) {
    return await_signal(channel_, group.front(), tag, WaitPolicy::kYield);
  }
  for (const int member : group) {
    if (member != channel_.rank()) send_signal(channel_, member, tag);
  }
}

}  // namespace groma::mpi
