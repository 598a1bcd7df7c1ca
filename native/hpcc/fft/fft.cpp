// One-dimensional FFT: of each rank, alone and all at once, and one that all ranks share.
#include <array>
#include <cmath>
#include <limits>

#include "base/quantile.hpp"
#include "base/random.hpp"
#include "hpcc/benchmark.hpp"
#include "hpcc/fft/checks.hpp"
#include "hpcc/fft/spectrum_check.hpp"
#include "hpcc/statistics.hpp"
#include "job/repetition.hpp"
#include "job/worst_deviation.hpp"
#include "mpi/wait.hpp"

namespace groma::hpcc {
namespace {

using fft::PhaseTimes;
using fft::Transform;
using fft::Workspace;

const BenchmarkInfo kInfo = {
    .name = "fft",
    .title = "Fast Fourier transform",
    .measures =
        "flop/s of a complex transform of each rank, alone (single) and all at once (star), and of one "
        "that all ranks share (mpi)",
    .formula = "5 n log2 n / time, median",
    .validation =
        "every transform: the sum of X[k] r^k at a random point r of the unit circle against the same from "
        "the "
        "input, over n eps ln n, stays under 16; a wrong point, and a wrong value of the input or between "
        "the two "
        "steps, is always found, and any other exact error with a probability of 1 - 2^-52. The first one "
        "also: "
        "inverse, max |x - x0| / ln n / eps; lines of the spectrum against their definition",
    .reference = "HPC Challenge 1.5.0; Bailey 1990; Frigo and Johnson 2005",
    .order = 50,
};

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

double flops(std::uint64_t n) {
  const auto points = static_cast<double>(n);
  return points > 1.0 ? 5.0 * points * std::log2(points) : 0.0;
}

/// Both errors of one transform, in units of the limit's.
struct Errors {
  double round_trip = 0.0;  ///< absolute
  double scaled_round_trip = 0.0;
  double spectrum = 0.0;
};

/// Transforms the input there and back; collective over the transform's ranks. The warm-up of the timed ones.
Errors check(Transform& transform, std::uint64_t seed) {
  fft::fill(transform, seed);
  transform.forward();
  Errors errors;
  errors.spectrum = fft::spectrum_error(transform, seed);
  errors.round_trip = fft::round_trip_error(transform, seed);
  errors.scaled_round_trip = fft::scaled_error(errors.round_trip, transform.shape().points());
  return errors;
}

Errors worst_of(const mpi::Communicator& world, const Errors& own) {
  const auto worst = [&](double value) { return job::WorstDeviation(value).over(world); };
  return {worst(own.round_trip), worst(own.scaled_round_trip), worst(own.spectrum)};
}

/// A transform under test.
class MeasuredTransform {
 public:
  MeasuredTransform(Transform transform, std::uint64_t seed)
      : transform_(std::move(transform)), seed_(seed), each_(transform_, seed) {}
  MeasuredTransform(const MeasuredTransform&) = delete;
  MeasuredTransform& operator=(const MeasuredTransform&) = delete;

  [[nodiscard]] Transform& transform() { return transform_; }

  /// Collective, as all below.
  [[nodiscard]] Errors check_thoroughly() { return check(transform_, seed_); }

  /// Before and after each timed transform.
  void prepare() { each_.begin(); }
  void check_latest() { worst_.take(each_.deviation()); }
  /// Of all timed ones.
  [[nodiscard]] const job::WorstDeviation& worst() const { return worst_; }

 private:
  Transform transform_;
  std::uint64_t seed_;
  fft::SpectrumCheck each_;
  job::WorstDeviation worst_;
};

/// They take turns in one workspace.
struct MeasuredTransforms {
  MeasuredTransform& local;
  MeasuredTransform& shared;
};

/// Measures all three modes and keeps the phases of the shared transform.
class Measuring {
 public:
  Measuring(const Context& context, MeasuredTransforms& transforms)
      : context_(context), transforms_(transforms) {
    const auto ranks = static_cast<std::uint64_t>(context.world.size());
    chosen_ = static_cast<int>(RandomStream(context.plan.seed).below(ranks));
  }

  /// Rates of this rank: star, single, mpi.
  std::vector<double> operator()() {
    const double star = star_rate();
    const double single = single_rate();
    return {star, single, shared_rate()};
  }

