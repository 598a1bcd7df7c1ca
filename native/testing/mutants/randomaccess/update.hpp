// The operations of randomaccess/update.hpp with faults that a test plants. The mutation tests compile the
// kernels with this file in the place of that one (cmake/GromaMpiRooms.cmake), so that the kernels of the
// programs have no hook for it.
#pragma once

#include <atomic>
#include <cstdint>

namespace groma::randomaccess {

enum class Fault { kNone, kDropped, kFlipped, kMisplaced, kStale };

/// Which update in eight is faulty, and how. Threads read it.
inline std::atomic<Fault> planted_fault = Fault::kNone;

/// Called with every update before this process applies it; null: no call.
inline void (*on_applied)(std::uint64_t value) = nullptr;

/// Plain in all places, so that it is exact only where a word has one writer.
struct FaultyXor {
  void operator()(std::uint64_t& word, std::uint64_t value) const {
    static thread_local std::uint64_t updates = 0;
    static thread_local std::uint64_t before = 0;
    if (on_applied != nullptr) on_applied(value);
    const Fault fault = ++updates % 8 == 0 ? planted_fault.load(std::memory_order_relaxed) : Fault::kNone;
    switch (fault) {
      case Fault::kNone:
        word ^= value;
        break;
      case Fault::kDropped:
        break;
      case Fault::kFlipped:
        word ^= value ^ 0x100U;
        break;
      case Fault::kMisplaced:
        neighbour(word) ^= value;
        break;
      case Fault::kStale:
        word ^= before;
        break;
    }
    before = value;
  }

 private:
  /// The other word of an aligned pair; tables are of even length and aligned to pairs.
  static std::uint64_t& neighbour(std::uint64_t& word) {
    return *reinterpret_cast<std::uint64_t*>(reinterpret_cast<std::uintptr_t>(&word) ^ sizeof(word));
  }
};

using PlainXor = FaultyXor;
using UnsynchronisedXor = FaultyXor;
using AtomicXor = FaultyXor;

}  // namespace groma::randomaccess
