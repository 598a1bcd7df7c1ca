/* Calls MPI from every family and notes what it calls. Each rank writes FOLDER/RANK.calls: a line for each call
 * ("Send"), and one for each message that it sends ("> destination tag bytes", ranks of the world).
 *   calls FOLDER [no-windows]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE* notes;
static int rank, size, right, left;

static void note(const char* name) { fprintf(notes, "%s\n", name); }
static void sent(int destination, int tag, int bytes) { fprintf(notes, "> %d %d %d\n", destination, tag, bytes); }

#define DO(name, ...) (note(#name), MPI_##name(__VA_ARGS__))

enum { N = 16 };
static int out[4096], in[4096];

static void blocking(void) {
  int (*const sends[])(const void*, int, MPI_Datatype, int, int, MPI_Comm) = {MPI_Send, MPI_Ssend, MPI_Rsend};
  static const char* const names[] = {"Send", "Ssend", "Rsend"};
  for (int i = 0; i < 3; ++i) {
    MPI_Request request;
    DO(Irecv, in, N, MPI_INT, left, i, MPI_COMM_WORLD, &request);
    DO(Barrier, MPI_COMM_WORLD); /* Rsend needs the receive to be posted */
    note(names[i]);
    sent(right, i, 4 * (i + 1));
    sends[i](out, i + 1, MPI_INT, right, i, MPI_COMM_WORLD);
    DO(Wait, &request, MPI_STATUS_IGNORE);
  }
  static char buffer[1 << 16];
  DO(Buffer_attach, buffer, sizeof buffer);
  sent(right, 7, 8);
  DO(Bsend, out, 1, MPI_DOUBLE, right, 7, MPI_COMM_WORLD);
  DO(Recv, in, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  void* back;
  int bytes;
  DO(Buffer_detach, &back, &bytes);
  sent(right, 8, 12);
  DO(Sendrecv, out, 3, MPI_INT, right, 8, in, N, MPI_INT, left, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  sent(right, 9, 16);
  DO(Sendrecv_replace, in, 4, MPI_INT, right, 9, left, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  DO(Send, out, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
  DO(Recv, in, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void immediate(void) {
  MPI_Request requests[6];
  MPI_Status statuses[6];
  int index, number, indices[6], flag = 0;
  /* Completed in the reverse of the order in which they were posted. */
  DO(Irecv, in, N, MPI_INT, left, 20, MPI_COMM_WORLD, &requests[0]);
  DO(Irecv, in + 64, N, MPI_INT, left, 20, MPI_COMM_WORLD, &requests[1]);
  sent(right, 20, 4);
  DO(Isend, out, 1, MPI_INT, right, 20, MPI_COMM_WORLD, &requests[2]);
  sent(right, 20, 8);
  DO(Issend, out, 2, MPI_INT, right, 20, MPI_COMM_WORLD, &requests[3]);
  DO(Wait, &requests[1], MPI_STATUS_IGNORE);
  DO(Wait, &requests[0], &statuses[0]);
  DO(Waitall, 2, &requests[2], MPI_STATUSES_IGNORE);

  /* Without a source, without a tag, and one that names both. */
  DO(Irecv, in, N, MPI_INT, MPI_ANY_SOURCE, 21, MPI_COMM_WORLD, &requests[0]);
  DO(Irecv, in + 64, N, MPI_INT, left, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
  DO(Irecv, in + 128, N, MPI_INT, left, 21, MPI_COMM_WORLD, &requests[2]);
  for (int i = 0; i < 3; ++i) {
    sent(right, 21, 4 * (i + 1));
    DO(Isend, out, i + 1, MPI_INT, right, 21, MPI_COMM_WORLD, &requests[3 + i]);
  }
  DO(Waitany, 6, requests, &index, MPI_STATUS_IGNORE);
  DO(Waitsome, 6, requests, &number, indices, MPI_STATUSES_IGNORE);
  DO(Waitall, 6, requests, MPI_STATUSES_IGNORE);

  DO(Irecv, in, N, MPI_INT, left, 22, MPI_COMM_WORLD, &requests[0]);
  sent(right, 22, 20);
  DO(Isend, out, 5, MPI_INT, right, 22, MPI_COMM_WORLD, &requests[1]);
  while (!flag) DO(Testall, 2, requests, &flag, MPI_STATUSES_IGNORE);
  DO(Irecv, in, N, MPI_INT, left, 23, MPI_COMM_WORLD, &requests[0]);
  sent(right, 23, 24);
  DO(Isend, out, 6, MPI_INT, right, 23, MPI_COMM_WORLD, &requests[1]);
  for (flag = 0; !flag;) DO(Test, &requests[0], &flag, MPI_STATUS_IGNORE);
  for (flag = 0; !flag;) DO(Testany, 1, &requests[1], &index, &flag, MPI_STATUS_IGNORE);
  DO(Irecv, in, N, MPI_INT, left, 24, MPI_COMM_WORLD, &requests[0]);
  sent(right, 24, 28);
  DO(Isend, out, 7, MPI_INT, right, 24, MPI_COMM_WORLD, &requests[1]);
  for (int done = 0; done < 2;) {
    DO(Testsome, 2, requests, &number, indices, MPI_STATUSES_IGNORE);
    done += number > 0 ? number : 0;
  }
  /* A receive that is cancelled gets nothing. */
  DO(Irecv, in, N, MPI_INT, left, 25, MPI_COMM_WORLD, &requests[0]);
  DO(Cancel, &requests[0]);
  DO(Wait, &requests[0], &statuses[0]);
  DO(Barrier, MPI_COMM_WORLD);
  DO(Irecv, in, N, MPI_INT, left, 25, MPI_COMM_WORLD, &requests[0]);
  sent(right, 25, 32);
  DO(Isend, out, 8, MPI_INT, right, 25, MPI_COMM_WORLD, &requests[1]);
  DO(Waitall, 2, requests, MPI_STATUSES_IGNORE);
  DO(Isend, out, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]);
  DO(Request_free, &requests[0]);
}

static void persistent(void) {
  MPI_Request requests[2];
  DO(Recv_init, in, N, MPI_INT, left, 30, MPI_COMM_WORLD, &requests[0]);
  DO(Send_init, out, 2, MPI_INT, right, 30, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 3; ++i) {
    DO(Start, &requests[0]);
    sent(right, 30, 8);
    DO(Start, &requests[1]);
    DO(Waitall, 2, requests, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 2; ++i) {
    sent(right, 30, 8);
    DO(Startall, 2, requests);
    DO(Waitall, 2, requests, MPI_STATUSES_IGNORE);
  }
  DO(Request_free, &requests[0]);
  DO(Request_free, &requests[1]);
}

static void probes(void) {
  MPI_Status status;
  MPI_Message message;
  MPI_Request request;
  int flag = 0;
  for (int tag = 40; tag < 44; ++tag) {
    sent(right, tag, 4);
    DO(Isend, out, 1, MPI_INT, right, tag, MPI_COMM_WORLD, &request);
    if (tag == 40) {
      DO(Probe, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
      DO(Recv, in, N, MPI_INT, status.MPI_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (tag == 41) {
      for (flag = 0; !flag;) DO(Iprobe, left, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
      DO(Recv, in, N, MPI_INT, left, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    } else if (tag == 42) {
      DO(Mprobe, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
      DO(Mrecv, in, N, MPI_INT, &message, MPI_STATUS_IGNORE);
    } else {
      MPI_Request received;
      for (flag = 0; !flag;) DO(Improbe, left, tag, MPI_COMM_WORLD, &flag, &message, &status);
      DO(Imrecv, in, N, MPI_INT, &message, &received);
      DO(Wait, &received, MPI_STATUS_IGNORE);
    }
    DO(Wait, &request, MPI_STATUS_IGNORE);
  }
}

static void collectives(MPI_Comm comm) {
  int counts[64], offsets[64];
  MPI_Datatype types[64];
  MPI_Request request;
  for (int i = 0; i < 64; ++i) counts[i] = 1, offsets[i] = i, types[i] = MPI_INT;
  int bytes[64];
  for (int i = 0; i < 64; ++i) bytes[i] = 4 * i;
  DO(Barrier, comm);
  DO(Bcast, in, 4, MPI_INT, 0, comm);
  DO(Reduce, out, in, 4, MPI_INT, MPI_SUM, 0, comm);
  DO(Allreduce, MPI_IN_PLACE, in, 4, MPI_INT, MPI_SUM, comm);
  DO(Alltoall, out, 1, MPI_INT, in, 1, MPI_INT, comm);
  DO(Alltoallv, out, counts, offsets, MPI_INT, in, counts, offsets, MPI_INT, comm);
  DO(Alltoallw, out, counts, bytes, types, in, counts, bytes, types, comm);
  DO(Gather, out, 1, MPI_INT, in, 1, MPI_INT, 0, comm);
  DO(Gatherv, out, 1, MPI_INT, in, counts, offsets, MPI_INT, 0, comm);
  DO(Scatter, out, 1, MPI_INT, in, 1, MPI_INT, 0, comm);
  DO(Scatterv, out, counts, offsets, MPI_INT, in, 1, MPI_INT, 0, comm);
  DO(Allgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 1, MPI_INT, comm);
  DO(Allgatherv, out, 1, MPI_INT, in, counts, offsets, MPI_INT, comm);
  DO(Scan, out, in, 1, MPI_INT, MPI_SUM, comm);
  DO(Exscan, out, in, 1, MPI_INT, MPI_SUM, comm);
  DO(Reduce_scatter, out, in, counts, MPI_INT, MPI_SUM, comm);
  DO(Reduce_scatter_block, out, in, 1, MPI_INT, MPI_SUM, comm);
#define LATER(name, ...) (DO(name, __VA_ARGS__, &request), DO(Wait, &request, MPI_STATUS_IGNORE))
  LATER(Ibarrier, comm);
  LATER(Ibcast, in, 4, MPI_INT, 0, comm);
  LATER(Ireduce, out, in, 4, MPI_INT, MPI_SUM, 0, comm);
  LATER(Iallreduce, out, in, 4, MPI_INT, MPI_SUM, comm);
  LATER(Ialltoall, out, 1, MPI_INT, in, 1, MPI_INT, comm);
  LATER(Ialltoallv, out, counts, offsets, MPI_INT, in, counts, offsets, MPI_INT, comm);
  LATER(Ialltoallw, out, counts, bytes, types, in, counts, bytes, types, comm);
  LATER(Igather, out, 1, MPI_INT, in, 1, MPI_INT, 0, comm);
  LATER(Igatherv, out, 1, MPI_INT, in, counts, offsets, MPI_INT, 0, comm);
  LATER(Iscatter, out, 1, MPI_INT, in, 1, MPI_INT, 0, comm);
  LATER(Iscatterv, out, counts, offsets, MPI_INT, in, 1, MPI_INT, 0, comm);
  LATER(Iallgather, out, 1, MPI_INT, in, 1, MPI_INT, comm);
  LATER(Iallgatherv, out, 1, MPI_INT, in, counts, offsets, MPI_INT, comm);
  LATER(Iscan, out, in, 1, MPI_INT, MPI_SUM, comm);
  LATER(Iexscan, out, in, 1, MPI_INT, MPI_SUM, comm);
  LATER(Ireduce_scatter, out, in, counts, MPI_INT, MPI_SUM, comm);
  LATER(Ireduce_scatter_block, out, in, 1, MPI_INT, MPI_SUM, comm);
}

static void neighbours(MPI_Comm ring) {
  int counts[2] = {1, 1}, offsets[2] = {0, 1};
  MPI_Aint bytes[2] = {0, 4};
  MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  MPI_Request request;
  DO(Neighbor_allgather, out, 1, MPI_INT, in, 1, MPI_INT, ring);
  DO(Neighbor_allgatherv, out, 1, MPI_INT, in, counts, offsets, MPI_INT, ring);
  DO(Neighbor_alltoall, out, 1, MPI_INT, in, 1, MPI_INT, ring);
  DO(Neighbor_alltoallv, out, counts, offsets, MPI_INT, in, counts, offsets, MPI_INT, ring);
  DO(Neighbor_alltoallw, out, counts, bytes, types, in, counts, bytes, types, ring);
  LATER(Ineighbor_allgather, out, 1, MPI_INT, in, 1, MPI_INT, ring);
  LATER(Ineighbor_allgatherv, out, 1, MPI_INT, in, counts, offsets, MPI_INT, ring);
  LATER(Ineighbor_alltoall, out, 1, MPI_INT, in, 1, MPI_INT, ring);
  LATER(Ineighbor_alltoallv, out, counts, offsets, MPI_INT, in, counts, offsets, MPI_INT, ring);
  LATER(Ineighbor_alltoallw, out, counts, bytes, types, in, counts, bytes, types, ring);
}

static void communicators(void) {
  MPI_Comm copy, half, ring, row, group_comm, node, inter, merged, graph, adjacent, later;
  MPI_Group world;
  MPI_Request request;
  int result, coordinates[1], peer, other;
  DO(Comm_rank, MPI_COMM_WORLD, &result);
  DO(Comm_size, MPI_COMM_WORLD, &result);
  DO(Comm_dup, MPI_COMM_WORLD, &copy);
  /* A ring on a communicator in the reverse order of the world. */
  DO(Comm_split, MPI_COMM_WORLD, 0, size - rank, &half);
  sent(right, 50, 4);
  DO(Sendrecv, out, 1, MPI_INT, size - 1 - right, 50, in, 1, MPI_INT, size - 1 - left, 50, half, MPI_STATUS_IGNORE);
  DO(Comm_compare, copy, half, &result);
  DO(Comm_free, &half);
  DO(Comm_split, MPI_COMM_WORLD, rank % 2, rank, &half);
  collectives(half);
  DO(Comm_idup, half, &later, &request);
  DO(Wait, &request, MPI_STATUS_IGNORE);
  DO(Barrier, later);
  DO(Comm_free, &later);
  DO(Comm_split_type, MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  DO(Comm_free, &node);
  DO(Comm_group, MPI_COMM_WORLD, &world);
  DO(Comm_create, MPI_COMM_WORLD, world, &group_comm);
  DO(Comm_free, &group_comm);
  DO(Comm_create_group, MPI_COMM_WORLD, world, 3, &group_comm);
  DO(Comm_free, &group_comm);
  MPI_Group_free(&world);
  int dims[1] = {0}, periods[1] = {1}, keep[1] = {1};
  DO(Dims_create, size, 1, dims);
  DO(Cart_create, MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
  DO(Cart_coords, ring, rank, 1, coordinates);
  DO(Cart_rank, ring, coordinates, &peer);
  DO(Cart_shift, ring, 0, 1, &peer, &other);
  DO(Cart_sub, ring, keep, &row);
  neighbours(ring);
  DO(Topo_test, ring, &result);
  DO(Comm_free, &row);
  DO(Comm_free, &ring);
  int degree[1] = {1}, target[1] = {right}, source[1] = {left};
  DO(Dist_graph_create, MPI_COMM_WORLD, 1, &rank, degree, target, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  DO(Comm_free, &graph);
  DO(Dist_graph_create_adjacent, MPI_COMM_WORLD, 1, source, MPI_UNWEIGHTED, 1, target, MPI_UNWEIGHTED, MPI_INFO_NULL,
     0, &adjacent);
  LATER(Ineighbor_allgather, out, 1, MPI_INT, in, 1, MPI_INT, adjacent);
  DO(Comm_free, &adjacent);
  if (size > 1) {
    DO(Intercomm_create, half, 0, MPI_COMM_WORLD, rank % 2 == 0 ? 1 : 0, 60, &inter);
    DO(Comm_remote_size, inter, &result);
    if (rank / 2 < result && (rank % 2 == 0 ? rank + 1 < size : 1)) {
      const int partner = rank % 2 == 0 ? rank + 1 : rank - 1;
      sent(partner, 61, 4);
      DO(Sendrecv, out, 1, MPI_INT, partner / 2, 61, in, 1, MPI_INT, partner / 2, 61, inter, MPI_STATUS_IGNORE);
    }
    DO(Barrier, inter);
    DO(Intercomm_merge, inter, rank % 2, &merged);
    DO(Comm_free, &merged);
    DO(Comm_free, &inter);
  }
  DO(Comm_free, &half);
  DO(Comm_free, &copy);
}

static void one_sided(void) {
  MPI_Win window;
  MPI_Group world, to, from;
  MPI_Request request;
  static int memory[256], result[8];
  DO(Win_create, memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  DO(Win_fence, 0, window);
  DO(Put, out, 2, MPI_INT, right, 0, 2, MPI_INT, window);
  DO(Get, result, 3, MPI_INT, right, 4, 3, MPI_INT, window);
  DO(Accumulate, out, 1, MPI_INT, right, 8, 1, MPI_INT, MPI_SUM, window);
  DO(Win_fence, 0, window);
  DO(Win_lock, MPI_LOCK_SHARED, right, 0, window);
  DO(Get_accumulate, out, 1, MPI_INT, result, 1, MPI_INT, right, 0, 1, MPI_INT, MPI_SUM, window);
  DO(Fetch_and_op, out, result, MPI_INT, right, 0, MPI_SUM, window);
  DO(Compare_and_swap, out, in, result, MPI_INT, right, 0, window);
  DO(Win_flush, right, window);
  DO(Win_unlock, right, window);
  DO(Win_lock_all, 0, window);
  DO(Rput, out, 1, MPI_INT, right, 0, 1, MPI_INT, window, &request);
  DO(Wait, &request, MPI_STATUS_IGNORE);
  DO(Win_flush_all, window);
  DO(Win_sync, window);
  DO(Win_unlock_all, window);
  DO(Comm_group, MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &right, &to);
  MPI_Group_incl(world, 1, &left, &from);
  DO(Win_post, from, 0, window);
  DO(Win_start, to, 0, window);
  DO(Put, out, 1, MPI_INT, right, 0, 1, MPI_INT, window);
  DO(Win_complete, window);
  DO(Win_wait, window);
  MPI_Group_free(&world);
  MPI_Group_free(&to);
  MPI_Group_free(&from);
  DO(Win_free, &window);
}

static void files(const char* folder) {
  char path[4096];
  MPI_File file;
  MPI_Request request;
  snprintf(path, sizeof path, "%s/data", folder);
  DO(File_open, MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  DO(File_write_at, file, 64 * rank, out, 4, MPI_INT, MPI_STATUS_IGNORE);
  DO(File_write_at_all, file, 64 * rank, out, 4, MPI_INT, MPI_STATUS_IGNORE);
  DO(File_read_at, file, 64 * rank, in, 4, MPI_INT, MPI_STATUS_IGNORE);
  DO(File_iread_at, file, 64 * rank, in, 4, MPI_INT, &request);
  DO(Wait, &request, MPI_STATUS_IGNORE);
  DO(File_seek, file, 0, MPI_SEEK_SET);
  DO(File_read_all, file, in, 2, MPI_INT, MPI_STATUS_IGNORE);
  DO(File_sync, file);
  DO(File_close, &file);
}

#if MPI_VERSION >= 4
static void version_4(void) {
  MPI_Request requests[2];
  sent(right, 70, 4);
  DO(Sendrecv_c, out, 1, MPI_INT, right, 70, in, N, MPI_INT, left, 70, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  DO(Bcast_c, in, 4, MPI_INT, 0, MPI_COMM_WORLD);
  DO(Allreduce_init, out, in, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  DO(Start, &requests[0]);
  DO(Wait, &requests[0], MPI_STATUS_IGNORE);
  DO(Request_free, &requests[0]);
  sent(right, 71, 8);
  DO(Isendrecv, out, 2, MPI_INT, right, 71, in, N, MPI_INT, left, 71, MPI_COMM_WORLD, &requests[0]);
  DO(Wait, &requests[0], MPI_STATUS_IGNORE);
  DO(Precv_init, in, 2, 4, MPI_INT, left, 72, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  DO(Psend_init, out, 2, 4, MPI_INT, right, 72, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  sent(right, 72, 32);
  DO(Startall, 2, requests);
  DO(Pready, 0, requests[1]);
  DO(Pready, 1, requests[1]);
  DO(Waitall, 2, requests, MPI_STATUSES_IGNORE);
  DO(Request_free, &requests[0]);
  DO(Request_free, &requests[1]);
}
#endif

/* The first process that ends with a code other than 0 makes the launcher end the others. */
static void wait_for_others(const char* folder) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%d.done", folder, rank);
  fclose(fopen(path, "w"));
  for (int other = 0, tries = 0; other < size && tries < 60000; ++tries) {
    snprintf(path, sizeof path, "%s/%d.done", folder, other);
    if (access(path, F_OK) == 0) {
      ++other;
    } else {
      usleep(1000);
    }
  }
}

int main(int argc, char** argv) {
  char path[4096];
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  /* The tracer sees these two, as it saw the one above. */
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  right = (rank + 1) % size;
  left = (rank + size - 1) % size;
  snprintf(path, sizeof path, "%s/%d.calls", argv[1], rank);
  notes = fopen(path, "w");
  note("Init_thread");
  note("Comm_rank");
  note("Comm_size");
  blocking();
  immediate();
  persistent();
  probes();
  collectives(MPI_COMM_WORLD);
  communicators();
  if (size > 1 && argc == 2) one_sided(); /* Open MPI 4.1 makes no window for one process everywhere */
  files(argv[1]);
#if MPI_VERSION >= 4
  version_4();
#endif
  note("Finalize");
  fclose(notes);
  printf("rank %d of %d\n", rank, size);
  MPI_Finalize();
  wait_for_others(argv[1]);
  return 3;
}
