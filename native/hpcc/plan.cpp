#include "hpcc/plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <utility>

#include "hpcc/estimate.hpp"
#include "hpcc/hpl_variant.hpp"

namespace groma::hpcc {
namespace {

constexpr std::uint64_t kWord = sizeof(double);
constexpr std::uint64_t kPoint = 2 * sizeof(double);

/// Beyond any memory; the bytes of more could not be counted.
constexpr std::uint64_t kMostWords = std::uint64_t{1} << 60U;

/// Words of the HPL matrix per rank: the most of all cases.
std::uint64_t hpl_words(const std::vector<HplCase>& cases) {
  std::uint64_t most = 0;
  for (const HplCase& one : cases) {
    most = std::max(most, one.n * one.n / static_cast<std::uint64_t>(one.grid.ranks()));
  }
  return most;
}

/// The most points within `limit`.
std::uint64_t points_for(FftSizes sizes, std::uint64_t limit) {
  return sizes == FftSizes::kPowersOfTwo ? std::bit_floor(limit) : largest_235(limit);
}

LocalSizes sizes_from(const std::vector<HplCase>& cases, int ranks, FftSizes fft) {
  const std::uint64_t local = hpl_words(cases);
  const auto count = static_cast<std::uint64_t>(ranks);
  const std::uint64_t all = local < kMostWords / count ? local * count : kMostWords;
  // Definitions of HPCC 1.5.0: three matrices or vectors in the memory of HPL; two vectors of complex points
  // for the local transform, four for the parallel one; a table that is a power of two.
  return {
      .dgemm =
          static_cast<std::uint64_t>(std::floor(std::sqrt(static_cast<double>(local) / 3.0 + 0.25) - 0.5)),
      .stream = local / 3,
      .random_access = std::bit_floor(local),
      .mpi_random_access = std::bit_floor(all),
      .fft = points_for(fft, local * kWord / (2 * kPoint)),
      .mpi_fft = points_for(fft, all * kWord / (4 * kPoint)),
  };
}

/// The lists of several values.
std::string spoken_lists(const Input& input) {
  const std::pair<std::size_t, std::string_view> all[] = {
      {input.n.size(), " N"},
      {input.nb.size(), " NB"},
      {input.grids.size(), " grids"},
      {input.methods.size(), " methods of lines 14 to 25"}};  // only a file names methods
  std::string text;
  for (const auto& [count, name] : all) {
    if (count > 1) text.append(text.empty() ? "" : " x ").append(std::to_string(count)).append(name);
  }
  return text;
}

Status refuse_large_grids(const Input& input, int ranks) {
  for (const Grid& grid : input.grids) {
    if (grid.ranks() <= ranks) continue;
    return Error{"usage",
                 "a grid of " + std::to_string(grid.rows) + " x " + std::to_string(grid.columns) + " needs " +
                     std::to_string(grid.ranks()) + " ranks, but there are " + std::to_string(ranks),
                 "start more ranks or make the grid smaller"};
  }
  return Done{};
}

Result<std::vector<HplCase>> hpl_cases(const Input& input, int ranks) {
  if (const Status fits = refuse_large_grids(input, ranks); !fits) return fits.error();
  const std::uint64_t count = input.n.size() * input.nb.size() * input.grids.size() * input.methods.size();
  if (count == 0) return Error{"usage", "the input contains no HPL matrix", "give N, NB and a grid"};
  if (count > kMaxHplCases) {
    return Error{"usage", spoken_lists(input) + " are " + std::to_string(count) + " runs of HPL",
                 "shorten the lists to " + std::to_string(kMaxHplCases) + " runs at most"};
  }
  std::vector<HplCase> cases;
  for (const std::uint64_t n : input.n) {
    for (const std::uint64_t nb : input.nb) {
      for (const Grid& grid : input.grids) {
        for (const HplMethod& method : input.methods) {
          cases.push_back({n, nb, grid, input.order, method});
        }
      }
    }
  }
  return cases;
}

/// Smaller matrices than this share of N/2 are left out: they would use under 90 % of the memory of HPL.
constexpr double kMinPtransShare = 0.9486;

/// The sizes asked for besides, then N/2 of each matrix, with each block size (in the same order) and grid.
std::vector<PtransCase> ptrans_cases(const Input& input) {
  const std::uint64_t largest = *std::max_element(input.n.begin(), input.n.end());
  const double least = kMinPtransShare * 0.5 * static_cast<double>(largest);
  std::vector<std::uint64_t> orders;
  std::copy_if(input.ptrans_n.begin(), input.ptrans_n.end(), std::back_inserter(orders),
               [least](std::uint64_t n) { return static_cast<double>(n) >= least; });
  for (const std::uint64_t n : input.n) orders.push_back(std::max<std::uint64_t>(1, n / 2));
  std::vector<std::uint64_t> blocks = input.ptrans_nb;
  blocks.insert(blocks.end(), input.nb.begin(), input.nb.end());
  std::vector<PtransCase> cases;
  for (const std::uint64_t n : orders) {
    for (const std::uint64_t nb : blocks) {
      for (const Grid& grid : input.grids) cases.push_back({n, nb, grid});
    }
  }
  return cases;
}

Json grid_json(const Grid& grid) {
  return JsonObject().add("rows", grid.rows).add("columns", grid.columns).json();
}

template <class Matrix>
JsonObject matrix_json(const Matrix& one) {
  return JsonObject().add("n", one.n).add("nb", one.nb).add("grid", grid_json(one.grid));
}

}  // namespace

std::uint64_t most_local(std::uint64_t n, std::uint64_t nb, int parts) {
  const auto count = static_cast<std::uint64_t>(parts);
  const std::uint64_t whole = n / nb;
  const std::uint64_t rest = whole % count == 0 ? n % nb : 0;
  return whole / count * nb + (whole % count == 0 ? rest : nb);
}

Result<Plan> plan_from(const Input& input, int ranks) {
  Result<std::vector<HplCase>> cases = hpl_cases(input, ranks);
  if (!cases) return cases.error();
  Plan plan;
  plan.ranks = ranks;
  plan.hpl = std::move(cases).value();
  plan.residual_threshold = input.residual_threshold;
  plan.ptrans = ptrans_cases(input);
  plan.fft_sizes = input.fft_sizes;
  plan.sizes = sizes_from(plan.hpl, ranks, input.fft_sizes);
  return plan;
}

std::uint64_t largest_235(std::uint64_t limit) {
  std::uint64_t best = 0;
  for (std::uint64_t fives = 1; fives <= limit; fives *= 5) {
    for (std::uint64_t threes = fives; threes <= limit; threes *= 3) {
      std::uint64_t product = threes;
      while (product <= limit / 2) product *= 2;
      best = std::max(best, product);
      if (threes > limit / 3) break;
    }
    if (fives > limit / 5) break;
  }
  return best;
}

Grid squarest_grid(int ranks) {
  int rows = static_cast<int>(std::sqrt(static_cast<double>(ranks)));
  while (ranks % rows != 0) --rows;
  return {rows, ranks / rows};
}

Input sized_input(Bytes memory, int ranks, std::uint64_t nb) {
  const std::uint64_t words = memory.value() / kWord;
  const auto fitting = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(words)));
  Input input;
  input.n = {std::max(nb, fitting / nb * nb)};
  input.nb = {nb};
  input.grids = {squarest_grid(ranks)};
  return input;
}

