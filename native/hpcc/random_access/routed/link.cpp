#include "hpcc/random_access/routed/link.hpp"

namespace groma::hpcc::random_access {
namespace {

enum Tag : int { kMore = 0, kLast = 1 };

bool is_complete(MPI_Request& request, MPI_Status* status) {
  int done = 0;
  MPI_Test(&request, &done, status);
  return done != 0;
}

}  // namespace

MessageLink::MessageLink(const Link& link, std::uint64_t capacity)
    : link_(link), filling_(capacity), sending_(capacity) {
  for (Arrival& arrival : arrivals_) arrival.updates.resize(capacity);
}

void MessageLink::start(const mpi::Communicator& messages) {
  sent_ = received_ = taken_ = in_flight_ = 0;
  told_last_ = last_arrived_ = heard_last_ = false;
  for (Arrival& arrival : arrivals_) post(arrival, messages);
}

void MessageLink::stop() {
  MPI_Wait(&send_, MPI_STATUS_IGNORE);
  for (Arrival& arrival : arrivals_) {
    if (arrival.request == MPI_REQUEST_NULL) continue;
    MPI_Cancel(&arrival.request);
    MPI_Wait(&arrival.request, MPI_STATUS_IGNORE);
  }
}

void MessageLink::post(Arrival& arrival, const mpi::Communicator& messages) const {
  arrival.here = false;
  MPI_Irecv(arrival.updates.data(), static_cast<int>(arrival.updates.size()), MPI_UINT64_T, link_.peer,
            MPI_ANY_TAG, messages.handle(), &arrival.request);
}

void MessageLink::poll() {
  Arrival& next = arrivals_[received_ % 2];
  MPI_Status status;
  if (next.here || !is_complete(next.request, &status)) return;
  int count = 0;
  MPI_Get_count(&status, MPI_UINT64_T, &count);
  next.here = true;
  next.last = status.MPI_TAG == kLast;
  last_arrived_ = last_arrived_ || next.last;
  next.count = static_cast<std::uint64_t>(count);
  next.taken = 0;
  ++received_;
}

std::span<const std::uint64_t> MessageLink::arrived() const {
  const Arrival& from = current();
  return std::span(from.updates).subspan(from.taken, from.count - from.taken);
}

void MessageLink::take(std::uint64_t count, const mpi::Communicator& messages) {
  Arrival& from = arrivals_[taken_ % 2];
  from.taken += count;
  if (from.taken < from.count) return;
  heard_last_ = heard_last_ || from.last;
  ++taken_;
  from.here = false;
  if (!is_closed()) post(from, messages);
}

bool MessageLink::can_send() {
  if (is_closed() || taken_ < sent_) return false;
  if (send_ != MPI_REQUEST_NULL && !is_complete(send_, MPI_STATUS_IGNORE)) return false;
  in_flight_ = 0;
  return true;
}

void MessageLink::send(Bucket& bucket, bool last, const mpi::Communicator& messages) {
  std::swap(filling_, sending_);
  MPI_Isend(sending_.data(), static_cast<int>(bucket.count), MPI_UINT64_T, link_.peer, last ? kLast : kMore,
            messages.handle(), &send_);
  ++sent_;
  told_last_ = told_last_ || last;
  in_flight_ = bucket.count;
  bucket.count = 0;
  bucket.updates = filling_.data();
}

std::uint64_t MessageLink::pending() const {
  std::uint64_t sum = in_flight_;
  for (const Arrival& arrival : arrivals_) {
    if (arrival.here) sum += arrival.count - arrival.taken;
  }
  return sum;
}

}  // namespace groma::hpcc::random_access
