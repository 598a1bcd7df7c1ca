// Load latency of one core while the others of its NUMA node stream (docs/probes/loaded_latency.md).
#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <string>

#include "base/team.hpp"
#include "survey/chase.hpp"
#include "survey/stream_bench.hpp"
#include "survey/task_status.hpp"

namespace groma::survey {
namespace {

const ProbeInfo kInfo{
    .name = "loaded_latency",
    .title = "Loaded memory latency",
    .measures =
        "time of one dependent load (s) while the other cores of the NUMA node move so many bytes per second "
        "(B/s), for several shares of reads",
    .method =
        "a random chase through memory on one core; the others stream pieces of 1 KiB per stream with "
        "pauses between, from a twentieth of full pace to full pace; points interleaved",
    .traffic = "64 bytes per load of the chase; read, triad or copy on the other cores",
    .reference = "Intel Memory Latency Checker (loaded latencies); Servet, section 3: memory access overhead",
    .order = 52,
    .parameters =
        {
            {"budget", "1.2", "5", "20", "seconds after which sampling stops, set-up included"},
            {"rounds", "40", "80", "300", "rounds after which sampling stops"},
            {"loads", "2048", "2048", "4096", "dependent loads of one sample", "count<=1000000"},
            {"paces", "0.15,0.5,1", "0.05,0.15,0.3,0.5,0.7,0.85,1",
             "0.05,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1", "shares of full pace at which the others stream",
             "shares"},
            kStreamMemory,
        },
};

constexpr std::size_t kLine = 64;
/// About a second under load: a sample cannot be interrupted.
constexpr std::uint64_t kMaxLoads = 1'000'000;
/// A sample waits for the first pauses to end, at this pace for some hundredths of a second.
constexpr double kLeastPace = 1e-4;
constexpr std::array<std::string_view, 3> kMixes = {"read", "triad", "copy"};
/// 16 lines of each stream: a pass over fewer is mostly overhead, more would come in bursts.
constexpr std::size_t kPiece = 128;
/// The chase runs this long before it is timed, so that injection has set in.
constexpr std::size_t kLeadIn = 512;
constexpr int kFirstRoundAttempts = 5;
/// Full pace is that of the best of these windows: whatever else runs can only slow it.
constexpr int kCalibrations = 6;
constexpr std::uint64_t kCalibrationTurns = 400'000;

struct Mix {
  Choice choice;
  Seconds per_piece;  ///< at full pace of all injectors
};

struct Point {
  const Mix* mix;  ///< null for the idle memory
  double pace;
  std::size_t latency;    ///< number of its case
  std::size_t bandwidth;  ///< number of its case
};

struct Observation {
  WorkWatch chase;
  std::vector<WorkWatch> injections;
  std::uint64_t pieces = 0;

  [[nodiscard]] bool disturbed() const {
    return chase.lost_core() || std::any_of(injections.begin(), injections.end(),
                                            [](const WorkWatch& one) { return one.lost_core(); });
  }
};

/// The core that chases, its chain, and those that inject.
struct Bench {
  StreamBench streams;
  std::vector<Streamer> injectors;
  Seconds per_turn;  ///< of pause_for()
  Link* at;
  std::size_t loads;
  TaskStatus failures;

