// Allocating and first touching blocks, all places at once and one alone (docs/probes/numa_allocation.md).
#include <algorithm>
#include <array>

#include "base/quantile.hpp"
#include "survey/numa_bench.hpp"

namespace groma::survey {
namespace {

const ProbeInfo kInfo{
    .name = "numa_allocation",
    .title = "Allocation and first touch",
    .measures =
        "time (s) to map a block, to touch each of its pages for the first and the second time, and to unmap "
        "it, per place: all cores together and one core alone",
    .method =
        "one thread per core maps a block, touches one byte of every 4 KiB twice and unmaps it; with small "
        "pages and with transparent huge pages; of the cores of a place the median",
    .traffic = "the kernel zeroes the whole block once; one byte written per 4 KiB page",
    .reference = "Kyrola, Early NUMA Benchmarks on Blacklight (2011), section 2.4",
    .order = 72,
    .parameters = with_numa_parameters(
        {
            {"budget", "0.3", "1", "10", "seconds after which sampling stops"},
            {"rounds", "8", "20", "60", "rounds after which sampling stops"},
        },
        // No cache is in play, and a page fault in a guest may take microseconds.
        {"most_block", "4194304", "16777216", "134217728", "largest block in bytes", "bytes"}),
};

enum Measure : std::size_t { kAllocation, kFirstTouch, kSecondTouch, kRelease, kMeasures };
constexpr std::array<const char*, kMeasures> kNames = {"allocation", "first_touch", "second_touch",
                                                       "release"};
constexpr std::array kPageModes = {PageMode::kSmall, PageMode::kHuge};

double time_of(const TouchTimes& times, std::size_t measure) {
  const std::array all = {times.allocation, times.first_touch, times.second_touch, times.release};
  return all.at(measure).value();
}

/// The places that act at once with their cores, and the first of their cases.
struct Group {
  std::vector<std::uint32_t> places;
  PageMode pages;
  bool together;
  std::size_t first_case;
};

class Experiment {
 public:
  Experiment(NumaBench& bench, Bytes block) : bench_(bench), block_(block) {}

  void add(std::vector<std::uint32_t> places, PageMode pages, bool together) {
    groups_.push_back({std::move(places), pages, together, cases_.size()});
    for (const std::uint32_t place : groups_.back().places) {
      for (const char* const name : kNames) cases_.push_back(describe(name, place, pages, together));
    }
  }

  Status run() {
    std::vector<Task> tasks;
    for (const Group& group : groups_) {
      tasks.push_back({[this, &group](Recorder& recorder) { touch_at_once(group, recorder); }});
    }
    return bench_.sample(cases_, tasks);
  }

 private:
  [[nodiscard]] Case describe(const char* measure, std::uint32_t place, PageMode pages, bool together) const {
    return bench_.describe(measure, {block_, block_})
        .with("place", bench_.places().list[place].id)
        .with("pages", name_of(pages))
        .with("together", together);
  }

  /// All cores of the places, or one of each where one place acts alone.
  [[nodiscard]] std::vector<PhysicalCore> cpus_of(const Group& group) const {
    std::vector<PhysicalCore> cpus;
    for (const std::uint32_t place : group.places) {
      const std::vector<PhysicalCore>& own = bench_.places().list[place].cpus;
      cpus.insert(cpus.end(), own.begin(), group.together ? own.end() : own.begin() + 1);
    }
    return cpus;
  }

  void touch_at_once(const Group& group, Recorder& recorder) {
    if (bench_.is_over()) return;
    const auto touched = bench_.memory().touch(cpus_of(group), block_, group.pages);
    if (!touched) return bench_.failures().note(touched.error());
    std::size_t which = group.first_case;
    std::span<const TouchTimes> left = touched.value();
    for (const std::uint32_t place : group.places) {
      const std::size_t cores = group.together ? bench_.places().list[place].cpus.size() : 1;
      record(left.first(cores), which, recorder);
      left = left.subspan(cores);
      which += kMeasures;
    }
  }

  /// The median over the cores of a place.
  static void record(std::span<const TouchTimes> cores, std::size_t which, Recorder& recorder) {
    for (std::size_t measure = 0; measure < kMeasures; ++measure) {
      std::vector<double> times;
      for (const TouchTimes& one : cores) times.push_back(time_of(one, measure));
      recorder.sample(which + measure, quantile(std::move(times), 0.5));
    }
  }

  NumaBench& bench_;
  Bytes block_;
  std::vector<Case> cases_;
  std::vector<Group> groups_;
};

/// Places that also act alone: all, or some spread evenly over many.
std::vector<std::uint32_t> alone_among(std::uint32_t places) {
  constexpr std::uint32_t kMaxAlone = 256;
  std::vector<std::uint32_t> chosen;
  const std::uint32_t count = std::min(places, kMaxAlone);
  for (std::uint32_t i = 0; i < count; ++i) {
    chosen.push_back(static_cast<std::uint32_t>(std::uint64_t{i} * places / count));
  }
  return chosen;
}

/// The largest block with which all groups have their turn in part of the time, from the times of small
/// blocks.
Result<Bytes> affordable_block(NumaBench& bench, const std::vector<PhysicalCore>& cores, std::size_t alone,
                               Bytes most) {
  constexpr double kShareOfRound = 0.5;
  constexpr Bytes kLeast = 1_MiB;
  const auto timed = [&](const std::vector<PhysicalCore>& cpus) {
    return bench.timed([&]() -> Status {
      const auto touched = bench.memory().touch(cpus, kLeast, PageMode::kSmall);
      if (!touched) return touched.error();
      return Done{};
    });
  };
  const Result<Seconds> together = timed(cores);
  if (!together) return together.error();
  const Result<Seconds> one = timed({cores.front()});
  if (!one) return one.error();
  const Seconds least = (together.value() + one.value() * static_cast<double>(alone)) * kPageModes.size();
  const ReadCost cost{Seconds(0.0), least.value() / static_cast<double>(kLeast.value())};
  return affordable_part(cost, 1.0, bench.time_left() * kShareOfRound, kLeast, most);
}

Status run(const Context& context) {
  Result<NumaBench> prepared = NumaBench::prepare(context);
  if (!prepared) return prepared.error();
  NumaBench& bench = prepared.value();
  std::vector<PhysicalCore> cores;
  std::vector<std::uint32_t> everyone;
  for (const NumaPlace& place : bench.places().list) {
    everyone.push_back(static_cast<std::uint32_t>(everyone.size()));
    cores.insert(cores.end(), place.cpus.begin(), place.cpus.end());
  }
  const std::vector<std::uint32_t> alone = alone_among(bench.places().count());
  const Result<Bytes> most = bench.block_size(cores.size(), 1);
  if (!most) return most.error();
  const Result<Bytes> block = affordable_block(bench, cores, alone.size(), most.value());
  if (!block) return block.error();
  Experiment experiment(bench, block.value());
  for (const PageMode pages : kPageModes) {
    experiment.add(everyone, pages, true);
    for (const std::uint32_t place : alone) experiment.add({place}, pages, false);
  }
  return experiment.run();
}

const Registration kRegistered(kInfo, run);

}  // namespace
}  // namespace groma::survey
