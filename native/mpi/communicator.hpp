// MPI as values: initialisation, communicators that free themselves, messages as spans with 64-bit sizes.
// Everything here is collective over its communicator unless it says otherwise. Errors of MPI itself end the
// job, which is MPI's default: communication is no longer possible then.
#pragma once

#include <mpi.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"

namespace groma::mpi {

/// Threads of this process while MPI runs.
enum class ThreadUse {
  kOne,      ///< MPI may leave out its locks: a message of 8 bytes is 7 to 12 % faster (Open MPI 4.1)
  kSeveral,  ///< the others compute
};

/// MPI from here to the end of its scope. One per process; only the thread that made it calls MPI.
class Session {
 public:
  Session(int& argc, char**& argv, ThreadUse threads = ThreadUse::kSeveral);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
};

/// Name and version of the MPI library that runs, in one line.
std::string library();

template <class T>
MPI_Datatype datatype();
template <>
inline MPI_Datatype datatype<std::byte>() {
  return MPI_BYTE;
}
template <>
inline MPI_Datatype datatype<char>() {
  return MPI_CHAR;
}
template <>
inline MPI_Datatype datatype<std::int32_t>() {
  return MPI_INT32_T;
}
template <>
inline MPI_Datatype datatype<std::int64_t>() {
  return MPI_INT64_T;
}
template <>
inline MPI_Datatype datatype<std::uint64_t>() {
  return MPI_UINT64_T;
}
template <>
inline MPI_Datatype datatype<double>() {
  return MPI_DOUBLE;
}
template <>
inline MPI_Datatype datatype<std::complex<double>>() {
  return MPI_C_DOUBLE_COMPLEX;
}

/// `count` elements as a count that fits MPI's int and a type that is freed with it.
class LargeCount {
 public:
  LargeCount(std::uint64_t count, MPI_Datatype element);
  ~LargeCount();
  LargeCount(const LargeCount&) = delete;
  LargeCount& operator=(const LargeCount&) = delete;
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] MPI_Datatype type() const { return type_; }

 private:
  int count_;
  MPI_Datatype type_;
  bool owned_ = false;
};

/// A message on its way. The memory must outlive it; leaving the scope waits.
class Request {
 public:
  Request() = default;
  explicit Request(MPI_Request request) : request_(request) {}
  Request(Request&& other) noexcept : request_(std::exchange(other.request_, MPI_REQUEST_NULL)) {}
  Request& operator=(Request&& other) noexcept;
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  ~Request() { wait(); }

  void wait();
  /// Whether it is complete; makes progress.
  bool test();

 private:
  MPI_Request request_ = MPI_REQUEST_NULL;
};

enum class Reduction { kSum, kMin, kMax };

class Communicator {
 public:
  /// All ranks of the session; not owned.
  static Communicator world();
  /// This rank only; not owned.
  static Communicator self();

  Communicator(Communicator&& other) noexcept;
  Communicator& operator=(Communicator&& other) noexcept;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator();

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] bool is_root() const { return rank_ == 0; }
  [[nodiscard]] MPI_Comm handle() const { return handle_; }

  [[nodiscard]] Communicator duplicate() const;
  /// Ranks of equal colour together, ordered by key; none for a negative colour.
  [[nodiscard]] std::optional<Communicator> split(int color, int key) const;
  /// Ranks that share memory, in the order of this communicator.
  [[nodiscard]] Communicator split_by_node() const;

  void barrier() const;

  // Point to point: not collective.
  template <class T>
  void send(std::span<const T> data, int to, int tag = 0) const {
    const LargeCount large(data.size(), datatype<T>());
    MPI_Send(data.data(), large.count(), large.type(), to, tag, handle_);
  }
  template <class T>
  void receive(std::span<T> data, int from, int tag = 0) const {
    const LargeCount large(data.size(), datatype<T>());
    MPI_Recv(data.data(), large.count(), large.type(), from, tag, handle_, MPI_STATUS_IGNORE);
  }
  template <class T>
  [[nodiscard]] Request start_send(std::span<const T> data, int to, int tag = 0) const {
    const LargeCount large(data.size(), datatype<T>());
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(data.data(), large.count(), large.type(), to, tag, handle_, &request);
    return Request(request);
  }
  template <class T>
  [[nodiscard]] Request start_receive(std::span<T> data, int from, int tag = 0) const {
    const LargeCount large(data.size(), datatype<T>());
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(data.data(), large.count(), large.type(), from, tag, handle_, &request);
    return Request(request);
  }

  template <class T>
  void broadcast(std::span<T> data, int root = 0) const {
    const LargeCount large(data.size(), datatype<T>());
    MPI_Bcast(data.data(), large.count(), large.type(), root, handle_);
  }
  template <class T>
  [[nodiscard]] T broadcast_value(T value, int root = 0) const {
    broadcast(std::span<T>(&value, 1), root);
    return value;
  }
  template <class T>
  [[nodiscard]] T reduce_to_all(T value, Reduction how) const {
    T result = value;
    MPI_Allreduce(&value, &result, 1, datatype<T>(), operation(how), handle_);
    return result;
  }
  /// Element by element over the ranks; only the root's `values` are replaced.
  template <class T>
  void reduce_to_root(std::span<T> values, Reduction how) const {
    const LargeCount large(values.size(), datatype<T>());
    const void* own = is_root() ? MPI_IN_PLACE : values.data();
    MPI_Reduce(own, values.data(), large.count(), large.type(), operation(how), 0, handle_);
  }
  /// Values of all ranks in their order, on every rank.
  template <class T>
  [[nodiscard]] std::vector<T> gather_to_all(T value) const {
    std::vector<T> all(static_cast<std::size_t>(size_));
    MPI_Allgather(&value, 1, datatype<T>(), all.data(), 1, datatype<T>(), handle_);
    return all;
  }
  /// Equally long rows of all ranks, on the root; empty elsewhere.
  template <class T>
  [[nodiscard]] std::vector<std::vector<T>> gather_rows(const std::vector<T>& row) const {
    const LargeCount large(row.size(), datatype<T>());
    std::vector<T> flat(is_root() ? row.size() * static_cast<std::size_t>(size_) : 0);
    MPI_Gather(row.data(), large.count(), large.type(), flat.data(), large.count(), large.type(), 0, handle_);
    std::vector<std::vector<T>> rows;
    for (std::size_t at = 0; at < flat.size(); at += row.size()) {
      rows.emplace_back(flat.begin() + static_cast<std::ptrdiff_t>(at),
                        flat.begin() + static_cast<std::ptrdiff_t>(at + row.size()));
    }
    return rows;
  }
  /// Lists of all ranks one after the other, on the root; empty elsewhere. T is sent as its bytes.
  template <class T>
  [[nodiscard]] std::vector<T> gather_lists(std::span<const T> list) const {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::vector<std::byte> bytes = gather_bytes(std::as_bytes(list));
    std::vector<T> all(bytes.size() / sizeof(T));
    if (!all.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());
    return all;
  }
  /// Texts of all ranks, on the root; empty elsewhere.
  [[nodiscard]] std::vector<std::string> gather_texts(const std::string& text) const;
  [[nodiscard]] std::string broadcast_text(std::string text, int root = 0) const;

  /// One status for all: the error of the lowest rank that has one.
  [[nodiscard]] Status agree(const Status& own) const;

 private:
  Communicator(MPI_Comm handle, bool owned);
  [[nodiscard]] std::vector<std::byte> gather_bytes(std::span<const std::byte> own) const;
  static MPI_Op operation(Reduction how);

  MPI_Comm handle_;
  bool owned_;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace groma::mpi
