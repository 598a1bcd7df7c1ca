// A library for LD_PRELOAD that plants one fault into a program under test: in what BLAS, FFTW or MPI
// deliver, or in its memory. tests/integration/test_faults.py runs groma-hpcc with it and expects that the
// validation fails.
//
// GROMA_FAULT: "CALL KIND FIRST COUNT": the calls [FIRST, FIRST + COUNT) of a process are spoilt, from 1.
// GROMA_FAULT_RANK: on this rank only.
// GROMA_FAULT_LEAST: calls that deliver fewer bytes do not count.
// GROMA_FAULT_BLOCK: which block of memory, in the order in which they were mapped, from 0.
// GROMA_FAULT_NODES: if set, every rank seems to be on a node of its own.
// GROMA_FAULT_LOG: a file that every process adds a line to: rank, calls that counted, faults planted.
//
// CALL is dgemm, dtrsm, fft, send, receive, reduce, or memory (a word of a block, as a barrier begins). KIND
// is flip (a bit of one word), nan (one word), garbage (all of it), drop (nothing is delivered), or none.
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <limits>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::uint64_t number_in(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// -1 before MPI_Init.
int my_rank() {
  int begun = 0;
  PMPI_Initialized(&begun);
  int rank = -1;
  if (begun != 0) PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// The fault that was asked for, and what became of it.
class Fault {
 public:
  static Fault& here() {
    static Fault only;
    return only;
  }

  [[nodiscard]] const std::string& kind() const { return kind_; }

  /// Whether this call, which delivers so many bytes, is to be spoilt.
  bool strikes(const char* call, std::uint64_t bytes) {
    if (call != call_ || bytes < least_) return false;
    if (rank_ < 0) rank_ = my_rank();
    const std::uint64_t number = ++calls_;
    const bool chosen = only_rank_ == kEvery || only_rank_ == static_cast<std::uint64_t>(rank_);
    const bool strikes = chosen && kind_ != "none" && number >= first_ && number - first_ < count_;
    planted_ += strikes ? 1 : 0;
    return strikes;
  }

  /// Adds a line to the log: while MPI runs, because a launcher may kill the others once one rank has failed.
  void log_calls() {
    if (rank_ < 0) rank_ = my_rank();
    const char* name = std::getenv("GROMA_FAULT_LOG");
    if (name == nullptr) return;
    const int file = open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    std::array<char, 80> line{};
    const int length =
        std::snprintf(line.data(), line.size(), "%d %llu %llu\n", rank_,
                      static_cast<unsigned long long>(calls_), static_cast<unsigned long long>(planted_));
    if (write(file, line.data(), static_cast<std::size_t>(length)) != length) std::perror(name);
    close(file);
  }

  /// One word or all of what was delivered.
  void spoil(void* data, std::uint64_t bytes) {
    auto* const words = static_cast<unsigned char*>(data);
    const std::uint64_t middle = bytes / sizeof(std::uint64_t) / 2 * sizeof(std::uint64_t);
    if (kind_ == "garbage") {
      for (std::uint64_t at = 0; at + sizeof(double) <= bytes; at += sizeof(double))
        put(words + at, garbage());
    } else if (bytes < sizeof(double)) {
      words[bytes / 2] ^= 1U;
    } else if (kind_ == "nan") {
      put(words + middle, std::numeric_limits<double>::quiet_NaN());
    } else {
      // Bit 40: a digit of a number, and of a random word no part of the place that it belongs to.
      words[middle + 5] ^= 1U;
    }
  }

 private:
  static constexpr std::uint64_t kEvery = std::numeric_limits<std::uint64_t>::max();

  Fault() : only_rank_(number_in("GROMA_FAULT_RANK", kEvery)), least_(number_in("GROMA_FAULT_LEAST", 1)) {
    const char* text = std::getenv("GROMA_FAULT");
    std::istringstream(text == nullptr ? "" : text) >> call_ >> kind_ >> first_ >> count_;
  }

  static void put(void* at, double value) { std::memcpy(at, &value, sizeof(value)); }

  /// In [-1, 1).
  double garbage() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(static_cast<std::int64_t>(state_)) * 0x1p-63;
  }

  std::string call_;
  std::string kind_;
  std::uint64_t first_ = 1;
  std::uint64_t count_ = 1;
  std::uint64_t only_rank_;
  std::uint64_t least_;
  int rank_ = -1;
  std::uint64_t calls_ = 0;
  std::uint64_t planted_ = 0;
  std::uint64_t state_ = 1;
};

/// The function that the program would have called.
template <class F>
F* next(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

/// A call that delivers `rows` x `columns` numbers, `stride` apart, by `call`.
template <class Call>
void deliver(const char* name, double* data, std::int64_t rows, std::int64_t columns, std::int64_t stride,
             const Call& call) {
  Fault& fault = Fault::here();
  const auto bytes = static_cast<std::uint64_t>(rows * columns) * sizeof(double);
  const bool strikes = fault.strikes(name, bytes);
  if (!strikes || fault.kind() != "drop") call();
  if (!strikes || fault.kind() == "drop") return;
  if (fault.kind() == "garbage") {
    for (std::int64_t j = 0; j < columns; ++j)
      fault.spoil(data + j * stride, static_cast<std::uint64_t>(rows) * sizeof(double));
  } else {
    fault.spoil(data + columns / 2 * stride + rows / 2, sizeof(double));
  }
}

std::uint64_t bytes_of(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size);
}

/// Memory for a message on its way: no program under test has as many at once.
unsigned char* lasting(std::uint64_t bytes) {
  constexpr std::size_t kMost = 64;
  static std::deque<std::vector<unsigned char>> latest;
  if (latest.size() == kMost) latest.pop_front();
  return latest.emplace_back(bytes).data();
}

/// What is sent instead of `data`.
const void* sent(const void* data, int count, MPI_Datatype type) {
  const std::uint64_t bytes = bytes_of(count, type);
  if (!Fault::here().strikes("send", bytes)) return data;
  unsigned char* const copy = lasting(bytes);
  std::memcpy(copy, data, bytes);
  Fault::here().spoil(copy, bytes);
  return copy;
}

/// Where it arrives instead of at `data`.
void* received(void* data, int count, MPI_Datatype type) {
  const std::uint64_t bytes = bytes_of(count, type);
  return Fault::here().strikes("receive", bytes) ? lasting(bytes) : data;
}

/// Memory that the program works on.
class Blocks {
 public:
  static Blocks& here() {
    static Blocks only;
    return only;
  }
  void add(void* start) {
    const std::lock_guard lock(mutex_);
    if (std::find(starts_.begin(), starts_.end(), start) == starts_.end()) starts_.push_back(start);
  }
  void remove(const void* start, std::size_t length) {
    const std::lock_guard lock(mutex_);
    const auto* const from = static_cast<const unsigned char*>(start);
    std::erase_if(starts_, [&](void* one) { return one >= from && one < from + length; });
  }
  /// A word near the start of one block, where even small matrices have something.
  void strike() {
    const std::lock_guard lock(mutex_);
    const std::uint64_t which = number_in("GROMA_FAULT_BLOCK", 0);
    if (which >= starts_.size() || !Fault::here().strikes("memory", sizeof(double))) return;
    constexpr std::size_t kWord = 9;
    Fault::here().spoil(static_cast<double*>(starts_[which]) + kWord, sizeof(double));
  }

 private:
  std::mutex mutex_;
  std::vector<void*> starts_;
};

}  // namespace

