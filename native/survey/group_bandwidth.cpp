// Memory bandwidth over the number of cores of each group that may contend (docs/probes/group_bandwidth.md).
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "base/topology_queries.hpp"
#include "survey/stream_bench.hpp"
#include "survey/stream_groups.hpp"
#include "survey/task_status.hpp"

namespace groma::survey {
namespace {

const ProbeInfo kInfo{
    .name = "group_bandwidth",
    .title = "Memory bandwidth over the cores of a group",
    .measures =
        "bytes per second (B/s) of a triad on 1, 2, 3 … all cores that share a cache, a NUMA node, a package "
        "or the machine",
    .method =
        "passes of a few MiB per thread from a common start to the last finish; groups and numbers of cores "
        "interleaved",
    .traffic = "24 bytes and 2 flops per element; 8 MiB per thread and pass",
    .reference = "Servet (Gonzalez-Dominguez et al.), section 3: memory access overhead",
    .order = 52,
    .parameters =
        {
            {"budget", "0.8", "3", "12", "seconds after which sampling stops, set-up included"},
            {"rounds", "40", "80", "300", "rounds after which sampling stops"},
            {"groups", "4", "8", "64", "groups of each kind that are measured"},
            {"slice", "8388608", "8388608", "8388608", "bytes per thread and pass, all streams together",
             "bytes>=65536"},
            kStreamMemory,
        },
};

constexpr std::uint32_t kPassesPerVisit = 3;

/// One number of cores of a group.
struct Point {
  const CoreGroup* group;
  std::vector<LogicalCore> cores;
  std::vector<Streamer> streamers;
  TimedStream timed;
};

std::vector<std::uint32_t> numbers(std::span<const LogicalCore> cores) {
  std::vector<std::uint32_t> found;
  for (const LogicalCore core : cores) found.push_back(core.number());
  return found;
}

std::vector<Point> plan(StreamBench& bench, std::span<const CoreGroup> groups, const Choice& choice,
                        Bytes asked_slice) {
  const Bytes slice = std::min(asked_slice, bench.ring_size());
  std::vector<Point> points;
  for (const CoreGroup& group : groups) {
    const std::vector<LogicalCore> order = spread_order(group.cores, bench.context().topology);
    for (const std::size_t count : core_counts(order.size())) {
      std::vector<LogicalCore> cores(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
      const std::vector<Streamer> streamers = bench.streamers(cores);
      points.push_back({&group, std::move(cores), streamers, {choice.pass(), slice, kPassesPerVisit}});
    }
  }
  return points;
}

Case describe(const Point& point, const Choice& choice) {
  return Case("B/s")
      .with("kernel", choice.kernel->name)
      .with("kind", point.group->kind)
      .with("group", numbers(point.group->cores))
      .with("threads", point.cores.size())
      .with("ring_bytes", point.streamers.front().ring->size().value())
      .with("cores", numbers(point.cores));
}

Task visit_each_round(const Point& point, std::size_t which, TaskStatus& failures) {
  return {[&point, which, &failures](Recorder& recorder) {
    const auto passes = time_passes(point.streamers, point.timed);
    if (!passes) return failures.note(passes.error());
    record_passes(recorder, which, counted_bytes(point.timed, point.streamers), passes.value());
  }};
}

Status run(const Context& context) {
  const std::vector<LogicalCore> cores = allowed_cores(context.topology);
  if (cores.size() < 2) {
    return Error{"probe.needs_cores",
                 "bandwidth of groups needs two cores, but this process may use only one",
                 "widen the affinity mask or the cpuset"};
  }
  const Result<Bytes> slice = asked_slice(context.parameters);
  if (!slice) return slice.error();
  Result<StreamBench> bench = StreamBench::prepare(context, cores, "bandwidth of groups");
  if (!bench) return bench.error();
  const std::array kernels = {with_non_temporal_stores("triad")};
  const auto choices = bench.value().choose(kernels, "auto");
  if (!choices) return choices.error();
  const Choice choice = choices.value().front();
  const std::vector<CoreGroup> groups = core_groups(context.topology, context.parameters.count("groups"));
  const std::vector<Point> points = plan(bench.value(), groups, choice, slice.value());
  TaskStatus failures;
  std::vector<Case> cases;
  std::vector<Task> tasks;
  for (const Point& point : points) {
    tasks.push_back(visit_each_round(point, cases.size(), failures));
    cases.push_back(describe(point, choice));
  }
  context.sample(cases, tasks, bench.value().rule());
  return failures.status();
}

const Registration kRegistered(kInfo, run);

}  // namespace
}  // namespace groma::survey