Json to_json(const Plan& plan) {
  std::vector<Json> hpl;
  for (const HplCase& one : plan.hpl) {
    hpl.push_back(matrix_json(one).add("variant", hpl::variant_code(one)).json());
  }
  std::vector<Json> ptrans;
  for (const PtransCase& one : plan.ptrans) ptrans.push_back(matrix_json(one).json());
  return JsonObject()
      .add("ranks", plan.ranks)
      .add("hpl", hpl)
      .add("ptrans", ptrans)
      .add("dgemm_n", plan.sizes.dgemm)
      .add("stream_elements", plan.sizes.stream)
      .add("random_access_words", plan.sizes.random_access)
      .add("mpi_random_access_words", plan.sizes.mpi_random_access)
      .add("fft_points", plan.sizes.fft)
      .add("mpi_fft_points", plan.sizes.mpi_fft)
      .add("repetitions", plan.effort.repetitions)
      .add("budget", plan.effort.budget.value())
      .add("threads", plan.threads)
      .add("seed", plan.seed)
      .add("curves", plan.curves)
      .add("random_access", plan.random_access)
      .add("tests", plan.tests)
      .add("choices", to_json(plan.choices))
      .add("warnings", plan.warnings)
      .add("memory_per_rank", memory_per_rank(plan).value())
      .add("memory", memory_json(plan))
      .add("estimated_seconds", seconds_json(plan))
      .add("network", to_json(plan.network))
      .add("estimate", estimate_json(plan))
      .json();
}

}  // namespace groma::hpcc
