// What the NUMA experiments do to memory: blocks that cores write and that other cores read. All times of
// these experiments come from here, so that a fake with recorded costs can stand for any machine.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/pages.hpp"
#include "base/result.hpp"
#include "base/units.hpp"

namespace groma::survey {

/// Blocks that live at the same time: those that stay over all rounds, and those that are made anew.
enum class BlockSet : std::uint8_t { kKept, kFresh };

enum class ReadOrder : std::uint8_t { kSequential, kScattered };

/// A part of a block that one core reads. `begin` and `bytes` are multiples of 4 KiB; the number of lines of
/// a scattered reading is a power of two.
struct PartRead {
  PhysicalCore reader;
  BlockSet set = BlockSet::kKept;
  std::size_t block = 0;  ///< by its position among the owners
  Bytes begin{0};
  Bytes bytes{0};
  ReadOrder order = ReadOrder::kSequential;
  std::uint64_t seed = 0;  ///< of a scattered order
};

/// All readers read at the same time; at each step each of them the next part of another block.
struct LockSteps {
  std::vector<PhysicalCore> readers;
  std::vector<std::vector<std::size_t>> block_at;  ///< [step][reader]: whose kept block it reads
  Bytes bytes;                                     ///< of a part
  std::function<bool()> is_over;                   ///< asked before each step
};

/// The life of one block.
struct TouchTimes {
  Seconds allocation;    ///< mapping
  Seconds first_touch;   ///< a write to each page
  Seconds second_touch;  ///< the same again
  Seconds release;       ///< unmapping
};

class PlaceMemory {
 public:
  virtual ~PlaceMemory() = default;

  /// Replaces a set: each of these cores maps a block of this size and writes it, all at once.
  virtual Status write(BlockSet set, const std::vector<PhysicalCore>& owners, Bytes size) = 0;

  /// Frees a set.
  virtual void release(BlockSet set) = 0;

  /// Moves the calling thread to the reader, reads there and checks the data.
  virtual Result<Seconds> read(const PartRead& part) = 0;

  /// Before the steps each reader writes its kept block once more. [step][reader]; steps that not all readers
  /// have done are left out.
  virtual Result<std::vector<std::vector<Seconds>>> read_in_steps(const LockSteps& steps) = 0;

  /// Each of these cores maps, touches and unmaps a block, all at once.
  virtual Result<std::vector<TouchTimes>> touch(const std::vector<PhysicalCore>& owners, Bytes size,
                                                PageMode pages) = 0;

  /// Physical number of the NUMA node on which a kept block begins; nothing if the kernel does not say.
  [[nodiscard]] virtual std::optional<std::uint32_t> home_of(std::size_t block) const = 0;
};

/// That of this machine.
std::unique_ptr<PlaceMemory> system_memory();

}  // namespace groma::survey
