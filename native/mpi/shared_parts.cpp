#include "mpi/shared_parts.hpp"

#include <sys/statvfs.h>

#include <limits>
#include <string>
#include <utility>

namespace groma::mpi {
namespace {

/// MPI promises no alignment; the processor fetches lines in pairs.
constexpr std::size_t kAligned = 128;

/// Room that is left to others.
constexpr double kShare = 0.9;

/// Unlimited where the system has no such place: MPI then takes the memory from elsewhere.
std::uint64_t free_shared_memory() {
  struct statvfs place {};
  if (statvfs("/dev/shm", &place) != 0) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(place.f_bavail) * place.f_frsize;
}

Status room_for(const Communicator& node, Bytes own) {
  const std::uint64_t wanted = node.reduce_to_all(own.value(), Reduction::kSum);
  const std::uint64_t room = node.broadcast_value(free_shared_memory());
  if (static_cast<double>(wanted) <= kShare * static_cast<double>(room)) return Done{};
  return Error{"memory",
               "the ranks of a node want to share " + std::to_string(wanted >> 20U) +
                   " MiB, but /dev/shm has room for " + std::to_string(room >> 20U) + " MiB",
               "make /dev/shm larger (in a container: --shm-size)"};
}

/// Parts may lie apart, so that each rank has its own pages.
MPI_Win window_of(const Communicator& node, Bytes own) {
  MPI_Info apart = MPI_INFO_NULL;
  MPI_Info_create(&apart);
  MPI_Info_set(apart, "alloc_shared_noncontig", "true");
  void* start = nullptr;
  MPI_Win window = MPI_WIN_NULL;
  const std::uint64_t size = own.value() == 0 ? 0 : own.value() + kAligned;
  MPI_Win_allocate_shared(static_cast<MPI_Aint>(size), 1, apart, node.handle(),
                          reinterpret_cast<void*>(&start), &window);
  MPI_Info_free(&apart);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  return window;
}

/// All ranks skip the same: they map the window at page boundaries or at one offset from them.
std::span<std::byte> aligned(std::span<std::byte> part) {
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(part.data()) % kAligned;
  return part.empty() ? part : part.subspan((kAligned - beyond) % kAligned);
}

}  // namespace

Result<SharedParts> SharedParts::allocate(const Communicator& node, Bytes own) {
  if (const Status room = room_for(node, own); !room) return room.error();
  SharedParts memory(window_of(node, own));
  for (int rank = 0; rank < node.size(); ++rank) {
    MPI_Aint size = 0;
    int unit = 0;
    void* start = nullptr;
    MPI_Win_shared_query(memory.window_, rank, &size, &unit, reinterpret_cast<void*>(&start));
    memory.parts_.push_back(aligned({static_cast<std::byte*>(start), static_cast<std::size_t>(size)}));
  }
  return memory;
}

SharedParts::SharedParts(SharedParts&& other) noexcept
    : window_(std::exchange(other.window_, MPI_WIN_NULL)), parts_(std::move(other.parts_)) {}

SharedParts& SharedParts::operator=(SharedParts&& other) noexcept {
  std::swap(window_, other.window_);
  std::swap(parts_, other.parts_);
  return *this;
}

SharedParts::~SharedParts() {
  if (window_ == MPI_WIN_NULL) return;
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

}  // namespace groma::mpi
