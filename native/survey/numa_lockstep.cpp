// All places read at once, in lock step (docs/probes/numa_lockstep.md).
#include <algorithm>
#include <array>
#include <atomic>
#include <limits>

#include "base/team.hpp"
#include "survey/numa_places.hpp"

namespace groma::survey {
namespace {

const ProbeInfo kInfo{
    .name = "numa_lockstep",
    .title = "All places read in lock step",
    .measures =
        "time (s) in which each place reads every 16th integer of another one's block while all others do "
        "the same",
    .method =
        "each place writes its block; at step s thread i reads block (i + s) mod n, a barrier before each "
        "step; "
        "blocks are not re-allocated",
    .traffic =
        "one 64-byte line per 16 integers, one block per place and step; one integer addition per line",
    .reference = "Kyrola, Early NUMA Benchmarks on Blacklight (2011), section 2.2",
    .order = 71,
    .parameters = with_numa_parameters({
        {"budget", "0.5", "1.5", "20", "seconds after which sampling stops"},
        {"rounds", "8", "20", "60", "rounds after which sampling stops"},
        {"most_steps", "8", "16", "64", "steps of a round; with more places some are left out"},
    }),
};

/// One pass over all steps; a step's reads are there when all threads have finished it.
class Pass {
 public:
  Pass(NumaBench& bench, const std::vector<Block>& blocks, const std::vector<std::uint32_t>& shifts)
      : bench_(bench), blocks_(blocks), shifts_(shifts), reads_(shifts.size()) {
    for (auto& step : reads_) step.resize(bench.places().list.size());
  }

  Status run() {
    return run_team(bench_.places().cpus(bench_.places().indexes()),
                    [this](const TeamMember& member) { take_part(member); });
  }

  /// Reads of the steps that all have finished.
  [[nodiscard]] std::span<const std::vector<BlockRead>> reads() const {
    return std::span(reads_).first(std::min(stop_at_.load(), reads_.size()));
  }

 private:
  void take_part(const TeamMember& member) {
    const auto reader = static_cast<std::uint32_t>(member.index);
    NumaBench::write(blocks_[reader]);
    for (std::size_t step = 0; step < shifts_.size(); ++step) {
      // Only the first thread decides, for all, before the barrier behind which they look: whoever looked
      // at the clock alone might leave the others waiting.
      if (reader == 0 && bench_.is_over()) stop_at_ = step;
      member.barrier.wait();
      if (step >= stop_at_) return;
      const std::uint32_t owner = owner_at_step(reader, shifts_[step], bench_.places().count());
      reads_[step][reader] = read_in_sequence(blocks_[owner].as<const std::uint32_t>());
    }
  }

  NumaBench& bench_;
  const std::vector<Block>& blocks_;
  const std::vector<std::uint32_t>& shifts_;
  std::vector<std::vector<BlockRead>> reads_;
  std::atomic<std::size_t> stop_at_ = std::numeric_limits<std::size_t>::max();
};

class Experiment {
 public:
  Experiment(NumaBench& bench, std::vector<Block> blocks, std::vector<std::uint32_t> shifts)
      : bench_(bench), blocks_(std::move(blocks)), shifts_(std::move(shifts)) {}

  Status run() {
    std::vector<Case> cases;
    for (const std::uint32_t shift : shifts_) {
      for (std::uint32_t reader = 0; reader < bench_.places().count(); ++reader) {
        cases.push_back(describe(reader, shift));
      }
    }
    const std::array tasks = {Task{[this](Recorder& recorder) { read_all(recorder); }}};
    return bench_.sample(cases, tasks);
  }

 private:
  [[nodiscard]] Case describe(std::uint32_t reader, std::uint32_t shift) const {
    const std::vector<NumaPlace>& list = bench_.places().list;
    return bench_.describe("lockstep")
        .with("owner", list[owner_at_step(reader, shift, bench_.places().count())].id)
        .with("reader", list[reader].id)
        .with("step", shift);
  }

  void read_all(Recorder& recorder) {
    Pass pass(bench_, blocks_, shifts_);
    bench_.failures().note(pass.run());
    std::size_t which = 0;
    for (const auto& step : pass.reads()) {
      for (const BlockRead& read : step) recorder.sample(which++, bench_.checked(read).value());
    }
  }

  NumaBench& bench_;
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> shifts_;
};

Status run(const Context& context) {
  Result<NumaBench> prepared = NumaBench::prepare(context);
  if (!prepared) return prepared.error();
  NumaBench& bench = prepared.value();
  Result<std::vector<Block>> blocks = bench.written_blocks(bench.places().indexes());
  if (!blocks) return blocks.error();
  const Parameters& parameters = context.parameters;
  std::vector<std::uint32_t> shifts =
      choose_shifts(bench.places().count(), parameters.count("most_steps"), parameters.count("seed"));
  return Experiment(bench, std::move(blocks).value(), std::move(shifts)).run();
}

const Registration kRegistered(kInfo, run);

}  // namespace
}  // namespace groma::survey
