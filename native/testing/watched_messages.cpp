#include "testing/watched_messages.hpp"

#include <map>
#include <utility>
#include <vector>

#include "testing/yielding_mpi.hpp"

namespace groma::test {
namespace {

struct PostedReceive {
  std::uint64_t* updates;
  bool came = false;
  std::uint64_t unseen = 0;  ///< polls that are left
  MPI_Status status = {};
};

struct Watch {
  MessageHooks hooks;
  std::map<MPI_Request*, PostedReceive> posted;  ///< receives, by where their requests are
  std::map<MPI_Request*, std::vector<std::uint64_t>> sending;
};

Watch* watch = nullptr;

bool carries_updates(MPI_Datatype type) {
  return watch != nullptr && type == MPI_UINT64_T;
}

int count_of(const MPI_Status& status) {
  int count = 0;
  PMPI_Get_count(&status, MPI_UINT64_T, &count);
  return count;
}

/// A receive that is complete is shown when its delay is over.
void show(MPI_Request* request, int* done, MPI_Status* status) {
  PostedReceive& receive = watch->posted.at(request);
  *done = static_cast<int>(receive.unseen == 0);
  if (receive.unseen != 0) {
    --receive.unseen;
    return;
  }
  if (status != MPI_STATUS_IGNORE) *status = receive.status;
  watch->hooks.arrived({receive.updates, static_cast<std::size_t>(count_of(receive.status))},
                       receive.status.MPI_SOURCE);
  watch->posted.erase(request);
  *request = MPI_REQUEST_NULL;
}

int test_send(MPI_Request* request, int* done, MPI_Status* status) {
  const int failed = PMPI_Test(request, done, status);
  if (failed != MPI_SUCCESS || *done == 0) return failed;
  const auto sending = watch->sending.extract(request);
  watch->hooks.sent(sending.mapped());
  return MPI_SUCCESS;
}

int test_receive(MPI_Request* request, int* done, MPI_Status* status) {
  PostedReceive& receive = watch->posted.at(request);
  if (!receive.came) {
    MPI_Request own = *request;
    int came = 0;
    const int failed = PMPI_Test(&own, &came, &receive.status);
    *done = 0;
    if (failed != MPI_SUCCESS || came == 0) return failed;
    receive.came = true;
    receive.unseen = watch->hooks.delay(receive.status.MPI_SOURCE);
  }
  show(request, done, status);
  return MPI_SUCCESS;
}

/// By what is known of the request.
int test(MPI_Request* request, int* done, MPI_Status* status) {
  if (watch != nullptr && watch->posted.contains(request)) return test_receive(request, done, status);
  if (watch != nullptr && watch->sending.contains(request)) return test_send(request, done, status);
  return PMPI_Test(request, done, status);
}

}  // namespace

WatchedMessages::WatchedMessages(MessageHooks hooks) {
  watch = new Watch{std::move(hooks), {}, {}};
}
WatchedMessages::~WatchedMessages() {
  delete std::exchange(watch, nullptr);
}

}  // namespace groma::test

namespace {

using groma::test::carries_updates;
using groma::test::watch;

template <class Send>
int send_watched(const void* buffer, int count, MPI_Datatype type, MPI_Request* request, const Send& send) {
  if (carries_updates(type) && count > 0) {
    auto* updates = static_cast<std::uint64_t*>(const_cast<void*>(buffer));
    watch->hooks.leaving({updates, static_cast<std::size_t>(count)});
    watch->sending[request].assign(updates, updates + count);
  }
  return send();
}

}  // namespace

extern "C" {

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return send_watched(buffer, count, type, request,
                      [&] { return PMPI_Isend(buffer, count, type, to, tag, comm, request); });
}

int MPI_Issend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return send_watched(buffer, count, type, request,
                      [&] { return PMPI_Issend(buffer, count, type, to, tag, comm, request); });
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  const int failed = PMPI_Irecv(buffer, count, type, from, tag, comm, request);
  if (carries_updates(type)) watch->posted[request] = {static_cast<std::uint64_t*>(buffer)};
  return failed;
}

int MPI_Cancel(MPI_Request* request) {
  if (watch != nullptr) watch->posted.erase(request);
  return PMPI_Cancel(request);
}

int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  const int failed = groma::test::test(request, done, status);
  if (failed == MPI_SUCCESS && *done == 0) groma::test::yield_if_crowded();
  return failed;
}

}  // extern "C"
