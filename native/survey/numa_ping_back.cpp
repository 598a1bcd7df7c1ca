// What the owner of a block pays after another place has read it (docs/probes/numa_ping_back.md).
#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "survey/numa_bench.hpp"

namespace groma::survey {
namespace {

const ProbeInfo kInfo{
    .name = "numa_ping_back",
    .title = "Ping-back of a block",
    .measures =
        "time (s) of five readings of one block: by its owner, twice by another place, twice by its owner",
    .method =
        "the owner maps and writes a new block, then the five readings follow; where all pairs can be read "
        "in "
        "the time, all of them do one step before the next one",
    .traffic = "one 64-byte line per 16 integers, the whole block per reading; one integer addition per line",
    .reference = "Kyrola, Early NUMA Benchmarks on Blacklight (2011), section 2.1, the test with five steps",
    .order = 73,
    .parameters = with_numa_parameters({
        {"budget", "0.5", "2", "20", "seconds after which sampling stops"},
        {"rounds", "8", "20", "60", "rounds after which sampling stops"},
    }),
};

struct Step {
  const char* name;
  bool by_owner;
};
constexpr std::array kSteps = {Step{"owner_first", true}, Step{"other_first", false},
                               Step{"other_again", false}, Step{"owner_back", true},
                               Step{"owner_again", true}};

/// Of the time, for one round over the pairs.
constexpr double kShareOfRound = 0.7;

struct Design {
  std::vector<Pair> pairs;
  Bytes part;
  bool in_phases;  ///< all pairs do a step before the next one
};

class Experiment {
 public:
  Experiment(NumaBench& bench, Design design) : bench_(bench), design_(std::move(design)) {}

  Status run() {
    std::vector<Case> cases;
    for (const Pair& pair : design_.pairs) {
      for (const Step& step : kSteps) cases.push_back(describe(pair, step));
    }
    std::vector<Task> tasks;
    if (design_.in_phases) {
      tasks.push_back({[this](Recorder& recorder) { bench_.failures().note(play_all(recorder)); }});
    }
    for (std::size_t i = 0; !design_.in_phases && i < design_.pairs.size(); ++i) {
      tasks.push_back({[this, i](Recorder& recorder) { bench_.failures().note(play(i, recorder)); }});
    }
    return bench_.sample(cases, tasks);
  }

 private:
  [[nodiscard]] const NumaPlace& place(std::uint32_t index) const { return bench_.places().list[index]; }

  [[nodiscard]] Case describe(const Pair& pair, const Step& step) const {
    const Bytes reused = design_.in_phases ? design_.part * (bench_.places().count() - 1) : design_.part;
    return bench_.describe("ping_back", {design_.part, reused})
        .with("step", step.name)
        .with("owner", place(pair.first).id)
        .with("other", place(pair.second).id);
  }

  /// `read` is where its block begins. False where there is no time left.
  Result<bool> do_step(std::size_t pair, std::size_t step, PartRead read, Recorder& recorder) {
    if (bench_.is_over()) return false;
    const Pair& places = design_.pairs[pair];
    read.reader = place(kSteps[step].by_owner ? places.first : places.second).cpu;
    read.set = BlockSet::kFresh;
    read.bytes = design_.part;
    const Result<Seconds> time = bench_.memory().read(read);
    if (!time) return time.error();
    recorder.sample(pair * kSteps.size() + step, time.value().value());
    return true;
  }

  /// One pair with a block of its own, which no cache holds.
  Status play(std::size_t pair, Recorder& recorder) {
    if (bench_.is_over()) return Done{};
    const PhysicalCore owner = place(design_.pairs[pair].first).cpu;
    if (const Status written = bench_.memory().write(BlockSet::kFresh, {owner}, design_.part); !written) {
      return written;
    }
    for (std::size_t step = 0; step < kSteps.size(); ++step) {
      const Result<bool> done = do_step(pair, step, {}, recorder);
      if (!done) return done.error();
      if (!done.value()) break;
    }
    return Done{};
  }

  /// Each owner has a part for each other place. What the other pairs read between two steps of a pair puts
  /// its part out of the caches.
  Status play_all(Recorder& recorder) {
    if (bench_.is_over()) return Done{};
    const std::uint32_t places = bench_.places().count();
    Status written = bench_.memory().write(BlockSet::kFresh, bench_.places().cpus(), design_.part * places);
    if (!written) return written;
    std::vector<std::size_t> order(design_.pairs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    RandomStream random = RandomStream(bench_.parameters().count("seed")).fork(recorder.round());
    shuffle(std::span(order), random);
    for (std::size_t step = 0; step < kSteps.size(); ++step) {
      for (const std::size_t pair : order) {
        const Pair& ends = design_.pairs[pair];
        PartRead at;
        at.block = ends.first;
        at.begin = design_.part * ends.second;
        const Result<bool> done = do_step(pair, step, at, recorder);
        if (!done) return done.error();
        if (!done.value()) return Done{};
      }
    }
    return Done{};
  }

  NumaBench& bench_;
  Design design_;
};

/// What reads take, by blocks that are written for this alone.
Result<ReadCost> cost_of_reads(NumaBench& bench, Bytes most) {
  const Bytes block = std::min(most, 2_MiB);
  const Status kept = bench.memory().write(BlockSet::kKept, bench.places().cpus(), block);
  if (!kept) return kept.error();
  const Result<ReadCost> cost = bench.read_cost(block);
  bench.memory().release(BlockSet::kKept);
  return cost;
}

/// All pairs in phases where they can be read beyond the caches in this time, else as many as can be read one
/// after the other.
Result<Design> designed(NumaBench& bench, Bytes block) {
  const Result<ReadCost> cost = cost_of_reads(bench, block);
  if (!cost) return cost.error();
  const Seconds time = bench.time_left() * kShareOfRound;
  const std::uint32_t places = bench.places().count();
  const std::size_t all = std::size_t{places} * (places - 1);
  const Bytes least(std::max(std::bit_ceil(bench.beyond_cache().value() / (places - 1)), kMinPart.value()));
  const auto reads = static_cast<double>(kSteps.size() * all);
  const Result<Bytes> most = bench.block_size(2 * std::size_t{places} * places, 1);
  if (all * kSteps.size() <= kMaxCells && most && least <= most.value() &&
      cost.value().in_sequence(least) * reads <= time) {
    const Bytes part = affordable_part(cost.value(), reads, time, least, most.value());
    return Design{bench.cells(Own::kExcluded, all), part, true};
  }
  // Mapping, zeroing and writing take as long as two of the readings.
  const double each = (cost.value().in_sequence(block) * (2.0 + kSteps.size())).value();
  const auto pairs = static_cast<std::size_t>(std::clamp(time.value() / each, 2.0, static_cast<double>(all)));
  return Design{bench.cells(Own::kExcluded, std::min(pairs, kMaxCells / kSteps.size())), block, false};
}

Status run(const Context& context) {
  Result<NumaBench> prepared = NumaBench::prepare(context);
  if (!prepared) return prepared.error();
  NumaBench& bench = prepared.value();
  if (bench.places().count() < 2) {
    return Error{"probe.needs_cores", "the ping-back needs two cores, but this process may use only one",
                 "widen the affinity mask or the cpuset"};
  }
  const Result<Bytes> block = bench.block_size(2, 1);
  if (!block) return block.error();
  Result<Design> design = designed(bench, block.value());
  if (!design) return design.error();
  return Experiment(bench, std::move(design).value()).run();
}

const Registration kRegistered(kInfo, run);

}  // namespace
}  // namespace groma::survey
