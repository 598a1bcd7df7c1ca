#include "randomaccess/specialised/messages.hpp"

#include <algorithm>

namespace groma::randomaccess {

Departures::Departures(std::uint64_t bucket, int tag, const mpi::Communicator& messages)
    : tag_(tag), messages_(messages), memory_(kAtOnce * bucket) {
  std::uint64_t* next = memory_.data();
  for (Departure& one : departures_) {
    one.updates = next;
    next += bucket;
  }
}

void Departures::poll() {
  for (Departure& one : departures_) {
    if (one.is_free()) continue;
    int done = 0;
    MPI_Test(&one.request, &done, MPI_STATUS_IGNORE);
    if (done != 0) one.count = 0;
  }
}

bool Departures::has_room() const {
  return std::ranges::any_of(departures_, &Departure::is_free);
}

void Departures::send(Bucket& bucket, int to) {
  Departure& one = *std::ranges::find_if(departures_, &Departure::is_free);
  std::swap(one.updates, bucket.updates);
  one.count = bucket.count;
  bucket.count = 0;
  MPI_Issend(one.updates, static_cast<int>(one.count), MPI_UINT64_T, to, tag_, messages_.handle(),
             &one.request);
}

bool Departures::is_empty() const {
  return std::ranges::all_of(departures_, &Departure::is_free);
}

std::uint64_t Departures::pending() const {
  std::uint64_t sum = 0;
  for (const Departure& one : departures_) sum += one.count;
  return sum;
}

Arrivals::Arrivals(std::uint64_t bucket, int tag, int senders, const mpi::Communicator& messages)
    : bucket_(bucket), tag_(tag), senders_(senders), messages_(messages), memory_(kAtOnce * bucket) {
  std::uint64_t* next = memory_.data();
  for (Arrival& one : arrivals_) {
    one.updates = next;
    next += bucket;
  }
}

void Arrivals::start() {
  for (Arrival& one : arrivals_) post(one);
}

void Arrivals::stop() {
  for (Arrival& one : arrivals_) {
    if (one.request == MPI_REQUEST_NULL) continue;
    MPI_Cancel(&one.request);
    MPI_Wait(&one.request, MPI_STATUS_IGNORE);
  }
}

void Arrivals::post(Arrival& arrival) {
  arrival.here = false;
  MPI_Irecv(arrival.updates, static_cast<int>(bucket_), MPI_UINT64_T, MPI_ANY_SOURCE, tag_,
            messages_.handle(), &arrival.request);
}

void Arrivals::poll() {
  Arrival& next = oldest();
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

std::span<const std::uint64_t> Arrivals::arrived() const {
  return {oldest().updates + oldest().taken, oldest().count - oldest().taken};
}

void Arrivals::take(std::uint64_t count) {
  oldest().taken += count;
  if (oldest().taken == oldest().count) pass();
}

/// The oldest message is dealt with.
void Arrivals::pass() {
  post(oldest());
  ++passed_;
}

}  // namespace groma::randomaccess
