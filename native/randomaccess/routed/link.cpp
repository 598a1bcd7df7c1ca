#include "randomaccess/routed/link.hpp"

namespace groma::randomaccess {
namespace {

enum Tag : int { kMore = 0, kLast = 1, kAsk = 2 };

bool is_complete(MPI_Request& request, MPI_Status* status) {
  int done = 0;
  MPI_Test(&request, &done, status);
  return done != 0;
}

}  // namespace

MessageLink::MessageLink(const Link& link, bool begins, std::uint64_t capacity)
    : link_(link), begins_(begins), filling_(capacity), sending_(capacity) {
  arrival_.updates.resize(capacity);
}

void MessageLink::start(const mpi::Communicator& messages) {
  turn_ = begins_;
  in_flight_ = 0;
  asked_ = asking_ = sent_last_ = received_last_ = false;
  post(messages);
}

void MessageLink::stop() {
  MPI_Wait(&send_, MPI_STATUS_IGNORE);
  MPI_Wait(&ask_, MPI_STATUS_IGNORE);
  if (arrival_.request == MPI_REQUEST_NULL) return;
  MPI_Cancel(&arrival_.request);
  MPI_Wait(&arrival_.request, MPI_STATUS_IGNORE);
}

void MessageLink::post(const mpi::Communicator& messages) {
  arrival_.here = false;
  MPI_Irecv(arrival_.updates.data(), static_cast<int>(arrival_.updates.size()), MPI_UINT64_T, link_.peer,
            MPI_ANY_TAG, messages.handle(), &arrival_.request);
}

void MessageLink::poll(const mpi::Communicator& messages) {
  MPI_Status status;
  while (!arrival_.here && !is_closed() && is_complete(arrival_.request, &status)) {
    if (status.MPI_TAG != kAsk) return note_arrival(status);
    asked_ = turn_;  // else its answer is on its way already
    post(messages);
  }
}

void MessageLink::note_arrival(MPI_Status& status) {
  in_flight_ = 0;  // this is the answer
  int count = 0;
  MPI_Get_count(&status, MPI_UINT64_T, &count);
  arrival_.here = true;
  arrival_.last = status.MPI_TAG == kLast;
  arrival_.count = static_cast<std::uint64_t>(count);
  arrival_.taken = 0;
}

std::span<const std::uint64_t> MessageLink::arrived() const {
  return std::span(arrival_.updates).subspan(arrival_.taken, arrival_.count - arrival_.taken);
}

void MessageLink::take(std::uint64_t count, const mpi::Communicator& messages) {
  arrival_.taken += count;
  if (arrival_.taken < arrival_.count) return;
  turn_ = true;
  asking_ = false;
  received_last_ = received_last_ || arrival_.last;
  arrival_.here = false;
  if (!is_closed()) post(messages);
}

bool MessageLink::can_send() {
  if (is_closed() || !turn_) return false;
  if (send_ != MPI_REQUEST_NULL && !is_complete(send_, MPI_STATUS_IGNORE)) return false;
  in_flight_ = 0;
  return true;
}

void MessageLink::send(Bucket& bucket, bool last, const mpi::Communicator& messages) {
  std::swap(filling_, sending_);
  MPI_Isend(sending_.data(), static_cast<int>(bucket.count), MPI_UINT64_T, link_.peer, last ? kLast : kMore,
            messages.handle(), &send_);
  turn_ = asked_ = false;
  sent_last_ = sent_last_ || last;
  in_flight_ = bucket.count;
  bucket.count = 0;
  bucket.updates = filling_.data();
}

void MessageLink::ask(const mpi::Communicator& messages) {
  MPI_Wait(&ask_, MPI_STATUS_IGNORE);  // of an earlier turn: complete since the peer answered
  MPI_Isend(nullptr, 0, MPI_UINT64_T, link_.peer, kAsk, messages.handle(), &ask_);
  asking_ = true;
}

std::uint64_t MessageLink::pending() const {
  return arrival_.here ? arrival_.count - arrival_.taken : in_flight_;
}

}  // namespace groma::randomaccess
