// What all NUMA experiments share: places, memory, the time at which to end, and the first error.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "survey/numa_costs.hpp"
#include "survey/numa_places.hpp"
#include "survey/place_memory.hpp"
#include "survey/probe.hpp"
#include "survey/task_status.hpp"

namespace groma::survey {

/// Of what is read: the time counts for `part`; `reused` bytes are read before the same ones come again.
struct PartSize {
  Bytes part;
  Bytes reused;
};

class NumaBench {
 public:
  /// An error where no core is known.
  static Result<NumaBench> prepare(const Context& context);

  [[nodiscard]] const Places& places() const { return places_; }
  [[nodiscard]] PlaceMemory& memory() { return *memory_; }
  [[nodiscard]] const Parameters& parameters() const { return context_->parameters; }

  /// The size of `blocks` blocks that are alive at once, `sharing` of them in one last-level cache. An error
  /// where not even blocks of 1 MiB fit.
  [[nodiscard]] Result<Bytes> block_size(std::size_t blocks, std::uint32_t sharing) const;

  /// How much must be read between two reads of the same bytes so that these are in no cache.
  [[nodiscard]] Bytes beyond_cache() const;

  [[nodiscard]] std::vector<Pair> cells(Own own, std::size_t most) const;

  /// What reads of the kept blocks take, from a few cells that are spread over the declared distances; kept
  /// blocks belong to all places, in their order.
  Result<ReadCost> read_cost(Bytes block);

  /// How long `work` took; its error instead if it fails.
  template <class Work>
  Result<Seconds> timed(Work work) const {
    const Seconds start = context_->clock.now();
    if (const Status status = work(); !status) return status.error();
    return context_->clock.now() - start;
  }

  /// Of the budget, from now on.
  [[nodiscard]] Seconds time_left() const;

  /// Cancelled or out of budget. Tasks that begin then measure nothing, in the first round too, so that slow
  /// machines have gaps in their matrices and not a late end. If setting up took most of the budget, a third
  /// of the budget is added, because incomplete results are worse than a longer run.
  [[nodiscard]] bool is_over() const;

  /// A case with the labels that every experiment gives: where it runs and how much is read.
  [[nodiscard]] Case describe(std::string_view measure, PartSize size) const;

  TaskStatus& failures() { return failures_; }

  /// Samples for the rest of the budget and returns the first error of the tasks.
  Status sample(const std::vector<Case>& cases, std::span<const Task> tasks);

 private:
  NumaBench(const Context& context, Places places);
  [[nodiscard]] Seconds budget() const { return Seconds(context_->parameters.number("budget")); }
  Result<Seconds> timed_read(const PartRead& part);

  const Context* context_;
  Places places_;
  std::optional<Bytes> last_level_;
  std::unique_ptr<PlaceMemory> of_system_;
  PlaceMemory* memory_;
  TaskStatus failures_;
  std::optional<Seconds> prepared_;  ///< when sampling began
};

/// The largest block of the experiments that read; the depths differ most in this.
inline constexpr Parameter kMaxBlockRead = {"most_block",
                                            "33554432",
                                            "134217728",
                                            "536870912",
                                            "largest block in bytes; twice the last-level cache is taken if "
                                            "it lies between a quarter of this and this",
                                            "bytes"};

/// `own` and the parameters that all experiments have.
std::vector<Parameter> with_numa_parameters(std::vector<Parameter> own, Parameter most_block = kMaxBlockRead);

}  // namespace groma::survey
