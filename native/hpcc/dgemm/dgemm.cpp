// Matrix multiplication of each rank: one rank alone, then all at once.
#include <limits>

#include "base/random.hpp"
#include "hpcc/benchmark.hpp"
#include "hpcc/dgemm/operands.hpp"
#include "hpcc/statistics.hpp"
#include "job/repetition.hpp"
#include "job/worst_deviation.hpp"
#include "mpi/wait.hpp"

namespace groma::hpcc {
namespace {

const BenchmarkInfo kInfo = {
    .name = "dgemm",
    .title = "Matrix multiplication",
    .measures = "flop/s of each rank, alone (single) and all at once (star)",
    .formula = "2 n^3 / time of C := 0.42 A B + C, median",
    .validation =
        "every product, times a random vector x: |C x - (0.42 A (B x) + C0 x)| / (eps n (n + k)/4) stays "
        "under 16 "
        "after k products; an error e of an element is missed with a probability of at most 8 eps n (n + k) "
        "/ e",
    .reference = "HPC Challenge 1.5.0; Dongarra and Luszczek 2005",
    .order = 20,
};

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

/// The products of one rank and the worst that came of any.
class Products {
 public:
  Products(Operands operands, const Clock& clock) : operands_(std::move(operands)), clock_(clock) {}

  /// flop/s
  double measure() {
    const Seconds start = clock_.now();
    operands_.multiply();
    return operands_.flops() / (clock_.now() - start).value();
  }

  /// Of what was measured last; due after every product.
  void check() { worst_.take(operands_.deviation()); }

  [[nodiscard]] const job::WorstDeviation& worst() const { return worst_; }

 private:
  Operands operands_;
  const Clock& clock_;
  job::WorstDeviation worst_;
};

/// The rank that is measured alone.
int chosen_rank(const Context& context) {
  const auto ranks = static_cast<std::uint64_t>(context.world.size());
  return static_cast<int>(RandomStream(context.plan.seed).below(ranks));
}

job::Values measure(const Context& context, Products& products) {
  const mpi::Communicator& world = context.world;
  const int chosen = chosen_rank(context);
  products.measure();  // warms up
  products.check();
  const std::vector<job::Series> series = {{"dgemm", "star", "flop/s"}, {"dgemm", "single", "flop/s"}};
  return job::repeat(context, series, [&] {
    const double star = products.measure();
    mpi::barrier(world, mpi::WaitPolicy::kIdle);  // a check would share memory with products still under way
    products.check();
    double single = kNothing;
    mpi::run_alone(world, chosen, [&] { single = products.measure(); });
    if (world.rank() == chosen) products.check();
    return std::vector<double>{star, single};
  });
}

Result<Outcome> run(const Context& context) {
  const mpi::Communicator& world = context.world;
  const auto rank = static_cast<std::uint64_t>(world.rank());
  auto made = Operands::make(context.plan.sizes.dgemm, RandomStream(context.plan.seed).fork(rank).next());
  const Status own = made ? check_blas_room(context.plan.threads) : Status(made.error());
  if (const Status status = world.agree(own); !status) return status.error();
  Products products(std::move(made).value(), context.clock);
  const job::Values values = measure(context, products);
  const double deviation = products.worst().over(world);
  if (!world.is_root()) return Outcome{};
  return Outcome{{.checks = {{"DGEMM residual", deviation, context.plan.residual_threshold}}},
                 {entry("DGEMM_N", context.plan.sizes.dgemm),
                  entry("StarDGEMM_Gflops", 1e-9 * spread_of_medians(values[0]).mean),
                  entry("SingleDGEMM_Gflops", 1e-9 * spread_of_medians(values[1]).mean)}};
}

/// A, B and C.
double words_held(const Plan& plan) {
  return 3.0 * real(plan.sizes.dgemm) * real(plan.sizes.dgemm);
}

/// One product warms up, the others run all at once and alone. The check of each reads C; the first one
/// needed A, B and C.
Seconds time_taken(const Plan& plan, Seconds left) {
  const double n = real(plan.sizes.dgemm);
  const Seconds product(2.0 * n * n * n / plan.rates.multiply);
  const double products = 2.0 * repetitions(plan, left) + 1.0;
  return product * products + time_to_generate(words_held(plan)) +
         time_to_stream(words_held(plan) + products * n * n, plan.rates);
}

const Registration kRegistered(kInfo, run, {words_held, time_taken});

}  // namespace
}  // namespace groma::hpcc
