// Where the NUMA experiments run: one core for each NUMA node, or cores where there is one node only; and
// how large the blocks are that these places write and read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/pages.hpp"
#include "base/pair_design.hpp"
#include "base/topology.hpp"
#include "survey/block_read.hpp"
#include "survey/probe.hpp"
#include "survey/task_status.hpp"

namespace groma::survey {

/// `id` is the logical number of the NUMA node or of the core.
struct NumaPlace {
  std::uint32_t id;
  PhysicalCore cpu;
  NumaNode numa;
};

struct Places {
  std::string_view over;  ///< "numa" or "cores"
  std::vector<NumaPlace> list;

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(list.size()); }
  [[nodiscard]] std::vector<std::uint32_t> indexes() const;
  [[nodiscard]] std::vector<PhysicalCore> cpus(const std::vector<std::uint32_t>& indexes) const;
};

/// The first allowed core of each NUMA node that has one. Where that is a single node: at most `most_cores`
/// allowed cores spread evenly over the machine, one hardware thread of each as long as that leaves two.
Places choose_places(const Topology& topology, std::size_t most_cores);

/// Whether a place reads its own block too.
enum class Own { kIncluded, kExcluded };

/// At most `most` (owner, reader) pairs of places in both directions, spread over the declared distances and
/// at random.
std::vector<Pair> choose_cells(const Places& places, const Topology& topology, Own own, std::size_t most,
                               std::uint64_t seed);

/// How many cells of which each passes over `blocks_per_cell` blocks fill half of the budget at 4 GB/s, what
/// a slow remote node gives; at least 4.
std::size_t affordable_cells(Bytes block, double blocks_per_cell, Seconds budget);

/// Steps s of the lock-step experiment, ascending from 0: all of 0 … places - 1 if they are at most `most`,
/// else powers of two and random ones, `most` in all.
std::vector<std::uint32_t> choose_shifts(std::uint32_t places, std::size_t most, std::uint64_t seed);

/// Whose block the reader takes at a step: (reader + shift) mod places.
constexpr std::uint32_t owner_at_step(std::uint32_t reader, std::uint32_t shift, std::uint32_t places) {
  return (reader + shift) % places;
}

/// A power of two from a quarter of `most` to `most`: twice the last-level cache if that lies between, so
/// that memory is read and not a cache; less only where `blocks` such blocks exceed a quarter of `memory`.
Bytes choose_block_size(std::optional<Bytes> last_level, Bytes most, Bytes memory, std::size_t blocks);

/// What all experiments share: places, blocks, the time at which to end, and the first error.
class NumaBench {
 public:
  /// An error where not even blocks of 1 MiB fit.
  static Result<NumaBench> prepare(const Context& context);

  [[nodiscard]] const Places& places() const { return places_; }
  [[nodiscard]] Bytes block_size() const { return block_size_; }

  /// The cells that the budget allows.
  [[nodiscard]] std::vector<Pair> cells(Own own, double blocks_per_cell) const;

  /// Cancelled or out of budget. Tasks that begin then measure nothing, in the first round too, so that slow
  /// machines have gaps in their matrices and not a late end. If setting up took most of the budget, a third
  /// of the budget is added, because incomplete results are worse than a longer run.
  [[nodiscard]] bool is_over() const;

  /// A case with the labels that every experiment gives: where it runs and how large the blocks are.
  [[nodiscard]] Case describe(std::string_view measure) const;

  /// Writes what readers expect, from the calling thread. For use from several threads on distinct blocks.
  static void write(const Block& block);

  /// A new block, its pages taken and written by the calling thread.
  [[nodiscard]] Result<Block> written_block() const;

  /// New blocks, one for each of these places, all of them at work at once.
  [[nodiscard]] Result<std::vector<Block>> written_blocks(const std::vector<std::uint32_t>& owners) const;

  /// Reads on the calling thread and checks what was read; notes an error otherwise.
  Seconds read(const Block& block);
  Seconds read_randomly(const Block& block, std::uint64_t seed);
  Seconds checked(const BlockRead& read);

  /// Moves the calling thread to a place; false (and noted) where that is refused.
  bool move_to(std::uint32_t place);

  TaskStatus& failures() { return failures_; }

  /// Samples for the rest of the budget and returns the first error of the tasks.
  Status sample(const std::vector<Case>& cases, std::span<const Task> tasks);

 private:
  NumaBench(const Context& context, Places places, Bytes block_size);
  [[nodiscard]] Seconds budget() const { return Seconds(context_.parameters.number("budget")); }

  const Context& context_;
  Places places_;
  Bytes block_size_;
  TaskStatus failures_;
  std::optional<Seconds> prepared_;  ///< when sampling began
};

/// Physical number of the NUMA node in whose memory `address` lies; nothing if the kernel does not say.
std::optional<std::uint32_t> home_of(const std::byte* address);

/// The largest block of the experiments that read; the depths differ most in this.
inline constexpr Parameter kMostBlockRead = {"most_block", "33554432", "134217728", "536870912",
                                             "largest block in bytes; twice the last-level cache is taken if "
                                             "it lies between a quarter of this and this"};

/// `own` and the parameters that all experiments have.
std::vector<Parameter> with_numa_parameters(std::vector<Parameter> own,
                                            Parameter most_block = kMostBlockRead);

}  // namespace groma::survey
