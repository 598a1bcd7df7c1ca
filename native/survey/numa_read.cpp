// Reading blocks that another place wrote, one reader at a time (docs/probes/numa_read.md).
#include <algorithm>
#include <map>

#include "survey/numa_bench.hpp"

namespace groma::survey {
namespace {

const ProbeInfo kInfo{
    .name = "numa_read",
    .title = "Reading what another core wrote",
    .measures =
        "time (s) in which one place reads every 16th integer of a block that another one wrote: the first "
        "and the second time, at random, and the first time after re-allocation",
    .method =
        "one reader at a time; blocks kept over the rounds, and blocks freed, mapped and written again by "
        "their owners before each reader's turn; parts of blocks where whole ones would take too long",
    .traffic =
        "one 64-byte line per 16 integers, a block or a part of it per sample; one integer addition per line",
    .reference = "Kyrola, Early NUMA Benchmarks on Blacklight (2011), sections 2.1 and 2.3",
    .order = 70,
    .parameters = with_numa_parameters({
        {"budget", "1.2", "4.5", "40", "seconds after which sampling stops"},
        {"rounds", "8", "20", "60", "rounds after which sampling stops"},
    }),
};

/// What is read, in the order of a cell's cases.
enum Measure : std::size_t { kSequentialFirst, kSequentialAgain, kRandom, kReallocated, kMeasures };
constexpr const char* kNames[kMeasures] = {"sequential_first", "sequential_again", "random", "reallocated"};

/// Rounds in which the dearer measures take part: they cost ten times what a reading in sequence does.
constexpr std::uint32_t kRandomEvery = 2;
constexpr std::uint32_t kReallocatedEvery = 3;

struct Cell {
  std::uint32_t owner;
  std::size_t first_case;
};

/// The cells of one reader, which it visits one after the other.
struct Visit {
  std::uint32_t reader;
  std::vector<Cell> cells;
  bool reallocates;
};

struct Sizes {
  Bytes block;
  Bytes part;
};

class Experiment {
 public:
  Experiment(NumaBench& bench, Sizes sizes) : bench_(bench), sizes_(sizes) {}

  void add(const std::vector<Pair>& cells, std::uint32_t reallocating) {
    std::map<std::uint32_t, std::vector<std::uint32_t>> owners_of;
    for (const Pair& cell : cells) owners_of[cell.second].push_back(cell.first);
    const std::size_t each = std::max<std::size_t>(owners_of.size() / reallocating, 1);
    std::size_t number = 0;
    for (const auto& [reader, owners] : owners_of) {
      const bool reallocates = number % each == 0 && number / each < reallocating;
      visits_.push_back({reader, {}, reallocates});
      for (const std::uint32_t owner : owners) add_cell(visits_.back(), owner, owners.size());
      ++number;
    }
  }

  Status run() {
    std::vector<Task> tasks;
    for (const Visit& visit : visits_) {
      tasks.push_back({[this, &visit](Recorder& recorder) { read_twice(visit, recorder); }});
      tasks.push_back(
          {[this, &visit](Recorder& recorder) { read_scattered(visit, recorder); }, kRandomEvery});
      if (!visit.reallocates) continue;
      tasks.push_back(
          {[this, &visit](Recorder& recorder) { read_reallocated(visit, recorder); }, kReallocatedEvery});
    }
    return bench_.sample(cases_, tasks);
  }

 private:
  void add_cell(Visit& visit, std::uint32_t owner, std::size_t cells) {
    visit.cells.push_back({owner, cases_.size()});
    const Bytes all = sizes_.block * cells;
    const Bytes fresh = sizes_.block * bench_.places().in_one_cache;
    const Bytes reused[kMeasures] = {all, sizes_.part * cells, all, fresh};
    const std::size_t measures = visit.reallocates ? kMeasures : kReallocated;
    for (std::size_t measure = 0; measure < measures; ++measure) {
      cases_.push_back(describe(kNames[measure], {sizes_.part, reused[measure]}, owner, visit.reader));
    }
  }

  [[nodiscard]] Case describe(const char* measure, PartSize size, std::uint32_t owner,
                              std::uint32_t reader) const {
    const std::vector<NumaPlace>& list = bench_.places().list;
    const auto home = bench_.memory().home_of(owner);
    return bench_.describe(measure, size)
        .with("owner", list[owner].id)
        .with("reader", list[reader].id)
        .with("home_node", home ? Json(*home) : Json::null());
  }