#define GROMA_NAME_OF(function) GROMA_TEXT_OF(function)
#define GROMA_TEXT_OF(text) #text

#pragma GCC visibility push(default)
extern "C" {

// Sizes have 32 or 64 bits, as the library was built: registers and stack slots have 64 either way, and what
// is used here is the lower half.
using Size = std::int64_t;

void cblas_dgemm(int order, int a_form, int b_form, Size m, Size n, Size k, double alpha, const double* a,
                 Size lda, const double* b, Size ldb, double beta, double* c, Size ldc) {
  static auto* const multiply = next<decltype(cblas_dgemm)>(GROMA_NAME_OF(cblas_dgemm));
  deliver("dgemm", c, static_cast<int>(m), static_cast<int>(n), static_cast<int>(ldc),
          [&] { multiply(order, a_form, b_form, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc); });
}

void cblas_dtrsm(int order, int side, int triangle, int form, int diagonal, Size m, Size n, double alpha,
                 const double* a, Size lda, double* b, Size ldb) {
  static auto* const solve = next<decltype(cblas_dtrsm)>(GROMA_NAME_OF(cblas_dtrsm));
  deliver("dtrsm", b, static_cast<int>(m), static_cast<int>(n), static_cast<int>(ldb),
          [&] { solve(order, side, triangle, form, diagonal, m, n, alpha, a, lda, b, ldb); });
}

/// Its length is the plan's secret; two numbers are in every transform.
void fftw_execute_dft(void* plan, double* in, double* out) {
  static auto* const transform = next<decltype(fftw_execute_dft)>("fftw_execute_dft");
  deliver("fft", out, 2, 1, 2, [&] { transform(plan, in, out); });
}

int madvise(void* start, std::size_t length, int advice) noexcept {
  static auto* const advise = next<int(void*, std::size_t, int)>("madvise");
  if (advice == MADV_HUGEPAGE || advice == MADV_NOHUGEPAGE) Blocks::here().add(start);
  return advise(start, length, advice);
}

int munmap(void* start, std::size_t length) noexcept {
  static auto* const unmap = next<int(void*, std::size_t)>("munmap");
  Blocks::here().remove(start, length);
  return unmap(start, length);
}

int MPI_Finalize() {
  Fault::here().log_calls();
  return PMPI_Finalize();
}

int MPI_Barrier(MPI_Comm comm) {
  Blocks::here().strike();
  return PMPI_Barrier(comm);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  Blocks::here().strike();
  return PMPI_Ibarrier(comm, request);
}

int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const int failed = PMPI_Allreduce(in, out, count, type, op, comm);
  const std::uint64_t bytes = bytes_of(count, type);
  if (Fault::here().strikes("reduce", bytes)) Fault::here().spoil(out, bytes);
  return failed;
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* part) {
  if (std::getenv("GROMA_FAULT_NODES") == nullptr) return PMPI_Comm_split_type(comm, type, key, info, part);
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return PMPI_Comm_split(comm, rank, key, part);
}

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return PMPI_Send(sent(data, count, type), count, type, to, tag, comm);
}

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return PMPI_Isend(sent(data, count, type), count, type, to, tag, comm, request);
}

int MPI_Issend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return PMPI_Issend(sent(data, count, type), count, type, to, tag, comm, request);
}

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  return PMPI_Recv(received(data, count, type), count, type, from, tag, comm, status);
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return PMPI_Irecv(received(data, count, type), count, type, from, tag, comm, request);
}

int MPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag, void* in,
                 int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm,
                 MPI_Status* status) {
  return PMPI_Sendrecv(sent(out, out_count, out_type), out_count, out_type, to, out_tag,
                       received(in, in_count, in_type), in_count, in_type, from, in_tag, comm, status);
}

}  // extern "C"
#pragma GCC visibility pop
