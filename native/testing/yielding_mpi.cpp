// MPI calls that yield the core while they wait, linked into the tests only. Tests run more ranks than there
// are cores; where an MPI spins while it waits (MPICH), every message then costs a time slice of the
// scheduler. So each blocking call becomes its nonblocking twin, which is tested until it is done, with a
// yield in between. That happens only where ranks outnumber cores. The profiling interface (MPI 4.0, chapter
// 15) puts these functions in front of those of the library.
//
// MPI_Test does the same in watched_messages.cpp.
//
// Calls that make windows and communicators have no twin: polite_mpi.cpp is below all of them.
#include "testing/yielding_mpi.hpp"

#include <mpi.h>
#include <sched.h>

namespace {

std::uint64_t barriers = 0;

bool ranks_outnumber_cores() {
  static const bool outnumber = [] {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    int ranks = 0;
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return sched_getaffinity(0, sizeof(cores), &cores) == 0 && ranks > CPU_COUNT(&cores);
  }();
  return outnumber;
}

int wait_yielding(MPI_Request* request, MPI_Status* status) {
  for (int done = 0;;) {
    if (const int failed = PMPI_Test(request, &done, status); failed != MPI_SUCCESS || done != 0)
      return failed;
    sched_yield();
  }
}

/// `start` is the nonblocking twin of `block`.
template <class Block, class Start>
int with_yields(const Block& block, const Start& start, MPI_Status* status = MPI_STATUS_IGNORE) {
  if (!ranks_outnumber_cores()) return block();
  MPI_Request request = MPI_REQUEST_NULL;
  if (const int failed = start(&request); failed != MPI_SUCCESS) return failed;
  return wait_yielding(&request, status);
}

}  // namespace

void groma::test::yield_if_crowded() {
  if (ranks_outnumber_cores()) sched_yield();
}

std::uint64_t groma::test::blocking_barriers() {
  return barriers;
}

extern "C" {

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  return ranks_outnumber_cores() ? wait_yielding(request, status) : PMPI_Wait(request, status);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  for (int done = 0; ranks_outnumber_cores();) {
    const int failed = PMPI_Testall(count, requests, &done, statuses);
    if (failed != MPI_SUCCESS || done != 0) return failed;
    sched_yield();
  }
  return PMPI_Waitall(count, requests, statuses);
}

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return with_yields(
      [&] { return PMPI_Send(buffer, count, type, to, tag, comm); },
      [&](MPI_Request* request) { return PMPI_Isend(buffer, count, type, to, tag, comm, request); });
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
  return with_yields(
      [&] { return PMPI_Recv(buffer, count, type, from, tag, comm, status); },
      [&](MPI_Request* request) { return PMPI_Irecv(buffer, count, type, from, tag, comm, request); },
      status);
}

int MPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag, void* in,
                 int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm,
                 MPI_Status* status) {
  if (!ranks_outnumber_cores()) {
    return PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, comm,
                         status);
  }
  MPI_Request sent = MPI_REQUEST_NULL;
  MPI_Request received = MPI_REQUEST_NULL;
  PMPI_Irecv(in, in_count, in_type, from, in_tag, comm, &received);
  PMPI_Isend(out, out_count, out_type, to, out_tag, comm, &sent);
  wait_yielding(&sent, MPI_STATUS_IGNORE);
  return wait_yielding(&received, status);
}

int MPI_Barrier(MPI_Comm comm) {
  ++barriers;
  return with_yields([&] { return PMPI_Barrier(comm); },
                     [&](MPI_Request* request) { return PMPI_Ibarrier(comm, request); });
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return with_yields(
      [&] { return PMPI_Bcast(buffer, count, type, root, comm); },
      [&](MPI_Request* request) { return PMPI_Ibcast(buffer, count, type, root, comm, request); });
}

int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return with_yields(
      [&] { return PMPI_Allreduce(in, out, count, type, op, comm); },
      [&](MPI_Request* request) { return PMPI_Iallreduce(in, out, count, type, op, comm, request); });
}

int MPI_Reduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  return with_yields(
      [&] { return PMPI_Reduce(in, out, count, type, op, root, comm); },
      [&](MPI_Request* request) { return PMPI_Ireduce(in, out, count, type, op, root, comm, request); });
}

int MPI_Gather(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
               MPI_Datatype in_type, int root, MPI_Comm comm) {
  return with_yields([&] { return PMPI_Gather(out, out_count, out_type, in, in_count, in_type, root, comm); },
                     [&](MPI_Request* request) {
                       return PMPI_Igather(out, out_count, out_type, in, in_count, in_type, root, comm,
                                           request);
                     });
}

int MPI_Allgather(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                  MPI_Datatype in_type, MPI_Comm comm) {
  return with_yields([&] { return PMPI_Allgather(out, out_count, out_type, in, in_count, in_type, comm); },
                     [&](MPI_Request* request) {
                       return PMPI_Iallgather(out, out_count, out_type, in, in_count, in_type, comm, request);
                     });
}

int MPI_Alltoall(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                 MPI_Datatype in_type, MPI_Comm comm) {
  return with_yields([&] { return PMPI_Alltoall(out, out_count, out_type, in, in_count, in_type, comm); },
                     [&](MPI_Request* request) {
                       return PMPI_Ialltoall(out, out_count, out_type, in, in_count, in_type, comm, request);
                     });
}

int MPI_Alltoallv(const void* out, const int out_counts[], const int out_places[], MPI_Datatype out_type,
                  void* in, const int in_counts[], const int in_places[], MPI_Datatype in_type,
                  MPI_Comm comm) {
  return with_yields(
      [&] {
        return PMPI_Alltoallv(out, out_counts, out_places, out_type, in, in_counts, in_places, in_type, comm);
      },
      [&](MPI_Request* request) {
        return PMPI_Ialltoallv(out, out_counts, out_places, out_type, in, in_counts, in_places, in_type, comm,
                               request);
      });
}

}  // extern "C"
