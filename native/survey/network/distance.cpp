// The Distance Benchmark: how bandwidth falls with the distance between ranks when all send at once.
#include <algorithm>

#include "base/quantile.hpp"
#include "mpi/clock_sync.hpp"
#include "survey/network/shift.hpp"

namespace groma::survey::network {
namespace {

const ProbeInfo kInfo{
    .name = "net_distance",
    .title = "Bandwidth over distance",
    .measures = "time of a message to the rank d places further on, while every rank sends (s)",
    .method =
        "each round visits all distances 1 … N/2 in a new random order, each from a barrier; every rank "
        "sends "
        "pieces until each rank has its message",
    .traffic = "a quarter more than one message of each rank per sample",
    .reference = "Servet 3.0, section 4.1",
    .order = 50,
    .ranks = "one_per_node",
    .parameters = {
        {"bytes", "33554432", "33554432", "33554432", "largest message in bytes; the budget may reduce it"},
        {"budget", "5", "20", "120", "seconds for all rounds"},
        {"rounds", "8", "15", "40", "rounds after which sampling stops"},
        {"distances", "0", "0", "0", "largest distance, 0 for half of the ranks"}}};

constexpr std::uint32_t kMinRounds = 7;
constexpr std::size_t kMaxTried = 6;
/// With more ranks than this, statistics are recorded instead of the times of each rank.
constexpr int kMaxRanksApart = 64;

Shift shift_by(const mpi::Communicator& world, std::size_t distance) {
  const auto step = static_cast<int>(distance);
  const int ranks = world.size();
  return {.to = (world.rank() + step) % ranks, .from = (world.rank() + ranks - step) % ranks};
}

std::size_t largest_distance(const Context& context) {
  const auto half = static_cast<std::size_t>(context.world.size() / 2);
  const std::uint64_t asked = context.parameters.count("distances");
  return asked == 0 ? half : std::min<std::size_t>(half, asked);
}

/// A few distances from the first to the last.
std::vector<Shift> shifts_to_try(const Context& context, std::size_t distances) {
  const std::size_t count = std::min(distances, kMaxTried);
  std::vector<Shift> shifts;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t distance = count == 1 ? 1 : 1 + i * (distances - 1) / (count - 1);
    shifts.push_back(shift_by(context.world, distance));
  }
  return shifts;
}

/// ShiftTimings of one round, by distance - 1.
using ShiftTimings = std::vector<ShiftTiming>;

std::vector<double> times_of(const ShiftTimings& timings) {
  std::vector<double> times;
  times.reserve(timings.size());
  for (const ShiftTiming& one : timings) times.push_back(one.time.value());
  return times;
}

/// The samples of a round: the times of each rank, or statistics over the ranks.
class SampleCases {
 public:
  SampleCases(const Context& context, std::size_t distances, std::uint64_t bytes, std::uint64_t piece)
      : context_(context), distances_(distances), bytes_(bytes), piece_(piece) {}

  [[nodiscard]] std::vector<Case> cases() const { return each_rank() ? rank_cases() : statistic_cases(); }

  /// Collective.
  void record(const ShiftTimings& timings, RoundNotes& notes) const {
    each_rank() ? record_own(timings, notes) : record_statistics(times_of(timings), notes);
  }

 private:
  static constexpr std::size_t kStatistics = 3;

  [[nodiscard]] bool each_rank() const { return context_.world.size() <= kMaxRanksApart; }
  [[nodiscard]] std::size_t ranks() const { return static_cast<std::size_t>(context_.world.size()); }
  [[nodiscard]] std::size_t own() const { return static_cast<std::size_t>(context_.world.rank()); }

  [[nodiscard]] Case sized(Case one) const {
    one.with("bytes", bytes_).with("piece", piece_);
    return one;
  }

  [[nodiscard]] std::vector<Case> rank_cases() const {
    std::vector<Case> cases;
    for (std::size_t distance = 1; distance <= distances_; ++distance) {
      for (std::size_t rank = 0; rank < ranks(); ++rank) {
        cases.push_back(sized(Case("s").with("distance", distance).with("rank", rank)));
      }
    }
    return cases;
  }

  [[nodiscard]] std::vector<Case> statistic_cases() const {
    std::vector<Case> cases;
    for (std::size_t distance = 1; distance <= distances_; ++distance) {
      for (const char* name : {"slowest", "mean", "harmonic"}) {
        cases.push_back(sized(Case("s").with("distance", distance).with("statistic", name)));
      }
    }
    for (std::size_t rank = 0; rank < ranks(); ++rank) {
      cases.push_back(sized(Case("1").with("rank", rank).with("statistic", "relative")));
    }
    return cases;
  }

