// What wrappers need to know of statuses, and of the requests that a call starts or completes.
#include <algorithm>
#include <array>
#include <atomic>
#include <type_traits>

#include "trace/tracer/wrapping.hpp"

namespace groma::trace {

namespace {

/// Constants of Fortran, which are addresses. Looked up again once a library brings its Fortran.
template <std::size_t size>
class FortranConstants {
 public:
  explicit FortranConstants(std::array<const char*, size> names) : names_(names) { look_up(); }

  [[nodiscard]] bool has(const void* address) {
    if (place_ != place_of_fortran()) {
      look_up();
    }
    return address != nullptr && std::find(found_.begin(), found_.end(), address) != found_.end();
  }

 private:
  void look_up() {
    place_ = place_of_fortran();
    std::transform(names_.begin(), names_.end(), found_.begin(), find_real);
  }

  std::array<const char*, size> names_;
  std::array<std::atomic<const void*>, size> found_{};
  std::atomic<const void*> place_ = nullptr;
};

}  // namespace

bool is_ignored(const MPI_Status* status) {
  static FortranConstants<6> fortran({"mpi_fortran_status_ignore_", "mpi_fortran_status_ignore",
                                      "mpi_fortran_statuses_ignore_", "mpi_fortran_statuses_ignore",
                                      "MPIR_F08_MPI_STATUS_IGNORE_OBJ", "MPIR_F08_MPI_STATUSES_IGNORE_OBJ"});
  return status == MPI_STATUS_IGNORE || status == MPI_STATUSES_IGNORE || fortran.has(status);
}

bool has_received(int code) {
  int kind = MPI_SUCCESS;
  return REAL(PMPI_Error_class)(code, &kind) == MPI_SUCCESS &&
         (kind == MPI_ERR_TRUNCATE || kind == MPI_ERR_IN_STATUS);
}

bool fortran_in_place(const void* buffer) {
  static FortranConstants<3> constants(
      {"mpi_fortran_in_place_", "mpi_fortran_in_place", "MPIR_F08_MPI_IN_PLACE"});
  return constants.has(buffer);
}

namespace {

/// The index of the only request, which needs no communicator: a program with sessions may have none.
int index_of_first_request() {
  if constexpr (std::is_integral_v<MPI_Request>) {  // MPICH: a handle is the same in Fortran
    using Waitany = void (*)(const int*, MPI_Request*, int*, MPI_Status*, int*);
    const auto wait = reinterpret_cast<Waitany>(find_real("mpi_waitany_f08_"));
    const auto answer = [](void* /*state*/, MPI_Status* status) {
      REAL(PMPI_Status_set_elements)(status, MPI_BYTE, 0);
      REAL(PMPI_Status_set_cancelled)(status, 0);
      return MPI_SUCCESS;
    };
    const auto release = [](void* /*state*/) { return MPI_SUCCESS; };
    const auto cancel = [](void* /*state*/, int /*is_complete*/) { return MPI_SUCCESS; };
    MPI_Request request = MPI_REQUEST_NULL;
    if (wait != nullptr &&
        REAL(PMPI_Grequest_start)(answer, release, cancel, nullptr, &request) == MPI_SUCCESS) {
      REAL(PMPI_Grequest_complete)(request);
      const int number = 1;
      int index = 1;
      int code = MPI_SUCCESS;
      MPI_Status status;
      wait(&number, &request, &index, &status, &code);
      return index == 0 ? 0 : 1;
    }
  }
  return 1;
}

}  // namespace

int fortran_first_index() {
  static const int first = index_of_first_request();
  return first;
}

void StartedRequests::all() {
  for (int i = 0; i < number(); ++i) {
    if (has(i)) {
      if (Record& record = record_of(i)) {
        record.put(static_cast<std::uint64_t>(log::Completion::plain));
      }
    }
  }
  flush();
}

void CompletedRequests::use_own_statuses() {
  if (is_ignored(statuses_)) {
    MPI_Status* const own = own_.make(of_ == StatusOf::each ? static_cast<std::size_t>(number()) : 1);
    statuses_ = own != nullptr ? own : statuses_;
  }
  has_statuses_ = !is_ignored(statuses_);
}

void CompletedRequests::fail() {
  failed_ = true;
  has_statuses_ = !is_ignored(statuses_);
}

void CompletedRequests::add(int index, int status) {
  if (!has(index)) {
    return;
  }
  const bool has_error = failed_ && has_statuses_ && of_ == StatusOf::each;
  if (has_error && statuses_[status].MPI_ERROR == MPI_ERR_PENDING) {
    return;
  }
  Record& record = record_of(index);
  if (!record) {
    return;
  }
  int cancelled = 0;
  if (has_statuses_ && cancels_expected.is_set()) {
    REAL(PMPI_Test_cancelled)(&statuses_[status], &cancelled);
  }
  if (cancelled != 0) {
    record.put(static_cast<std::uint64_t>(log::Completion::cancelled));
  } else if (has_statuses_) {
    record.put(static_cast<std::uint64_t>(log::Completion::with_status));
    record.source(statuses_[status].MPI_SOURCE);
    record.tag(statuses_[status].MPI_TAG);
  } else {
    record.put(static_cast<std::uint64_t>(log::Completion::plain));
  }
}

void CompletedRequests::all() {
  for (int i = 0; i < number(); ++i) {
    add(i, i);
  }
  flush();
}

void CompletedRequests::one(int index) {
  if (number() > 0) {
    add(index, 0);
  }
  flush();
}

}  // namespace groma::trace
