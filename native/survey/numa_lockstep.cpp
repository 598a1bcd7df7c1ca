// All places read at once, in lock step (docs/probes/numa_lockstep.md).
#include <algorithm>
#include <array>

#include "base/quantile.hpp"
#include "survey/numa_bench.hpp"

namespace groma::survey {
namespace {

const ProbeInfo kInfo{
    .name = "numa_lockstep",
    .title = "All places read in lock step",
    .measures =
        "time (s) in which each place reads every 16th integer of another one's block while all others do "
        "the same",
    .method =
        "each core writes its block; at step s all cores of place i read blocks of place (i + s) mod n, a "
        "barrier before each step; blocks are not re-allocated",
    .traffic =
        "one 64-byte line per 16 integers, a block or a part of it per core and step; one integer addition "
        "per "
        "line",
    .reference = "Kyrola, Early NUMA Benchmarks on Blacklight (2011), section 2.2",
    .order = 71,
    .parameters = with_numa_parameters({
        {"budget", "0.5", "1.5", "20", "seconds after which sampling stops"},
        {"rounds", "8", "20", "60", "rounds after which sampling stops"},
        {"most_steps", "24", "128", "512", "steps of a round; with more places some are left out"},
    }),
};

/// Of the time, for one pass over all steps.
constexpr double kShareOfPass = 0.3;

/// The cores that read at the same time, and the place of each.
struct Readers {
  std::vector<PhysicalCore> cpus;
  std::vector<std::uint32_t> place;
  std::vector<std::size_t> first;  ///< of each place, by its index
};

Readers readers_of(const Places& places) {
  Readers readers;
  for (std::uint32_t place = 0; place < places.count(); ++place) {
    readers.first.push_back(readers.cpus.size());
    for (const PhysicalCore cpu : places.list[place].cpus) {
      readers.cpus.push_back(cpu);
      readers.place.push_back(place);
    }
  }
  return readers;
}

/// Core k of a place reads the block of core k of the other one, or begins again with the first where that
/// has fewer cores.
std::vector<std::size_t> blocks_at(const Readers& readers, const Places& places, std::uint32_t shift) {
  std::vector<std::size_t> blocks;
  for (std::size_t i = 0; i < readers.cpus.size(); ++i) {
    const std::uint32_t owner = owner_at_step(readers.place[i], shift, places.count());
    const std::size_t number = i - readers.first[readers.place[i]];
    blocks.push_back(readers.first[owner] + number % places.list[owner].cpus.size());
  }
  return blocks;
}

class Experiment {
 public:
  /// `sharing` readers have one last-level cache.
  Experiment(NumaBench& bench, Readers readers, std::uint32_t sharing, std::vector<std::uint32_t> shifts)
      : bench_(bench), readers_(std::move(readers)), sharing_(sharing), shifts_(std::move(shifts)) {
    for (const std::uint32_t shift : shifts_) {
      steps_.block_at.push_back(blocks_at(readers_, bench.places(), shift));
    }
    steps_.readers = readers_.cpus;
    steps_.is_over = [&bench] { return bench.is_over(); };
  }

  /// Chooses how much is read, from the first passes.
  Status prepare(Bytes block) {
    Status kept = bench_.memory().write(BlockSet::kKept, readers_.cpus, block);
    if (!kept) return kept;
    const Result<ReadCost> step = cost_of_step(block);
    if (!step) return step.error();
    steps_.bytes = affordable_part(step.value(), static_cast<double>(shifts_.size()),
                                   bench_.time_left() * kShareOfPass - rewrite_, kMinPartOfWhole, block);
    return Done{};
  }

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
  /// From passes of no steps, of short ones and of long ones to a place in the middle.
  Result<ReadCost> cost_of_step(Bytes block) {
    LockSteps trial = steps_;
    const std::uint32_t middle = bench_.places().count() / 2;
    const std::array sizes = {Bytes(0), kMinPartOfWhole, std::min(block, kMinPartOfWhole * 16)};
    std::array<Seconds, 3> times;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      trial.bytes = std::max(sizes[i], kMinPartOfWhole);
      trial.block_at.assign(i == 0 ? 0 : 1, blocks_at(readers_, bench_.places(), middle));
      const Result<Seconds> time = bench_.timed([&]() -> Status {
        const auto read = bench_.memory().read_in_steps(trial);
        if (!read) return read.error();
        return Done{};
      });
      if (!time) return time.error();
      times[i] = time.value();
    }
    rewrite_ = times[0];
    const auto bytes = static_cast<double>((sizes[2] - sizes[1]).value());
    const double each = std::max((times[2] - times[1]).value() / bytes, 0.0);
    const Seconds fixed = times[1] - rewrite_ - Seconds(each * static_cast<double>(sizes[1].value()));
    return ReadCost{std::max(fixed, Seconds(0.0)), each, each};
  }

  [[nodiscard]] Case describe(std::uint32_t reader, std::uint32_t shift) const {
    const std::vector<NumaPlace>& list = bench_.places().list;
    return bench_.describe("lockstep", {steps_.bytes, steps_.bytes * (shifts_.size() * sharing_)})
        .with("owner", list[owner_at_step(reader, shift, bench_.places().count())].id)
        .with("reader", list[reader].id)
        .with("step", shift);
  }

  void read_all(Recorder& recorder) {
    if (bench_.is_over()) return;
    const auto read = bench_.memory().read_in_steps(steps_);
    if (!read) return bench_.failures().note(read.error());
    std::size_t which = 0;
    for (const std::vector<Seconds>& step : read.value()) {
      for (std::uint32_t place = 0; place < bench_.places().count(); ++place) {
        recorder.sample(which++, typical(step, place).value());
      }
    }
  }

  /// The median over the cores of a place.
  [[nodiscard]] Seconds typical(const std::vector<Seconds>& step, std::uint32_t place) const {
    std::vector<double> times;
    for (std::size_t i = 0; i < bench_.places().list[place].cpus.size(); ++i) {
      times.push_back(step[readers_.first[place] + i].value());
    }
    return Seconds(quantile(std::move(times), 0.5));
  }

  NumaBench& bench_;
  Readers readers_;
  std::uint32_t sharing_;
  std::vector<std::uint32_t> shifts_;
  LockSteps steps_;
  Seconds rewrite_;
};

Status run(const Context& context) {
  Result<NumaBench> prepared = NumaBench::prepare(context);
  if (!prepared) return prepared.error();
  NumaBench& bench = prepared.value();
  const std::uint32_t places = bench.places().count();
  Readers readers = readers_of(bench.places());
  const std::size_t all = readers.cpus.size();
  const auto sharing = static_cast<std::uint32_t>(bench.places().in_one_cache * (all / places));
  const Result<Bytes> block = bench.block_size(all, sharing);
  if (!block) return block.error();
  const std::size_t most = std::min<std::size_t>(context.parameters.count("most_steps"), kMaxCells / places);
  Experiment experiment(bench, std::move(readers), sharing,
                        choose_shifts(places, most, context.parameters.count("seed")));
  if (const Status ready = experiment.prepare(block.value()); !ready) return ready;
  return experiment.run();
}

const Registration kRegistered(kInfo, run);

}  // namespace
}  // namespace groma::survey
