// Memory that the ranks of a node share, by an MPI-3 window.
#pragma once

#include <cstddef>
#include <span>

#include "mpi/communicator.hpp"

namespace groma::mpi {

class SharedMemory {
 public:
  /// Zeroed, at least cache-line aligned. Collective over `node`, whose ranks must share memory
  /// (Communicator::split_by_node); so is the end of its scope.
  SharedMemory(const Communicator& node, Bytes size);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }

 private:
  MPI_Win window_ = MPI_WIN_NULL;
  std::span<std::byte> bytes_;
};

}  // namespace groma::mpi