  /// Each reader and round reads another part as long as there is one: no cache has it.
  [[nodiscard]] PartRead part_of(std::uint32_t reader, std::uint32_t owner, std::uint32_t round) const {
    const std::size_t parts = sizes_.block.value() / sizes_.part.value();
    const std::size_t number = (reader + std::size_t{round} * bench_.places().count()) % parts;
    return {bench_.places().list[reader].cpu, BlockSet::kKept, owner, sizes_.part * number, sizes_.part};
  }

  /// False where there is no time or no data.
  bool sample(const PartRead& part, std::size_t which, Recorder& recorder) {
    if (bench_.is_over()) return false;
    const Result<Seconds> time = bench_.memory().read(part);
    if (time) {
      recorder.sample(which, time.value().value());
    } else {
      bench_.failures().note(time.error());
    }
    return static_cast<bool>(time);
  }

  [[nodiscard]] std::vector<Cell> mixed(const Visit& visit, std::uint32_t round) const {
    std::vector<Cell> cells = visit.cells;
    RandomStream random = RandomStream(bench_.parameters().count("seed")).fork(round).fork(visit.reader);
    shuffle(std::span(cells), random);
    return cells;
  }

  /// All first, then all again: what is read in between puts the first ones out of the caches.
  void read_twice(const Visit& visit, Recorder& recorder) {
    const std::vector<Cell> cells = mixed(visit, recorder.round());
    for (const Measure measure : {kSequentialFirst, kSequentialAgain}) {
      for (const Cell& cell : cells) {
        const PartRead part = part_of(visit.reader, cell.owner, recorder.round());
        if (!sample(part, cell.first_case + measure, recorder)) return;
      }
    }
  }

  void read_scattered(const Visit& visit, Recorder& recorder) {
    for (const Cell& cell : mixed(visit, recorder.round())) {
      PartRead part = part_of(visit.reader, cell.owner, recorder.round() + 1);
      part.order = ReadOrder::kScattered;
      part.seed = recorder.round();
      if (!sample(part, cell.first_case + kRandom, recorder)) return;
    }
  }

  /// The owners allocate again, then the reader reads.
  void read_reallocated(const Visit& visit, Recorder& recorder) {
    if (bench_.is_over()) return;
    std::vector<std::uint32_t> owners;
    for (const Cell& cell : visit.cells) owners.push_back(cell.owner);
    const Status fresh = bench_.memory().write(BlockSet::kFresh, bench_.places().cpus(owners), sizes_.block);
    bench_.failures().note(fresh);
    for (std::size_t i = 0; fresh && i < visit.cells.size(); ++i) {
      PartRead part = part_of(visit.reader, static_cast<std::uint32_t>(i), 0);
      part.set = BlockSet::kFresh;
      if (!sample(part, visit.cells[i].first_case + kReallocated, recorder)) break;
    }
    bench_.memory().release(BlockSet::kFresh);
  }

  NumaBench& bench_;
  Sizes sizes_;
  std::vector<Case> cases_;
  std::vector<Visit> visits_;
};

Result<ReadPlan> planned(NumaBench& bench, Bytes block) {
  const std::vector<PhysicalCore> cpus = bench.places().cpus();
  const Status kept = bench.memory().write(BlockSet::kKept, cpus, block);
  if (!kept) return kept.error();
  const Result<Seconds> again =
      bench.timed([&] { return bench.memory().write(BlockSet::kFresh, cpus, block); });
  if (!again) return again.error();
  bench.memory().release(BlockSet::kFresh);
  const Result<ReadCost> cost = bench.read_cost(block);
  if (!cost) return cost.error();
  return plan_reads({bench.places().count(), block, again.value(), bench.time_left()}, cost.value());
}

Status run(const Context& context) {
  Result<NumaBench> prepared = NumaBench::prepare(context);
  if (!prepared) return prepared.error();
  NumaBench& bench = prepared.value();
  // Two sets of blocks at most are alive at once.
  const Result<Bytes> block =
      bench.block_size(2 * std::size_t{bench.places().count()}, bench.places().in_one_cache);
  if (!block) return block.error();
  const Result<ReadPlan> plan = planned(bench, block.value());
  if (!plan) return plan.error();
  Experiment experiment(bench, {block.value(), plan.value().part});
  experiment.add(bench.cells(Own::kIncluded, plan.value().cells), plan.value().reallocating);
  return experiment.run();
}

const Registration kRegistered(kInfo, run);

}  // namespace
}  // namespace groma::survey
