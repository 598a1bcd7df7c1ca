// What wrappers need to know of statuses, and of the requests that a call completes.
#include <algorithm>
#include <iterator>
#include <type_traits>

#include "trace/tracer/wrapping.hpp"

namespace groma::trace {

bool is_ignored(const MPI_Status* status) {
  static const void* const fortran[] = {
      // NOLINT(modernize-avoid-c-arrays)
      find_real("mpi_fortran_status_ignore_"),     find_real("mpi_fortran_status_ignore"),
      find_real("mpi_fortran_statuses_ignore_"),   find_real("mpi_fortran_statuses_ignore"),
      find_real("MPIR_F08_MPI_STATUS_IGNORE_OBJ"), find_real("MPIR_F08_MPI_STATUSES_IGNORE_OBJ")};
  if (status == MPI_STATUS_IGNORE || status == MPI_STATUSES_IGNORE) {
    return true;
  }
  return std::find(std::begin(fortran), std::end(fortran), status) != std::end(fortran);
}

bool has_received(int code) {
  int kind = MPI_SUCCESS;
  return REAL(PMPI_Error_class)(code, &kind) == MPI_SUCCESS &&
         (kind == MPI_ERR_TRUNCATE || kind == MPI_ERR_IN_STATUS);
}

bool fortran_in_place(const void* buffer) {
  static const void* const constants[] = {
      find_real("mpi_fortran_in_place_"),  // NOLINT(modernize-avoid-c-arrays)
      find_real("mpi_fortran_in_place"), find_real("MPIR_F08_MPI_IN_PLACE")};
  return buffer != nullptr &&
         std::find(std::begin(constants), std::end(constants), buffer) != std::end(constants);
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

void Completions::use_own_statuses() {
  if (is_ignored(statuses_)) {
    MPI_Status* const own = own_.make(several_ ? static_cast<std::size_t>(number_) : 1);
    statuses_ = own != nullptr ? own : statuses_;
  }
  has_statuses_ = !is_ignored(statuses_);
}

void Completions::fail() {
  failed_ = true;
  has_statuses_ = !is_ignored(statuses_);
}

void Completions::add(int index, int status) {
  if (index < 0 || index >= number_ || handles_[index] == MPI_REQUEST_NULL) {
    return;
  }
  if (failed_ && has_statuses_ && several_ && statuses_[status].MPI_ERROR == MPI_ERR_PENDING) {
    return;
  }
  constexpr std::size_t longest_item = 30;
  if (record_ && record_.room() < longest_item) {
    flush();
  }
  if (!record_) {
    record_ = call_.writer().begin();
    if (!record_) {
      return;
    }
    record_.put(static_cast<std::uint64_t>(log::Head::requests));
  }
  record_.handle(bits(handles_[index]));
  int cancelled = 0;
  if (has_statuses_ && cancels_expected) {
    REAL(PMPI_Test_cancelled)(&statuses_[status], &cancelled);
  }
  if (cancelled != 0) {
    record_.put(static_cast<std::uint64_t>(log::Completion::cancelled));
  } else if (has_statuses_) {
    record_.put(static_cast<std::uint64_t>(log::Completion::with_status));
    record_.source(statuses_[status].MPI_SOURCE);
    record_.tag(statuses_[status].MPI_TAG);
  } else {
    record_.put(static_cast<std::uint64_t>(log::Completion::plain));
  }
}

void Completions::flush() {
  if (record_) {
    call_.writer().commit(record_);
    record_ = {};
  }
}

void Completions::all() {
  for (int i = 0; i < number_; ++i) {
    add(i, i);
  }
  flush();
}

void Completions::one(int index) {
  if (number_ > 0) {
    add(index, 0);
  }
  flush();
}

}  // namespace groma::trace