  void record_own(const ShiftTimings& timings, RoundNotes& notes) const {
    for (std::size_t i = 0; i < timings.size(); ++i) {
      notes.sample(i * ranks() + own(), timings[i].time.value());
    }
  }

  /// Times that the bandwidths of a message belong to: of the slowest rank, of the ranks' average bandwidth,
  /// and of their harmonic one, which is the mean of times. And how this rank's times are to those of all.
  void record_statistics(const std::vector<double>& times, RoundNotes& notes) const {
    const mpi::Communicator& world = context_.world;
    const auto count = static_cast<double>(ranks());
    std::vector<double> relative;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const double slowest = world.reduce_to_all(times[i], mpi::Reduction::kMax);
      const double rates = world.reduce_to_all(1.0 / times[i], mpi::Reduction::kSum);
      const double mean = world.reduce_to_all(times[i], mpi::Reduction::kSum) / count;
      relative.push_back(times[i] / mean);
      if (!world.is_root()) continue;
      notes.sample(i * kStatistics, slowest);
      notes.sample(i * kStatistics + 1, count / rates);
      notes.sample(i * kStatistics + 2, mean);
    }
    notes.sample(distances_ * kStatistics + own(), quantile(relative, 0.5));
  }

  const Context& context_;
  std::size_t distances_;
  std::uint64_t bytes_;
  std::uint64_t piece_;
};

/// From the first to the last rank that starts, by distance and round, on one time scale. On the root.
class StartSkews {
 public:
  explicit StartSkews(const Context& context) : world_(context.world), sync_(context.world, context.clock) {}

  void before_round() { sync_.observe(); }

  void after_round(const ShiftTimings& timings) {
    sync_.observe();
    const mpi::ClockModel model = sync_.settle();
    std::vector<double> first;
    for (const ShiftTiming& one : timings) first.push_back(model.to_reference(one.start).value());
    std::vector<double> last = first;
    world_.reduce_to_root(std::span(first), mpi::Reduction::kMin);
    world_.reduce_to_root(std::span(last), mpi::Reduction::kMax);
    for (std::size_t i = 0; i < first.size(); ++i) skews_.push_back(last[i] - first[i]);
    uncertainties_.push_back(world_.reduce_to_all(model.uncertainty.value(), mpi::Reduction::kMax));
  }

  [[nodiscard]] Json json() const {
    return JsonObject()
        .add("unit", "s")
        .add("p50", quantile(skews_, 0.5))
        .add("p95", quantile(skews_, 0.95))
        .add("clock_uncertainty", quantile(uncertainties_, 0.5))
        .json();
  }

 private:
  const mpi::Communicator& world_;
  mpi::ClockSync sync_;
  std::vector<double> skews_;
  std::vector<double> uncertainties_;
};

ShiftTimings time_all(const Context& context, ShiftBench& bench, std::uint64_t bytes, RandomStream random,
                      std::size_t distances, RoundNotes& notes) {
  ShiftTimings timings(distances);
  for (const std::size_t i : shuffled_indices(distances, random)) {
    timings[i] = bench.run(shift_by(context.world, i + 1), bytes, &notes);
  }
  return timings;
}

Status check_parameters(const Parameters& /*parameters*/, int ranks) {
  if (ranks > 1) return Done{};
  return Error{"usage", "one rank has no distance to another", "start it on two nodes"};
}

Result<Outcome> run(const Context& context) {
  const std::size_t distances = largest_distance(context);
  const std::uint64_t most = std::max<std::uint64_t>(1, context.parameters.count("bytes"));
  Result<Buffers> buffers = Buffers::make(context, most, 2);
  if (!buffers) return buffers.error();
  ShiftBench bench(context, std::move(buffers).value());
  const SamplingRule rule = median_rule(context, kMinRounds);
  const std::size_t rounds = rule.min_rounds + 1;  // with the one that warms up
  const std::uint64_t bytes =
      fit_shifts(context, bench, shifts_to_try(context, distances), rule, rounds * distances);
  const std::uint64_t piece = pieces_of(bytes, bench.pieces()).bytes;
  const SampleCases samples(context, distances, bytes, piece);
  StartSkews skews(context);
  sample_rounds(context, samples.cases(), rule, [&](RandomStream random, RoundNotes& notes) {
    skews.before_round();
    const ShiftTimings timings = time_all(context, bench, bytes, random, distances, notes);
    skews.after_round(timings);
    samples.record(timings, notes);
  });
  if (const Status valid = bench.validated(); !valid) return valid.error();
  return Outcome{.facts =
                     JsonObject().add("bytes", bytes).add("piece", piece).add("start_skew", skews.json())};
}

const Registration kRegistered(kInfo, {run, check_parameters});

}  // namespace
}  // namespace groma::survey::network
