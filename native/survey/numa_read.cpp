// Reading blocks that another place wrote, one reader at a time (docs/probes/numa_read.md).
#include <map>
#include <set>

#include "survey/numa_places.hpp"

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
        "their "
        "owners before each reader's turn",
    .traffic = "one 64-byte line per 16 integers, the whole block per sample; one integer addition per line",
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

/// First, again, at random (twice as slow), re-allocated; written together by all owners.
constexpr double kBlocksPerCell = 5.0;

/// Rounds in which the dearer measures take part: they cost ten times what a reading in sequence does.
constexpr std::uint32_t kRandomEvery = 2;
constexpr std::uint32_t kReallocatedEvery = 3;

struct Cell {
  Pair places;  ///< owner, reader
  std::size_t first_case;
};

class Experiment {
 public:
  using Kept = std::map<std::uint32_t, Block>;  ///< by owner

  Experiment(NumaBench& bench, Kept kept) : bench_(bench), kept_(std::move(kept)) {}

  void add(const Pair& places) {
    cells_of_reader_[places.second].push_back({places, cases_.size()});
    for (const char* const name : kNames) cases_.push_back(describe(name, places));
  }

  Status run() {
    std::vector<Task> tasks;
    for (const auto& [reader, cells] : cells_of_reader_) {
      for (const Cell& cell : cells) {
        tasks.push_back({[this, &cell](Recorder& recorder) { read_twice(cell, recorder); }});
        tasks.push_back(
            {[this, &cell](Recorder& recorder) { read_scattered(cell, recorder); }, kRandomEvery});
      }
      tasks.push_back(
          {[this, &all = cells](Recorder& recorder) { read_reallocated(all, recorder); }, kReallocatedEvery});
    }
    return bench_.sample(cases_, tasks);
  }

 private:
  [[nodiscard]] Case describe(const char* measure, const Pair& places) const {
    const std::vector<NumaPlace>& list = bench_.places().list;
    Case described = bench_.describe(measure);
    described.with("owner", list[places.first].id).with("reader", list[places.second].id);
    const auto home = home_of(kept_.at(places.first).data());
    return described.with("home_node", home ? Json(*home) : Json::null());
  }

  void read_twice(const Cell& cell, Recorder& recorder) {
    if (bench_.is_over() || !bench_.move_to(cell.places.second)) return;
    const Block& block = kept_.at(cell.places.first);
    recorder.sample(cell.first_case + kSequentialFirst, bench_.read(block).value());
    recorder.sample(cell.first_case + kSequentialAgain, bench_.read(block).value());
  }

  void read_scattered(const Cell& cell, Recorder& recorder) {
    if (bench_.is_over() || !bench_.move_to(cell.places.second)) return;
    const Seconds time = bench_.read_randomly(kept_.at(cell.places.first), recorder.round());
    recorder.sample(cell.first_case + kRandom, time.value());
  }

  /// One reader: the owners allocate again, then it reads.
  void read_reallocated(const std::vector<Cell>& cells, Recorder& recorder) {
    if (bench_.is_over()) return;
    std::vector<std::uint32_t> owners;
    for (const Cell& cell : cells) owners.push_back(cell.places.first);
    const Result<std::vector<Block>> fresh = bench_.written_blocks(owners);
    if (!fresh) return bench_.failures().note(fresh.error());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (bench_.is_over() || !bench_.move_to(cells[i].places.second)) return;
      recorder.sample(cells[i].first_case + kReallocated, bench_.read(fresh.value()[i]).value());
    }
  }

  NumaBench& bench_;
  Kept kept_;
  std::vector<Case> cases_;
  std::map<std::uint32_t, std::vector<Cell>> cells_of_reader_;
};

Result<Experiment::Kept> written_by_owners(const NumaBench& bench, const std::vector<Pair>& cells) {
  std::set<std::uint32_t> distinct;
  for (const Pair& cell : cells) distinct.insert(cell.first);
  const std::vector<std::uint32_t> owners(distinct.begin(), distinct.end());
  Result<std::vector<Block>> blocks = bench.written_blocks(owners);
  if (!blocks) return blocks.error();
  Experiment::Kept kept;
  for (std::size_t i = 0; i < owners.size(); ++i) kept.emplace(owners[i], std::move(blocks.value()[i]));
  return kept;
}

Status run(const Context& context) {
  Result<NumaBench> prepared = NumaBench::prepare(context);
  if (!prepared) return prepared.error();
  NumaBench& bench = prepared.value();
  const std::vector<Pair> cells = bench.cells(Own::kIncluded, kBlocksPerCell);
  Result<Experiment::Kept> kept = written_by_owners(bench, cells);
  if (!kept) return kept.error();
  Experiment experiment(bench, std::move(kept).value());
  for (const Pair& places : cells) experiment.add(places);
  return experiment.run();
}

const Registration kRegistered(kInfo, run);

}  // namespace
}  // namespace groma::survey