  /// Of the root, by repetition.
  [[nodiscard]] const std::vector<PhaseTimes>& phases() const { return phases_; }

 private:
  double star_rate() {
    transforms_.local.prepare();
    context_.world.barrier();
    const double rate = local_rate();
    mpi::barrier(context_.world,
                 mpi::WaitPolicy::kIdle);  // a check would share memory with others' transforms
    transforms_.local.check_latest();
    return rate;
  }

  /// NaN on all ranks but the one that works.
  double single_rate() {
    const bool works = context_.world.rank() == chosen_;
    if (works) transforms_.local.prepare();
    double rate = kNothing;
    mpi::run_alone(context_.world, chosen_, [&] { rate = local_rate(); });
    if (works) transforms_.local.check_latest();
    return rate;
  }

  double shared_rate() {
    transforms_.shared.prepare();
    Transform& transform = transforms_.shared.transform();
    const Seconds time = job::time_together(context_.world, context_.clock, [&] { transform.forward(); });
    phases_.push_back(transform.phases());
    transforms_.shared.check_latest();
    return flops(context_.plan.sizes.mpi_fft) / time.value();
  }

  double local_rate() {
    const Seconds start = context_.clock.now();
    transforms_.local.transform().forward();
    return flops(context_.plan.sizes.fft) / (context_.clock.now() - start).value();
  }

