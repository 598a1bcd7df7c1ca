#include "hpcc/estimate.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace groma::hpcc {
namespace {

constexpr double kWord = sizeof(double);

double real(std::uint64_t count) {
  return static_cast<double>(count);
}

/// The matrix, the panel in work and the one under way, and rows on their way: those of a strip for each
/// thread, or on a grid of several rows four times those of all columns (hpl/row_exchange.hpp).
double hpl_words(const Plan& plan) {
  constexpr double kStrip = 1024.0;
  double most = 0.0;
  for (const HplCase& one : plan.hpl) {
    const double rows = real(most_local(one.n, one.nb, one.grid.rows));
    const double columns = real(most_local(one.n, one.nb, one.grid.columns));
    const double moving = one.grid.rows == 1 ? plan.threads * std::min(columns, kStrip) : 4.0 * columns;
    most = std::max(most, rows * columns + (2.0 * (rows + real(one.nb)) + moving) * real(one.nb));
  }
  return most;
}

/// A, C and what is sent and received.
double ptrans_words(const Plan& plan) {
  double most = 0.0;
  for (const PtransCase& one : plan.ptrans) {
    most = std::max(most, 4.0 * real(one.n) * real(one.n) / one.grid.ranks());
  }
  return most;
}

double local_table_words(const Plan& plan) {
  return std::max(real(plan.sizes.random_access), real(plan.sizes.mpi_random_access) / plan.ranks);
}

/// Two vectors of complex points alone, four of all together.
double fft_words(const Plan& plan) {
  return std::max(4.0 * real(plan.sizes.fft), 8.0 * real(plan.sizes.mpi_fft) / plan.ranks);
}

/// Runs of a test: the timed ones and a warm-up.
double runs(const Plan& plan) {
  return plan.effort.repetitions + 1.0;
}

double hpl_seconds(const Plan& plan, const Rates& rates) {
  double sum = 0.0;
  for (const HplCase& one : plan.hpl) {
    const double n = real(one.n);
    const double flops = 2.0 / 3.0 * n * n * n + 1.5 * n * n;
    sum += flops / (rates.factorization * rates.multiply * plan.threads * one.grid.ranks());
  }
  return runs(plan) * sum;
}

double dgemm_seconds(const Plan& plan, const Rates& rates) {
  const double n = real(plan.sizes.dgemm);
  return 2.0 * runs(plan) * 2.0 * n * n * n / (rates.multiply * plan.threads);
}

double ptrans_seconds(const Plan& plan, const Rates& rates) {
  double sum = 0.0;
  for (const PtransCase& one : plan.ptrans) {
    sum += 2.0 * kWord * real(one.n) * real(one.n) / (rates.exchange * one.grid.ranks());
  }
  return runs(plan) * sum;
}

/// Ten vectors pass through memory in the four kernels, alone and all at once.
double stream_seconds(const Plan& plan, const Rates& rates) {
  return 2.0 * runs(plan) * 10.0 * kWord * real(plan.sizes.stream) / rates.bandwidth;
}

/// One complete run of 4 updates a word and its verification in each mode, with both generators; repetitions
/// are shorter.
double random_access_seconds(const Plan& plan, const Rates& rates) {
  const double local = 4.0 * real(plan.sizes.random_access) / rates.updates;
  const double together = 4.0 * real(plan.sizes.mpi_random_access) / plan.ranks / rates.updates;
  return 4.0 * (2.0 * local + together);
}

double transform_flops(std::uint64_t points) {
  const double n = std::max(2.0, real(points));
  return 5.0 * n * std::log2(n);
}

double fft_seconds(const Plan& plan, const Rates& rates) {
  const double local = transform_flops(plan.sizes.fft) / rates.transform;
  const double together = transform_flops(plan.sizes.mpi_fft) / (rates.transform * plan.ranks);
  return (runs(plan) + 1.0) * (2.0 * local + together);
}

double no_seconds(const Plan& /*plan*/, const Rates& rates) {
  return 2.0 * rates.start;
}

struct Model {
  std::string_view test;
  double (*words)(const Plan& plan);
  double (*seconds)(const Plan& plan, const Rates& rates);
};

constexpr std::array kModels = std::to_array<Model>({
    {"ptrans", ptrans_words, ptrans_seconds},
    {"dgemm", [](const Plan& of) { return 3.0 * real(of.sizes.dgemm) * real(of.sizes.dgemm); },
     dgemm_seconds},
    {"stream", [](const Plan& of) { return 3.0 * real(of.sizes.stream); }, stream_seconds},
    {"random_access", local_table_words, random_access_seconds},
    {"fft", fft_words, fft_seconds},
    {"effective_bandwidth", [](const Plan& /*of*/) { return 4.0e6 / kWord; }, no_seconds},
    {"hpl", hpl_words, hpl_seconds},
});

const Model* model_of(std::string_view test) {
  const auto* found = std::ranges::find(kModels, test, &Model::test);
  return found == kModels.end() ? nullptr : found;
}

}  // namespace

Bytes memory_of(std::string_view test, const Plan& plan) {
  const Model* model = model_of(test);
  return Bytes(model == nullptr ? 0 : static_cast<std::uint64_t>(std::ceil(kWord * model->words(plan))));
}

Bytes memory_per_rank(const Plan& plan) {
  Bytes most;
  for (const std::string& test : plan.tests) most = std::max(most, memory_of(test, plan));
  return most;
}

Seconds time_of(std::string_view test, const Plan& plan, const Rates& rates) {
  const Model* model = model_of(test);
  return Seconds(model == nullptr ? 0.0 : model->seconds(plan, rates));
}

Seconds time_of(const Plan& plan, const Rates& rates) {
  Seconds sum(rates.start);
  for (const std::string& test : plan.tests) sum = sum + time_of(test, plan, rates);
  return sum;
}

Json memory_json(const Plan& plan) {
  JsonObject by_test;
  for (const std::string& test : plan.tests) by_test.add(test, memory_of(test, plan).value());
  const std::uint64_t per_rank = memory_per_rank(plan).value();
  return JsonObject()
      .add("per_rank", per_rank)
      .add("all", per_rank * static_cast<std::uint64_t>(plan.ranks))
      .add("by_test", by_test.json())
      .json();
}

Json seconds_json(const Plan& plan) {
  JsonObject by_test;
  for (const std::string& test : plan.tests) by_test.add(test, time_of(test, plan).value());
  return by_test.json();
}

Json estimate_json(const Plan& plan) {
  const Rates rates;
  return JsonObject()
      .add("seconds", time_of(plan, rates).value())
      .add("model", "work by assumed rates; warm-up and validation included; nothing of it is measured")
      .add("rates", JsonObject()
                        .add("multiply_flop_per_s_and_thread", rates.multiply)
                        .add("factorization_share", rates.factorization)
                        .add("transform_flop_per_s_and_rank", rates.transform)
                        .add("memory_bytes_per_s_and_rank", rates.bandwidth)
                        .add("message_bytes_per_s_and_rank", rates.exchange)
                        .add("updates_per_s_and_rank", rates.updates)
                        .json())
      .json();
}

}  // namespace groma::hpcc
