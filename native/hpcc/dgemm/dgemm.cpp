// Matrix multiplication of each rank: one rank alone, then all at once.
#include <cmath>
#include <limits>

#include "base/pages.hpp"
#include "base/random.hpp"
#include "hpcc/benchmark.hpp"
#include "hpcc/blas.hpp"
#include "hpcc/statistics.hpp"
#include "job/repetition.hpp"

namespace groma::hpcc {
namespace {

const BenchmarkInfo kInfo = {
    .name = "dgemm",
    .title = "Matrix multiplication",
    .measures = "flop/s of each rank, alone (single) and all at once (star)",
    .formula = "2 n^3 / time of C := 0.42 A B + C, median",
    .validation = "|C x - (0.42 A (B x) + C0 x)| scaled by eps n |A| |B| |x| stays under 16",
    .reference = "HPC Challenge 1.5.0; Dongarra and Luszczek 2005",
    .order = 20,
};

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr double kAlpha = 0.42;

/// The operands of one rank.
class Operands {
 public:
  static Result<Operands> make(std::uint64_t n, std::uint64_t seed) {
    auto block = Block::map(Bytes(3 * n * n * sizeof(double)), PageMode::kHuge);
    if (!block) return block.error();
    return Operands(std::move(block).value(), n, seed);
  }

  void multiply() { dgemm(Transposed::kNo, Transposed::kNo, kAlpha, a_, b_, 1.0, c_); }
  [[nodiscard]] double flops() const { return 2.0 * std::pow(static_cast<double>(a_.rows), 3); }

  /// Multiplies once and compares with products by a vector, which cost n^2 only.
  double residual() {
    const std::vector<double> x = random_vector();
    std::vector<double> expected = product(a_, product(b_, x));
    const std::vector<double> before = product(c_, x);
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = kAlpha * expected[i] + before[i];
    multiply();
    const std::vector<double> after = product(c_, x);
    double worst = 0.0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      worst = std::max(worst, std::abs(after[i] - expected[i]));
    }
    // Entries lie in [-1/2, 1/2]: norms are at most n/2, and the error grows with n eps times both.
    const auto n = static_cast<double>(a_.rows);
    return worst / (std::numeric_limits<double>::epsilon() * n * std::max(1.0, n / 4.0));
  }

 private:
  Operands(Block memory, std::uint64_t n, std::uint64_t seed) : memory_(std::move(memory)), random_(seed) {
    const auto order = static_cast<std::int64_t>(n);
    const auto all = memory_.as<double>();
    for (double& element : all.first(3 * n * n)) element = uniform();
    a_ = {all.data(), order, order, order};
    b_ = {all.data() + n * n, order, order, order};
    c_ = {all.data() + 2 * n * n, order, order, order};
  }

  double uniform() { return static_cast<double>(random_.next() >> 11U) * 0x1p-53 - 0.5; }

  std::vector<double> random_vector() {
    std::vector<double> x(static_cast<std::size_t>(a_.rows));
    for (double& element : x) element = uniform();
    return x;
  }

  static std::vector<double> product(const ConstMatrix& matrix, const std::vector<double>& x) {
    std::vector<double> y(static_cast<std::size_t>(matrix.rows), 0.0);
    for (std::int64_t j = 0; j < matrix.columns; ++j) {
      const double* column = matrix.at(0, j);
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += column[i] * x[static_cast<std::size_t>(j)];
    }
    return y;
  }

  Block memory_;
  RandomStream random_;
  Matrix a_{};
  Matrix b_{};
  Matrix c_{};
};

Result<Outcome> run(const Context& context) {
  const mpi::Communicator& world = context.world;
  const auto rank = static_cast<std::uint64_t>(world.rank());
  const int chosen =
      static_cast<int>(RandomStream(context.plan.seed).below(static_cast<std::uint64_t>(world.size())));
  auto made = Operands::make(context.plan.sizes.dgemm, RandomStream(context.plan.seed).fork(rank).next());
  if (const Status status = world.agree(made ? Status(Done{}) : Status(made.error())); !status) {
    return status.error();
  }
  Operands operands = std::move(made).value();
  const double residual = world.reduce_to_all(operands.residual(), mpi::Reduction::kMax);

  const auto rate = [&] {
    const Seconds start = context.clock.now();
    operands.multiply();
    return operands.flops() / (context.clock.now() - start).value();
  };
  const std::vector<job::Series> series = {{"dgemm", "star", "flop/s"}, {"dgemm", "single", "flop/s"}};
  const job::Values values = job::repeat(context, series, [&] {
    const double star = rate();
    double single = kNothing;
    mpi::run_alone(world, chosen, [&] { single = rate(); });
    return std::vector<double>{star, single};
  });
  if (!world.is_root()) return Outcome{};
  return Outcome{{.checks = {{"DGEMM residual", residual, context.plan.residual_threshold}}},
                 {entry("DGEMM_N", context.plan.sizes.dgemm),
                  entry("StarDGEMM_Gflops", 1e-9 * spread_of_medians(values[0]).mean),
                  entry("SingleDGEMM_Gflops", 1e-9 * spread_of_medians(values[1]).mean)}};
}

/// A, B and C.
double words_held(const Plan& plan) {
  return 3.0 * real(plan.sizes.dgemm) * real(plan.sizes.dgemm);
}

/// All at once and alone; the product that is checked warms up.
Seconds time_taken(const Plan& plan, Seconds left) {
  const double n = real(plan.sizes.dgemm);
  const Seconds product(2.0 * n * n * n / plan.rates.multiply);
  return product * (2.0 * repetitions(plan, left) + 1.0) + making(words_held(plan)) +
         passing(words_held(plan), plan.rates);
}

const Registration kRegistered(kInfo, run, {words_held, time_taken});

}  // namespace
}  // namespace groma::hpcc
