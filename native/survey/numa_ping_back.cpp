// What the owner of a block pays after another place has read it (docs/probes/numa_ping_back.md).
#include <array>

#include "survey/numa_places.hpp"

namespace groma::survey {
namespace {

const ProbeInfo kInfo{
    .name = "numa_ping_back",
    .title = "Ping-back of a block",
    .measures =
        "time (s) of five readings of one block: by its owner, twice by another place, twice by its owner",
    .method = "the owner maps and writes a new block, then the five readings follow one after the other",
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

/// The block is zeroed by the kernel and written, then read five times.
constexpr double kBlocksPerPair = 7.0;

std::vector<Case> describe(const NumaBench& bench, const Pair& pair) {
  const std::vector<NumaPlace>& list = bench.places().list;
  std::vector<Case> cases;
  for (const Step& step : kSteps) {
    cases.push_back(bench.describe("ping_back")
                        .with("step", step.name)
                        .with("owner", list[pair.first].id)
                        .with("other", list[pair.second].id));
  }
  return cases;
}

void play(NumaBench& bench, const Pair& pair, std::size_t first_case, Recorder& recorder) {
  if (bench.is_over() || !bench.move_to(pair.first)) return;
  const Result<Block> block = bench.written_block();
  if (!block) return bench.failures().note(block.error());
  for (std::size_t i = 0; i < kSteps.size(); ++i) {
    if (!bench.move_to(kSteps[i].by_owner ? pair.first : pair.second)) return;
    recorder.sample(first_case + i, bench.read(block.value()).value());
  }
}

Status run(const Context& context) {
  Result<NumaBench> prepared = NumaBench::prepare(context);
  if (!prepared) return prepared.error();
  NumaBench& bench = prepared.value();
  if (bench.places().count() < 2) {
    return Error{"probe.needs_cores", "the ping-back needs two cores, but this process may use only one",
                 "widen the affinity mask or the cpuset"};
  }
  std::vector<Case> cases;
  std::vector<Task> tasks;
  for (const Pair& pair : bench.cells(Own::kExcluded, kBlocksPerPair)) {
    tasks.push_back({[&bench, pair, first_case = cases.size()](Recorder& recorder) {
      play(bench, pair, first_case, recorder);
    }});
    for (Case& one : describe(bench, pair)) cases.push_back(std::move(one));
  }
  return bench.sample(cases, tasks);
}

const Registration kRegistered(kInfo, run);

}  // namespace
}  // namespace groma::survey
