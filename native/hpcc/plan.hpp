// What a run of the suite does, decided before it starts: every size, every grid, how often, with which seed.
// A plan is a pure function of the input and the ranks, the same on every rank; sizes follow from the memory
// of the HPL matrix as the suite defines them (HPCC 1.5.0; docs/hpcc.md#sizes).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "hpcc/network.hpp"
#include "hpcc/rates.hpp"
#include "job/outcome.hpp"
#include "job/repetition.hpp"

namespace groma::hpcc {

/// Ranks as a grid; a rank's row and column by `order`.
struct Grid {
  int rows = 1;
  int columns = 1;
  [[nodiscard]] int ranks() const { return rows * columns; }
  bool operator==(const Grid&) const = default;
};

enum class RankOrder { kRowMajor, kColumnMajor };
enum class PanelFactorization { kLeft, kCrout, kRight };
enum class PanelBroadcast {
  kRing,
  kRingModified,
  kTwoRing,
  kTwoRingModified,
  kLong,
  kLongModified,
};
enum class RowSwap { kBinaryExchange, kSpreadRoll, kMix };

/// The method by which HPL solves one matrix. An input file has lists, of which every combination is run.
struct HplMethod {
  PanelFactorization panel = PanelFactorization::kRight;
  PanelFactorization recursion = PanelFactorization::kCrout;
  std::uint64_t recursion_stop = 4;   ///< columns, NBMIN
  std::uint64_t recursion_parts = 2;  ///< NDIV
  PanelBroadcast broadcast = PanelBroadcast::kRingModified;
  int look_ahead = 1;
  RowSwap swap = RowSwap::kMix;
  std::uint64_t swap_threshold = 64;  ///< columns up to which kMix exchanges binarily
  bool lower_transposed = true;
  bool upper_transposed = true;
  bool equilibrate = true;
  std::uint64_t alignment = 8;  ///< doubles
};

struct HplCase {
  std::uint64_t n;
  std::uint64_t nb;
  Grid grid;
  RankOrder order = RankOrder::kRowMajor;
  HplMethod method;
};

struct PtransCase {
  std::uint64_t n;
  std::uint64_t nb;
  Grid grid;
};

/// Sizes of the tests other than HPL and PTRANS, in elements.
struct LocalSizes {
  std::uint64_t dgemm = 0;              ///< order of the matrices
  std::uint64_t stream = 0;             ///< doubles of each vector and rank
  std::uint64_t random_access = 0;      ///< words of each rank's table, a power of two
  std::uint64_t mpi_random_access = 0;  ///< words of the whole table, a power of two
  std::uint64_t fft = 0;                ///< complex points of each rank
  std::uint64_t mpi_fft = 0;            ///< complex points of all ranks
};

/// Which numbers of points the Fourier transforms may have.
enum class FftSizes { kPowersOfTwo, kProductsOf235 };

/// Largest 2^a 3^b 5^c that is not above `limit`; 0 for 0.
std::uint64_t largest_235(std::uint64_t limit);

using job::Choice;
using job::Effort;

struct Plan {
  int ranks = 1;
  std::vector<HplCase> hpl;
  double residual_threshold = 16.0;
  std::vector<PtransCase> ptrans;
  LocalSizes sizes;
  FftSizes fft_sizes = FftSizes::kPowersOfTwo;  ///< that `sizes` were chosen from
  Effort effort;
  std::uint32_t threads = 1;  ///< of each rank
  std::uint64_t seed = 1;
  bool curves = false;             ///< effective bandwidth over all message sizes as well
  std::string random_access;       ///< algorithm of MPI RandomAccess; empty for the best one there
  std::vector<std::string> tests;  ///< names of those to run, in their order
  std::optional<Bytes> sized_by;   ///< memory that the matrix was to fill, where no N was given
  Rates rates;                     ///< of each rank, as far as they are known
  std::string rates_from;          ///< in words
  Network network;                 ///< between the ranks, as far as it is known
  std::vector<Choice> choices;
  std::vector<std::string> warnings;
};

/// What a plan is made from: the lists of hpccinf.txt, or what groma chose in their place.
struct Input {
  std::vector<std::uint64_t> n;
  std::vector<std::uint64_t> nb;
  std::vector<Grid> grids;
  RankOrder order = RankOrder::kRowMajor;
  std::vector<HplMethod> methods = {HplMethod{}};  ///< every combination of the lists
  double residual_threshold = 16.0;
  std::vector<std::uint64_t> ptrans_n = {};   ///< beside N/2 of each n
  std::vector<std::uint64_t> ptrans_nb = {};  ///< beside each nb
  FftSizes fft_sizes = FftSizes::kPowersOfTwo;
};

/// Runs of HPL that one input may ask for: lists multiply, and 20 values in each of 8 would never end.
inline constexpr std::uint64_t kMaxHplCases = 10'000;

/// Rows or columns of an n × n matrix that the first of `parts` holds, in blocks of nb: the most of all.
std::uint64_t most_local(std::uint64_t n, std::uint64_t nb, int parts);

/// Errors (code usage): a grid with more ranks than there are, no case at all, too many of them.
Result<Plan> plan_from(const Input& input, int ranks);

/// Input for `ranks` ranks that fills `memory` of all of them together with the HPL matrix.
Input sized_input(Bytes memory, int ranks, std::uint64_t nb);

/// The grid of all ranks that is closest to a square, no more rows than columns.
Grid squarest_grid(int ranks);

Json to_json(const Plan& plan);

}  // namespace groma::hpcc
