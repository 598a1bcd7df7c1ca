// Memory bandwidth of the streaming kernels from one to all cores (docs/probes/memory_bandwidth.md).
#include <algorithm>
#include <array>
#include <string>

#include "survey/stream_bench.hpp"
#include "survey/task_status.hpp"

namespace groma::survey {
namespace {

const ProbeInfo kInfo{
    .name = "memory_bandwidth",
    .title = "Memory bandwidth",
    .measures =
        "bytes per second (B/s) of read, write, copy, scale, add and triad, with regular and with "
        "non-temporal stores, for 1, 2, 4 … all cores",
    .method =
        "passes of a few MiB per thread from a common start to the last finish, over arrays of four times "
        "the "
        "last-level caches; kernels and thread counts interleaved",
    .traffic =
        "8 bytes per element of each stream (triad: 24 bytes and 2 flops); the lines that regular stores "
        "fetch "
        "are stated beside and not counted",
    .reference = "McCalpin, STREAM; Servet (Gonzalez-Dominguez et al.), section 3: memory access overhead",
    .order = 50,
    .parameters =
        {
            {"budget", "2.5", "9", "40", "seconds after which sampling stops, set-up included"},
            {"rounds", "60", "150", "600", "rounds after which sampling stops"},
            {"kernels", "all", "all", "all", "kernels separated by commas, or all",
             "list of all|read|write|copy|scale|add|triad|write_nt|copy_nt|scale_nt|add_nt|triad_nt"},
            {"threads", "0", "0", "0", "measure this many threads only; 0 takes 1, 2, 4 … all", "cores"},
            kStreamMemory,
            {"slice", "8388608", "8388608", "8388608", "bytes per thread and pass, all streams together",
             "bytes>=65536"},
            {"isa", "auto", "auto", "auto", "portable, sse2, avx2 or avx512; auto takes the fastest",
             "auto|portable|sse2|avx2|avx512"},
        },
};

constexpr std::uint32_t kPassesPerVisit = 3;
/// Between one and all threads these show the shape of the curve; the others would only add cost.
constexpr std::array<std::string_view, 3> kKernelsBetween = {"read", "triad", "triad_nt"};

/// One point of one curve.
struct Point {
  Choice choice;
  std::vector<LogicalCore> cores;
  std::vector<Streamer> streamers;
  TimedStream timed;
  std::size_t which;  ///< number of its case
};

Result<std::vector<const StreamKernel*>> asked_kernels(const Parameters& parameters) {
  std::vector<const StreamKernel*> kernels;
  if (parameters.text("kernels") == "all") {
    for (const StreamKernel& kernel : stream_kernels()) kernels.push_back(&kernel);
    return kernels;
  }
  for (const std::string& name : parameters.list("kernels")) {
    kernels.push_back(find_stream_kernel(name));
    if (kernels.back() == nullptr) {
      return Error{"usage", "there is no kernel '" + name + "' on this processor",
                   "choose from read, write, copy, scale, add, triad, and those ending in _nt"};
    }
  }
  return kernels;
}

Case describe(const Point& point) {
  const StreamKernel& kernel = *point.choice.kernel;
  std::vector<std::uint32_t> cores;
  for (const LogicalCore core : point.cores) cores.push_back(core.number());
  return Case("B/s")
      .with("kernel", kernel.name)
      .with("threads", point.cores.size())
      .with("ring_bytes", point.streamers.front().ring->size().value())
      .with("cores", cores)
      .with("formula", kernel.formula)
      .with("isa", name_of(point.choice.variant->isa))
      .with("strands", point.choice.variant->strands)
      .with("reads", kernel.reads)
      .with("writes", kernel.writes)
      .with("flops_per_element", kernel.flops)
      .with("bytes_per_element", kernel.bytes_per_element().value())
      .with("write_allocate_per_element", kernel.write_allocate_per_element().value())
      .with("bytes_per_pass", counted_bytes(point.timed, point.streamers).value());
}

std::vector<std::size_t> asked_counts(const Context& context, std::size_t cores) {
  const std::size_t asked = context.parameters.count("threads");
  if (asked > 0) return {asked};
  return thread_counts(cores);
}

bool is_measured(const StreamKernel& kernel, std::size_t threads, const std::vector<std::size_t>& counts) {
  const bool at_end = threads == counts.front() || threads == counts.back();
  return at_end || std::ranges::find(kKernelsBetween, kernel.name) != kKernelsBetween.end();
}

std::vector<Point> plan(StreamBench& bench, const std::vector<Choice>& choices, Bytes asked_slice) {
  const std::vector<LogicalCore>& all = bench.cores();
  const std::vector<std::size_t> counts = asked_counts(bench.context(), all.size());
  const Bytes slice = std::min(asked_slice, bench.ring_size());
  std::vector<Point> points;
  for (const std::size_t threads : counts) {
    const std::vector<LogicalCore> cores(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(threads));
    const std::vector<Streamer> streamers = bench.streamers(cores);
    for (const Choice& choice : choices) {
      if (!is_measured(*choice.kernel, threads, counts)) continue;
      const TimedStream timed{choice.pass(), slice, kPassesPerVisit};
      points.push_back({choice, cores, streamers, timed, points.size()});
    }
  }
  return points;
}

Task visit_each_round(const Point& point, TaskStatus& failures) {
  return {[&point, &failures](Recorder& recorder) {
    const auto passes = time_passes(point.streamers, point.timed);
    if (!passes) return failures.note(passes.error());
    record_passes(recorder, point.which, counted_bytes(point.timed, point.streamers), passes.value());
  }};
}

Status sample(StreamBench& bench, const std::vector<Choice>& choices, Bytes slice) {
  const std::vector<Point> points = plan(bench, choices, slice);
  TaskStatus failures;
  std::vector<Case> cases;
  std::vector<Task> tasks;
  for (const Point& point : points) {
    cases.push_back(describe(point));
    tasks.push_back(visit_each_round(point, failures));
  }
  bench.context().sample(cases, tasks, bench.rule());
  return failures.status();
}

Status refuse_more_threads(const Context& context) {
  const std::size_t cores = context.topology.allowed.size();
  if (context.parameters.count("threads") <= cores) return Done{};
  return Error{"usage", "parameter threads takes at most " + std::to_string(cores) + ", the cores there are",
               "widen the affinity mask or the cpuset, or use fewer threads"};
}

Status run(const Context& context) {
  const auto kernels = asked_kernels(context.parameters);
  if (!kernels) return kernels.error();
  const Result<Bytes> slice = asked_slice(context.parameters);
  if (!slice) return slice.error();
  if (const Status enough = refuse_more_threads(context); !enough) return enough;
  Result<StreamBench> bench =
      StreamBench::prepare(context, allowed_cores(context.topology), "memory bandwidth");
  if (!bench) return bench.error();
  const auto choices = bench.value().choose(kernels.value(), context.parameters.text("isa"));
  if (!choices) return choices.error();
  return sample(bench.value(), choices.value(), slice.value());
}

const Registration kRegistered(kInfo, run);

}  // namespace
}  // namespace groma::survey
