/* Programs that use sessions of MPI-4.
 *   sessions one | nested | across | within | self | threads
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static MPI_Session open_session(void) {
  MPI_Session session;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  return session;
}

/* A message around the ring of all processes of a set. */
static void use(MPI_Session session, const char* set, int tag) {
  MPI_Group group;
  MPI_Comm comm;
  int rank, size, out = tag, in = 0;
  MPI_Group_from_session_pset(session, set, &group);
  MPI_Comm_create_from_group(group, "groma", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  MPI_Group_free(&group);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, tag, &in, 1, MPI_INT, (rank + size - 1) % size, tag, comm,
               MPI_STATUS_IGNORE);
  if (in == tag) printf("%d of %d\n", rank, size);
  MPI_Comm_free(&comm);
}

static void use_one(const char* set, int tag) {
  MPI_Session session = open_session();
  use(session, set, tag);
  MPI_Session_finalize(&session);
}

static void* open_and_close(void* times) {
  for (int i = 0; i < *(int*)times; ++i) {
    MPI_Session session = open_session();
    MPI_Session_finalize(&session);
  }
  return times;
}
/* Within one session: MPICH 4.0 ends if a program begins one after its last. */
static void use_in_threads(int times) {
  pthread_t threads[4];
  MPI_Session outer = open_session();
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, open_and_close, &times);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  MPI_Session_finalize(&outer);
  printf("%d sessions\n", 4 * times);
}

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "one";
  const char* const set = strcmp(what, "self") == 0 ? "mpi://SELF" : "mpi://WORLD";
  if (strcmp(what, "within") == 0) MPI_Init(&argc, &argv);
  if (strcmp(what, "nested") == 0) {
    MPI_Session outer = open_session();
    MPI_Session inner = open_session();
    use(outer, set, 1);
    MPI_Session_finalize(&outer);
    use(inner, set, 2);
    MPI_Session_finalize(&inner);
    return 0;
  }
  if (strcmp(what, "across") == 0) {
    MPI_Session session = open_session();
    MPI_Init(&argc, &argv);
    use(session, set, 1);
    MPI_Session_finalize(&session);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
  }
  if (strcmp(what, "threads") == 0) {
    use_in_threads(100);
    return 0;
  }
  use_one(set, 1);
  if (strcmp(what, "within") == 0) MPI_Finalize();
  return 0;
}
