// Allocating and first touching blocks, all places at once and one alone (docs/probes/numa_allocation.md).
#include <array>

#include "base/team.hpp"
#include "survey/numa_places.hpp"

namespace groma::survey {
namespace {

const ProbeInfo kInfo{
    .name = "numa_allocation",
    .title = "Allocation and first touch",
    .measures =
        "time (s) to map a block and time (s) to touch each of its pages for the first time, per place: all "
        "places together and each alone",
    .method =
        "one thread per place maps a block, touches one byte of every 4 KiB and unmaps it; with small pages "
        "and with transparent huge pages",
    .traffic = "the kernel zeroes the whole block once; one byte written per 4 KiB page",
    .reference = "Kyrola, Early NUMA Benchmarks on Blacklight (2011), section 2.4",
    .order = 72,
    .parameters = with_numa_parameters(
        {
            {"budget", "0.3", "1", "10", "seconds after which sampling stops"},
            {"rounds", "8", "20", "60", "rounds after which sampling stops"},
        },
        // No cache is in play, and a page fault in a guest may take microseconds.
        {"most_block", "4194304", "16777216", "134217728", "largest block in bytes"}),
};

enum Measure : std::size_t { kAllocation, kFirstTouch, kMeasures };
constexpr std::array<const char*, kMeasures> kNames = {"allocation", "first_touch"};
constexpr std::array kPageModes = {PageMode::kSmall, PageMode::kHuge};

struct Allocated {
  std::array<Seconds, kMeasures> times;
  Status status = Done{};
};

/// On the calling thread; the block is unmapped again.
Allocated allocate(Bytes size, PageMode pages) {
  Allocated allocated;
  const std::int64_t start = monotonic_ns();
  const Result<Block> block = Block::map(size, pages);
  const std::int64_t mapped = monotonic_ns();
  if (!block) return {{}, block.error()};
  block.value().touch();
  allocated.times = {between(start, mapped), between(mapped, monotonic_ns())};
  return allocated;
}

/// The places that act at once, and the first of their cases: two for each place.
struct Group {
  std::vector<std::uint32_t> places;
  PageMode pages;
  std::size_t first_case;
};

class Experiment {
 public:
  explicit Experiment(NumaBench& bench) : bench_(bench) {}

  void add(std::vector<std::uint32_t> places, PageMode pages, bool together) {
    groups_.push_back({std::move(places), pages, cases_.size()});
    for (const std::uint32_t place : groups_.back().places) {
      for (const char* const name : kNames) cases_.push_back(describe(name, place, pages, together));
    }
  }

  Status run() {
    std::vector<Task> tasks;
    for (const Group& group : groups_) {
      tasks.push_back({[this, &group](Recorder& recorder) { allocate_at_once(group, recorder); }});
    }
    return bench_.sample(cases_, tasks);
  }

 private:
  [[nodiscard]] Case describe(const char* measure, std::uint32_t place, PageMode pages, bool together) const {
    return bench_.describe(measure)
        .with("place", bench_.places().list[place].id)
        .with("pages", name_of(pages))
        .with("together", together);
  }

  void allocate_at_once(const Group& group, Recorder& recorder) {
    if (bench_.is_over()) return;
    const std::vector<PhysicalCore> cpus = bench_.places().cpus(group.places);
    std::vector<Allocated> allocated(cpus.size());
    bench_.failures().note(run_team(cpus, [&](const TeamMember& member) {
      allocated[member.index] = allocate(bench_.block_size(), group.pages);
    }));
    std::size_t which = group.first_case;
    for (const Allocated& one : allocated) {
      bench_.failures().note(one.status);
      for (const Seconds time : one.times) recorder.sample(which++, time.value());
    }
  }

  NumaBench& bench_;
  std::vector<Case> cases_;
  std::vector<Group> groups_;
};

Status run(const Context& context) {
  Result<NumaBench> prepared = NumaBench::prepare(context);
  if (!prepared) return prepared.error();
  Experiment experiment(prepared.value());
  const std::vector<std::uint32_t> everyone = prepared.value().places().indexes();
  for (const PageMode pages : kPageModes) {
    experiment.add(everyone, pages, true);
    for (const std::uint32_t place : everyone) experiment.add({place}, pages, false);
  }
  return experiment.run();
}

const Registration kRegistered(kInfo, run);

}  // namespace
}  // namespace groma::survey