  [[nodiscard]] LogicalCore chaser() const { return streams.cores().front(); }
};

/// Cores of the chaser's NUMA node that share no physical core with it, the chaser first.
std::vector<LogicalCore> chaser_and_injectors(const Topology& topology) {
  std::vector<LogicalCore> cores = allowed_cores(topology);
  if (cores.empty()) return cores;
  const TopologyCore& chaser = topology.cores.at(cores.front().number());
  std::erase_if(cores, [&](LogicalCore core) {
    const TopologyCore& one = topology.cores.at(core.number());
    return one.logical != chaser.logical && (one.numa != chaser.numa || one.core == chaser.core);
  });
  return cores;
}

/// Links the chaser's whole ring into one cycle, on its own core.
Status link_chain(Bench& bench) {
  const std::array chaser = {bench.chaser()};
  const Streamer self = bench.streams.streamers(chaser).front();
  const std::span<double> memory = self.ring->next(self.ring->size().value() / sizeof(double));
  const std::size_t nodes = memory.size_bytes() / kLine;
  const RandomStream random(bench.streams.context().parameters.count("seed"));
  return run_team({self.cpu}, [&](const TeamMember&) {
    bench.at = ChaseOrder(nodes, random).link(reinterpret_cast<std::byte*>(memory.data()), nodes, kLine);
  });
}

std::uint64_t total(std::span<const StreamProgress> progress) {
  return std::accumulate(progress.begin(), progress.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const StreamProgress& one) {
                           return sum + one.pieces.load(std::memory_order_relaxed);
                         });
}

/// `work` runs on `cpu` while all injectors stream, and returns when they may stop.
template <class Work>
Status while_injecting(const Bench& bench, const Choice& choice, Pace pace, std::vector<WorkWatch>& watches,
                       const Work& work) {
  std::vector<StreamProgress> progress(bench.injectors.size());
  std::atomic<bool> stop = false;
  std::vector<PhysicalCore> cpus = {bench.streams.context().topology.physical(bench.chaser())};
  for (const Streamer& injector : bench.injectors) cpus.push_back(injector.cpu);
  watches.resize(bench.injectors.size());
  return run_team(cpus, [&](const TeamMember& member) {
    if (member.index == 0) {
      member.barrier.wait();
      work(progress);
      stop = true;
      return;
    }
    const Streamer& self = bench.injectors[member.index - 1];
    stream_through(*self.ring, choice.pass(), self.warm_up);
    member.barrier.wait();
    WorkWatch watch;
    stream_until(stop, *self.ring, choice.pass(), pace, progress[member.index - 1]);
    watch.stop();
    watches[member.index - 1] = watch;
  });
}

/// An injector may have lost its core on the way.
void wait_for_all(std::span<const StreamProgress> progress) {
  for (const StreamProgress& one : progress) {
    while (one.pieces.load(std::memory_order_relaxed) == 0) pause_for(1000);
  }
}

void chase(Bench& bench, std::span<const StreamProgress> progress, Observation& seen) {
  wait_for_all(progress);
  bench.at = walk(bench.at, kLeadIn);
  const std::uint64_t before = total(progress);
  seen.chase = WorkWatch();
  bench.at = walk(bench.at, bench.loads);
  seen.chase.stop();
  seen.pieces = total(progress) - before;
}

Pace pace_of(const Bench& bench, const Point& point) {
  const double pause = point.mix->per_piece / bench.per_turn * (1.0 / point.pace - 1.0);
  return {kPiece, static_cast<std::uint64_t>(pause)};
}

Status observe(Bench& bench, const Point& point, Observation& seen) {
  if (point.mix == nullptr) {
    const PhysicalCore cpu = bench.streams.context().topology.physical(bench.chaser());
    return run_team({cpu}, [&](const TeamMember&) { chase(bench, {}, seen); });
  }
  const auto work = [&](std::span<const StreamProgress> progress) { chase(bench, progress, seen); };
  return while_injecting(bench, point.mix->choice, pace_of(bench, point), seen.injections, work);
}

/// Bytes that cross to memory and back for one piece: fetched lines of regular stores are traffic, too.
Bytes traffic_per_piece(const StreamKernel& kernel) {
  return (kernel.bytes_per_element() + kernel.write_allocate_per_element()) * kPiece;
}

/// Latency and bandwidth belong together: both are recorded or none. The first round records what there is.
void record(Recorder& recorder, const Bench& bench, const Point& point, const Observation& seen) {
  if (seen.disturbed() && recorder.round() > 0) return recorder.discard(2);
  const Seconds elapsed = seen.chase.elapsed();
  const Bytes moved =
      point.mix == nullptr ? Bytes() : traffic_per_piece(*point.mix->choice.kernel) * seen.pieces;
  recorder.sample(point.latency, elapsed.value() / static_cast<double>(bench.loads));
  recorder.sample(point.bandwidth, (moved / elapsed).value());
}

/// The first round tries more than once: it must give every point a sample.
Status observe_for_round(Bench& bench, const Point& point, std::uint32_t round, Observation& seen) {
  const int most = round == 0 ? kFirstRoundAttempts : 1;
  for (int attempt = 0; attempt < most; ++attempt) {
    seen = Observation();
    if (const Status status = observe(bench, point, seen); !status) return status;
    if (!seen.disturbed()) break;
  }
  return Done{};
}

Task visit_each_round(Bench& bench, const Point& point) {
  return {[&bench, &point](Recorder& recorder) {
    Observation seen;
    const Status status = observe_for_round(bench, point, recorder.round(), seen);
    bench.failures.note(status);
    if (status) record(recorder, bench, point, seen);
  }};
}

Seconds time_of_turn_on(const PhysicalCore& cpu, const Clock& clock) {
  Seconds found;
  const auto time = [&](const TeamMember&) { found = time_of_turn(clock); };
  return run_team({cpu}, time) ? found : Seconds(1e-9);
}

/// How long a piece takes one injector when all stream at full pace.
Result<Mix> calibrate(const Bench& bench, const Choice& choice) {
  Seconds per_piece(1.0);
  std::vector<WorkWatch> injections;
  const auto watch_windows = [&](std::span<const StreamProgress> progress) {
    wait_for_all(progress);
    for (int window = 0; window < kCalibrations; ++window) {
      const std::uint64_t before = total(progress);
      WorkWatch watch;
      pause_for(kCalibrationTurns);
      watch.stop();
      const auto pieces = static_cast<double>(std::max<std::uint64_t>(total(progress) - before, 1));
      per_piece = std::min(per_piece, watch.elapsed() * (static_cast<double>(progress.size()) / pieces));
    }
  };
  const Status status = while_injecting(bench, choice, {kPiece}, injections, watch_windows);
  if (!status) return status.error();
  return Mix{choice, per_piece};
}

/// Pieces are too short for strands: each piece would begin new ones and the prefetchers lose track.
Choice with_one_strand(const Choice& choice) {
  for (const StreamVariant& variant : choice.kernel->variants) {
    if (variant.isa == choice.variant->isa && variant.strands == 1) return {choice.kernel, &variant};
  }
  return choice;
}

/// The mixes that this machine can inject: none where the chaser is alone.
Result<std::vector<Mix>> prepare_mixes(Bench& bench) {
  std::vector<Mix> mixes;
  if (bench.injectors.empty()) return mixes;
  std::vector<const StreamKernel*> kernels;
  for (const std::string_view name : kMixes) kernels.push_back(with_non_temporal_stores(name));
  const auto choices = bench.streams.choose(kernels, "auto");
  if (!choices) return choices.error();
  for (const Choice& choice : choices.value()) {
    const Result<Mix> mix = calibrate(bench, with_one_strand(choice));
    if (!mix) return mix.error();
    mixes.push_back(mix.value());
  }
  return mixes;
}

/// Bandwidth falls less than the pace where full pace saturates the memory, so the knee is met closely.
Result<std::vector<double>> asked_paces(const Parameters& parameters) {
  std::vector<double> paces;
  for (const std::string& text : parameters.list("paces")) {
    double& pace = paces.emplace_back(0.0);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pace);
    if (error != std::errc() || end != text.data() + text.size() || !(pace >= kLeastPace && pace <= 1.0)) {
      return Error{"usage", "'" + text + "' is not a pace",
                   "write paces from 0.0001 to 1, such as paces=0.2,0.5,1"};
    }
  }
  return paces;
}

