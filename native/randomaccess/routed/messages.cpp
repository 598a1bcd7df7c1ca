#include "randomaccess/routed/messages.hpp"

#include <algorithm>

namespace groma::randomaccess {

SendBuffers::SendBuffers(std::uint64_t bucket, int tag, const mpi::Communicator& messages)
    : tag_(tag), messages_(messages), memory_(kUnderWay * bucket) {
  std::uint64_t* next = memory_.data();
  for (SendBuffer& one : sends_) {
    one.updates = next;
    next += bucket;
  }
}

void SendBuffers::poll() {
  for (SendBuffer& one : sends_) {
    if (one.is_free()) continue;
    int done = 0;
    MPI_Test(&one.request, &done, MPI_STATUS_IGNORE);
    if (done != 0) one.count = 0;
  }
}

bool SendBuffers::has_room() const {
  return std::ranges::any_of(sends_, &SendBuffer::is_free);
}

void SendBuffers::send(Bucket& bucket, int to) {
  SendBuffer& one = *std::ranges::find_if(sends_, &SendBuffer::is_free);
  std::swap(one.updates, bucket.updates);
  one.count = bucket.count;
  bucket.count = 0;
  MPI_Issend(one.updates, static_cast<int>(one.count), MPI_UINT64_T, to, tag_, messages_.handle(),
             &one.request);
}

bool SendBuffers::is_empty() const {
  return std::ranges::all_of(sends_, &SendBuffer::is_free);
}

std::uint64_t SendBuffers::pending() const {
  std::uint64_t sum = 0;
  for (const SendBuffer& one : sends_) sum += one.count;
  return sum;
}

ReceiveBuffers::ReceiveBuffers(std::uint64_t bucket, std::uint64_t posted, int tag, int senders,
                               const mpi::Communicator& messages)
    : bucket_(bucket),
      tag_(tag),
      senders_(senders),
      messages_(messages),
      memory_(posted * bucket),
      receives_(posted) {
  std::uint64_t* next = memory_.data();
  for (ReceiveBuffer& one : receives_) {
    one.updates = next;
    next += bucket;
  }
}

void ReceiveBuffers::start() {
  for (ReceiveBuffer& one : receives_) post(one);
}

void ReceiveBuffers::stop() {
  for (ReceiveBuffer& one : receives_) {
    if (one.request == MPI_REQUEST_NULL) continue;
    MPI_Cancel(&one.request);
    MPI_Wait(&one.request, MPI_STATUS_IGNORE);
  }
}

void ReceiveBuffers::post(ReceiveBuffer& arrival) {
  arrival.here = false;
  MPI_Irecv(arrival.updates, static_cast<int>(bucket_), MPI_UINT64_T, MPI_ANY_SOURCE, tag_,
            messages_.handle(), &arrival.request);
}

void ReceiveBuffers::poll() {
  ReceiveBuffer& next = oldest();
  if (next.here || next.request == MPI_REQUEST_NULL) return;
  int done = 0;
  MPI_Status status;
  MPI_Test(&next.request, &done, &status);
  if (done == 0) return;
  int count = 0;
  MPI_Get_count(&status, MPI_UINT64_T, &count);
  next.here = true;
  next.count = static_cast<std::uint64_t>(count);
  next.taken = 0;
  if (count == 0) {
    ++ended_;
    pass();
  }
}

std::span<const std::uint64_t> ReceiveBuffers::arrived() const {
  return {oldest().updates + oldest().taken, oldest().count - oldest().taken};
}

void ReceiveBuffers::take(std::uint64_t count) {
  oldest().taken += count;
  if (oldest().taken == oldest().count) pass();
}

/// The oldest message is dealt with.
void ReceiveBuffers::pass() {
  post(oldest());
  ++passed_;
}

}  // namespace groma::randomaccess