  const Context& context_;
  MeasuredTransforms& transforms_;
  int chosen_;
  std::vector<PhaseTimes> phases_;
};

/// The seven phases of the suite: the first and the last one conjugate for an inverse transform and take no
/// time here.
std::array<double, 7> phase_medians(const std::vector<PhaseTimes>& repetitions) {
  constexpr std::array kPhases = {&PhaseTimes::first_exchange, &PhaseTimes::columns,
                                  &PhaseTimes::middle_exchange, &PhaseTimes::rows,
                                  &PhaseTimes::last_exchange};
  std::array<double, 7> medians{};
  for (std::size_t i = 0; i < kPhases.size(); ++i) {
    std::vector<double> times;
    for (const PhaseTimes& one : repetitions) times.push_back((one.*kPhases[i]).value());
    medians[i + 1] = quantile(times, 0.5);
  }
  return medians;
}

double gflops(const Repetitions& repetitions) {
  return 1e-9 * spread_of_medians(repetitions).mean;
}

int ranks_at_work(const Transform& shared) {
  int working = 0;
  for (const std::uint64_t points : shared.ranks().gather_to_all(shared.input().count)) {
    working += points > 0 ? 1 : 0;
  }
  return working;
}

std::vector<SummaryEntry> summary_of(const Plan& plan, const job::Values& values, const Errors& shared,
                                     int ranks, const std::vector<PhaseTimes>& phases) {
  std::vector<SummaryEntry> summary = {
      entry("FFT_N", plan.sizes.fft),
      entry("StarFFT_Gflops", gflops(values[0])),
      entry("SingleFFT_Gflops", gflops(values[1])),
      entry("MPIFFT_N", plan.sizes.mpi_fft),
      entry("MPIFFT_Gflops", gflops(values[2])),
      entry("MPIFFT_maxErr", shared.round_trip),
      entry("MPIFFT_Procs", std::int64_t{ranks}),
  };
  // FFTE's blocking parameters: vectors that are transformed together; padding of a vector, in points; its
  // cache size plays no role.
  summary.push_back(entry("FFTEnblk", std::uint64_t{fft::kGroup}));
  summary.push_back(entry("FFTEnp", std::uint64_t{fft::kLine}));
  summary.push_back(entry("FFTEl2size", std::uint64_t{0}));
  const bool products = plan.fft_sizes == FftSizes::kProductsOf235;
  summary.push_back(entry("CPS_HPCC_FFT_235", std::uint64_t{products ? 1U : 0U}));
  summary.push_back(entry("CPS_USING_FFTW", std::uint64_t{1}));
  const std::array<double, 7> times = phase_medians(phases);
  for (std::size_t i = 0; i < times.size(); ++i) {
    summary.push_back(entry("MPIFFT_time" + std::to_string(i), times[i]));
  }
  return summary;
}

std::string report_of(const MeasuredTransforms& transforms) {
  const auto text = [](fft::Shape shape) {
    return std::to_string(shape.rows) + " x " + std::to_string(shape.columns);
  };
  return "FFT: " + text(transforms.local.transform().shape()) + " points of each rank, " +
         text(transforms.shared.transform().shape()) + " of all, by " + fft::fft_library() + "\n";
}

Result<Outcome> measure(const Context& context, MeasuredTransforms& transforms) {
  const mpi::Communicator& world = context.world;
  const Errors local = worst_of(world, transforms.local.check_thoroughly());
  const Errors shared = transforms.shared.check_thoroughly();
  const int working = ranks_at_work(transforms.shared.transform());
  const std::vector<job::Series> series = {
      {"fft", "star", "flop/s"}, {"fft", "single", "flop/s"}, {"fft", "mpi", "flop/s"}};
  Measuring measuring(context, transforms);
  const job::Values values = job::repeat(context, series, [&] { return measuring(); });
  const double each_local = transforms.local.worst().over(world);
  const double each_shared = transforms.shared.worst().over(world);
  if (!world.is_root()) return Outcome{};
  const double limit = context.plan.residual_threshold;
  return Outcome{{.checks = {{"FFT round trip", local.scaled_round_trip, limit},
                             {"FFT spectrum", local.spectrum, limit},
                             {"FFT of every repetition", each_local, limit},
                             {"MPI FFT round trip", shared.scaled_round_trip, limit},
                             {"MPI FFT spectrum", shared.spectrum, limit},
                             {"MPI FFT of every repetition", each_shared, limit}}},
                 summary_of(context.plan, values, shared, working, measuring.phases()),
                 report_of(transforms)};
}

Result<Outcome> run(const Context& context) {
  ThreadPool pool(context.plan.threads);
  Workspace space(pool);
  const mpi::Communicator self = mpi::Communicator::self();
  const RandomStream random(context.plan.seed);
  auto made = Transform::make(self, std::max<std::uint64_t>(1, context.plan.sizes.fft), {}, space);
  const Status ready = context.world.agree(made ? Status(Done{}) : Status(made.error()));
  if (!ready) return ready.error();
  auto made_shared =
      Transform::make(context.world, std::max<std::uint64_t>(1, context.plan.sizes.mpi_fft), {}, space);
  if (!made_shared) return made_shared.error();
  MeasuredTransform local(std::move(made).value(),
                          random.fork(static_cast<std::uint64_t>(context.world.rank())).next());
  MeasuredTransform shared(std::move(made_shared).value(), context.plan.seed);
  MeasuredTransforms transforms{local, shared};
  return measure(context, transforms);
}

/// Two vectors of points alone, and two that hold a share of all ranks'.
double words_held(const Plan& plan) {
  return std::max(4.0 * real(plan.sizes.fft), 8.0 * real(plan.sizes.mpi_fft) / plan.ranks);
}

/// A transform of `points` in each rank is checked there and back, its input made five times.
Seconds time_to_check(double points, Seconds transform) {
  return transform * 2.0 + time_to_generate(5.0 * 4.0 * points);
}

/// A timed transform of `points` in each rank gets an input of its own, and both are summed up: about as long
/// as to make six words of each point.
Seconds time_of_repetition(const Plan& plan, double points, Seconds transform) {
  return transform + time_to_generate(6.0 * points / plan.threads);
}

Seconds time_taken(const Plan& plan, Seconds left) {
  constexpr Seconds kPlanning{0.3};  // FFTW tries what is fastest
  const LocalSizes& sizes = plan.sizes;
  const double share = real(sizes.mpi_fft) / plan.ranks;
  const Seconds local(flops(sizes.fft) / plan.rates.transform);
  const Seconds shared(flops(sizes.mpi_fft) / (plan.rates.shared_transform * plan.ranks));
  const Seconds repetition =
      time_of_repetition(plan, real(sizes.fft), local) * 2.0 + time_of_repetition(plan, share, shared);
  return kPlanning + repetition * repetitions(plan, left) + time_to_check(real(sizes.fft), local) +
         time_to_check(share, shared);
}

const Registration kRegistered(kInfo, run, {words_held, time_taken});

}  // namespace
}  // namespace groma::hpcc
