// Memory that the ranks of a node see directly (MPI 4.0, section 12.2.3: shared memory windows).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"
#include "mpi/communicator.hpp"

namespace groma::mpi {

class SharedParts {
 public:
  /// Collective over `node`, whose ranks must share memory (Communicator::split_by_node). `own` bytes of this
  /// rank at least, aligned to pairs of cache lines, untouched: who writes first places them. An error, the
  /// same on all ranks, where /dev/shm, which MPI libraries take such memory from, has too little room:
  /// writing would then kill the process.
  static Result<SharedParts> allocate(const Communicator& node, Bytes own);

  SharedParts(SharedParts&& other) noexcept;
  SharedParts& operator=(SharedParts&& other) noexcept;
  SharedParts(const SharedParts&) = delete;
  SharedParts& operator=(const SharedParts&) = delete;
  /// Collective.
  ~SharedParts();

  /// Of a rank of the node.
  template <class T>
  [[nodiscard]] std::span<T> of(int rank) const {
    const std::span<std::byte> bytes = parts_[static_cast<std::size_t>(rank)];
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  /// Makes what this rank wrote before visible to those that meet it in a barrier and do the same after.
  void synchronize() const { MPI_Win_sync(window_); }

 private:
  explicit SharedParts(MPI_Win window) : window_(window) {}

  MPI_Win window_;
  std::vector<std::span<std::byte>> parts_;
};

}  // namespace groma::mpi