std::vector<Point> plan(const std::vector<Mix>& mixes, const std::vector<double>& paces) {
  std::vector<Point> points = {{nullptr, 0.0, 0, 1}};
  for (const Mix& mix : mixes) {
    for (const double pace : paces) points.push_back({&mix, pace, 2 * points.size(), 2 * points.size() + 1});
  }
  return points;
}

Case describe(const Bench& bench, const Point& point, std::string_view unit, std::string_view quantity) {
  const StreamKernel* const kernel = point.mix == nullptr ? nullptr : point.mix->choice.kernel;
  return Case(unit)
      .with("quantity", quantity)
      .with("core", bench.chaser().number())
      .with("ring_bytes", bench.streams.ring_size().value())
      .with("injectors", kernel == nullptr ? 0 : bench.injectors.size())
      .with("kernel", kernel == nullptr ? Json::null() : Json(kernel->name))
      .with("read_fraction", kernel == nullptr ? Json::null() : Json(kernel->read_fraction()))
      .with("pace", point.pace);
}

Status sample(Bench& bench, const std::vector<Point>& points) {
  std::vector<Case> cases;
  std::vector<Task> tasks;
  for (const Point& point : points) {
    cases.push_back(describe(bench, point, "s", "latency"));
    cases.push_back(describe(bench, point, "B/s", "bandwidth"));
    tasks.push_back(visit_each_round(bench, point));
  }
  bench.streams.context().sample(cases, tasks, bench.streams.rule());
  return bench.failures.status();
}

Status run(const Context& context) {
  const auto paces = asked_paces(context.parameters);
  if (!paces) return paces.error();
  const std::uint64_t asked = context.parameters.count("loads");
  if (asked > kMaxLoads) {
    return Error{"usage", "parameter loads takes at most " + std::to_string(kMaxLoads),
                 "use more rounds instead"};
  }
  Result<StreamBench> streams =
      StreamBench::prepare(context, chaser_and_injectors(context.topology), "loaded latency");
  if (!streams) return streams.error();
  const std::size_t loads = std::max<std::uint64_t>(asked / 16 * 16, 16);
  Bench bench{std::move(streams).value(), {}, Seconds(1e-9), nullptr, loads, {}};
  bench.injectors = bench.streams.streamers(std::span(bench.streams.cores()).subspan(1));
  bench.per_turn = time_of_turn_on(context.topology.physical(bench.chaser()), context.clock);
  const auto mixes = prepare_mixes(bench);
  if (!mixes) return mixes.error();
  if (const Status linked = link_chain(bench); !linked) return linked;
  return sample(bench, plan(mixes.value(), paces.value()));
}

const Registration kRegistered(kInfo, run);

}  // namespace
}  // namespace groma::survey
