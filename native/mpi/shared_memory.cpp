#include "mpi/shared_memory.hpp"

#include <algorithm>

namespace groma::mpi {
namespace {

constexpr std::size_t kLine = 128;

}  // namespace

SharedMemory::SharedMemory(const Communicator& node, Bytes size) {
  // All of it on one rank and a line more, because MPI promises no alignment.
  const auto own = static_cast<MPI_Aint>(node.is_root() ? size.value() + kLine : 0);
  void* base = nullptr;
  MPI_Win_allocate_shared(own, 1, MPI_INFO_NULL, node.handle(), reinterpret_cast<void*>(&base), &window_);
  MPI_Aint length = 0;
  int unit = 0;
  MPI_Win_shared_query(window_, 0, &length, &unit, reinterpret_cast<void*>(&base));
  // Windows are mapped at page boundaries or at one offset from them, so that all ranks skip the same.
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(base) % kLine;
  bytes_ = {static_cast<std::byte*>(base) + (kLine - beyond) % kLine, size.value()};
  if (node.is_root()) std::ranges::fill(bytes_, std::byte{0});
  node.barrier();
}

SharedMemory::~SharedMemory() {
  MPI_Win_free(&window_);
}

}  // namespace groma::mpi
