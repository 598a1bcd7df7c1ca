#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "hpcc/ptrans/layout.hpp"
#include "hpcc/ptrans/matrices.hpp"
#include "hpcc/ptrans/transpose.hpp"
#include "testing/fails.hpp"
#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::hpcc {
namespace {

void expect_that_it_adds_the_transpose(TransposeAdd add) {
  constexpr std::uint64_t kStride = 41;
  for (const std::uint64_t rows : {0U, 1U, 7U, 8U, 9U, 16U, 24U, 33U, 40U}) {
    for (const std::uint64_t columns : {0U, 1U, 8U, 15U, 17U, 32U, 39U}) {
      std::vector<double> a(kStride * kStride);
      std::iota(a.begin(), a.end(), 1.0);
      std::vector<double> c(kStride * kStride, 0.5);
      // At places that no vector is aligned to.
      add({c.data() + 1, kStride, a.data() + 1, kStride, rows, columns});
      for (std::uint64_t at = 0; at < c.size(); ++at) {
        const std::uint64_t i = (at + kStride - 1) % kStride;
        const std::uint64_t k = at == 0 ? kStride : (at - 1) / kStride;
        const bool inside = i < rows && k < columns;
        ASSERT_EQ(c[at], inside ? 0.5 + a[1 + k + i * kStride] : 0.5)
            << rows << " x " << columns << " at " << i << ", " << k;
      }
    }
  }
}

class EveryTransposition : public ::testing::TestWithParam<TransposeVariant> {};

TEST_P(EveryTransposition, AddsTheTransposeAndTouchesNothingElse) {
  expect_that_it_adds_the_transpose(GetParam().add);
}

INSTANTIATE_TEST_SUITE_P(Variants, EveryTransposition, ::testing::ValuesIn(transpose_variants()),
                         [](const auto& variant) { return std::string(name_of(variant.param.isa)); });

struct Mutant {
  std::string_view name;
  TransposeAdd add;
};

const TransposeAdd kRight = transpose_variants().back().add;

/// Each does one thing wrong.
const std::array kMutants = {
    Mutant{"nothing", [](const Transposition&) {}},
    Mutant{"twice",
           [](const Transposition& work) {
             kRight(work);
             kRight(work);
           }},
    Mutant{"the last row left out",
           [](const Transposition& work) {
             Transposition less = work;
             if (less.rows > 0) --less.rows;
             kRight(less);
           }},
    Mutant{"the last column left out",
           [](const Transposition& work) {
             Transposition less = work;
             if (less.columns > 0) --less.columns;
             kRight(less);
           }},
    Mutant{"one row too many",
           [](const Transposition& work) {
             Transposition more = work;
             if (more.rows > 0) ++more.rows;
             kRight(more);
           }},
    Mutant{"no transposition",
           [](const Transposition& work) {
             for (std::uint64_t k = 0; k < work.columns; ++k) {
               for (std::uint64_t i = 0; i < work.rows; ++i) {
                 work.c[i + k * work.c_stride] += work.a[i + k * work.a_stride];
               }
             }
           }},
    Mutant{"one element that is no number",
           [](const Transposition& work) {
             kRight(work);
             if (work.rows * work.columns > 0) work.c[0] = std::numeric_limits<double>::quiet_NaN();
           }},
};

TEST(MutatedTransposition, FailsThisTest) {
  EXPECT_FALSE(fails([] { expect_that_it_adds_the_transpose(kRight); }));
  for (const Mutant& mutant : kMutants) {
    EXPECT_TRUE(fails([&] { expect_that_it_adds_the_transpose(mutant.add); })) << mutant.name;
  }
}

TEST(BlockDistribution, GivesEveryElementToOnePart) {
  for (const std::uint64_t n : {1U, 2U, 10U, 31U, 64U}) {
    for (const std::uint64_t nb : {1U, 3U, 8U, 100U}) {
      for (const int parts : {1, 2, 3, 5}) {
        const BlockDistribution dealt(n, nb, parts);
        std::vector<std::uint64_t> counted(dealt.parts(), 0);
        for (std::uint64_t i = 0; i < n; ++i) ++counted[i / nb % dealt.parts()];
        for (std::uint64_t part = 0; part < dealt.parts(); ++part) {
          EXPECT_EQ(dealt.local_size(part), counted[part]) << n << " in " << nb << " for " << part;
        }
      }
    }
  }
}

constexpr std::array<Grid, 9> kGrids = {
    {{1, 1}, {1, 2}, {2, 1}, {2, 2}, {2, 3}, {3, 2}, {2, 4}, {4, 6}, {6, 6}}};

/// Row and column of a block of C, its sender and its receiver.
using Route = std::tuple<std::uint64_t, std::uint64_t, int, int>;

std::set<Route> routes_of(const Layout& layout, const std::vector<Share>& shares) {
  std::set<Route> routes;
  for (const Share& share : shares) {
    for (std::uint64_t i = 0; i < layout.blocks_down(share); ++i) {
      for (std::uint64_t j = 0; j < layout.blocks_across(share); ++j) {
        const Route route{share.row + i * share.step, share.column + j * share.step, share.from, share.to};
        EXPECT_TRUE(routes.insert(route).second);
      }
    }
  }
  return routes;
}

TEST(Layout, SharesAreEveryBlockOnceFromItsOwnerToThatOfItsTranspose) {
  for (const Grid& grid : kGrids) {
    for (const std::uint64_t n : {1U, 5U, 23U, 70U}) {
      const Layout layout(PtransCase{n, 5, grid});
      std::set<Route> wanted;
      for (std::uint64_t i = 0; i < layout.rows().blocks(); ++i) {
        for (std::uint64_t j = 0; j < layout.rows().blocks(); ++j) {
          const auto owner = [&](std::uint64_t row, std::uint64_t column) {
            return static_cast<int>(row) % grid.rows * grid.columns + static_cast<int>(column) % grid.columns;
          };
          wanted.emplace(i, j, owner(j, i), owner(i, j));
        }
      }
      std::set<Route> received;
      std::set<Route> sent;
      for (int rank = 0; rank < grid.ranks(); ++rank) {
        received.merge(routes_of(layout, layout.shares_to(rank)));
        sent.merge(routes_of(layout, layout.shares_from(rank)));
      }
      EXPECT_EQ(received, wanted);
      EXPECT_EQ(sent, wanted);
    }
  }
}

TEST(Layout, HasOneShareForEachPairOfRanks) {
  for (const Grid& grid : kGrids) {
    const Layout layout(PtransCase{100, 3, grid});
    for (int rank = 0; rank < grid.ranks(); ++rank) {
      std::map<int, int> partners;
      for (const Share& share : layout.shares_to(rank)) ++partners[share.from];
      for (const auto& [partner, shares] : partners) EXPECT_EQ(shares, 1) << rank << " from " << partner;
      const int side = std::gcd(grid.rows, grid.columns);
      EXPECT_EQ(partners.size(), static_cast<std::size_t>(grid.ranks() / (side * side)));
    }
  }
}

TEST(Layout, KeepsColumnsOnLinesAndOffPowersOfTwo) {
  for (const std::uint64_t n : {1U, 9U, 512U, 1024U, 3000U}) {
    const Layout layout(PtransCase{n, 64, {1, 1}});
    EXPECT_EQ(layout.stride(0) % 8, 0U);
    EXPECT_GE(layout.stride(0), n);
    EXPECT_NE(layout.stride(0) % 512, 0U);
  }
}

TEST(Elements, AddUpExactly) {
  const Elements elements(7);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const double sum = elements.a(i, 3) + elements.c(5, i);
    EXPECT_EQ(sum - elements.a(i, 3), elements.c(5, i));
    EXPECT_LE(std::abs(elements.a(i, i)), 0.5);
  }
}

TEST(Elements, DifferByPlaceAndMatrixAndSeed) {
  std::set<double> seen;
  for (std::uint64_t i = 0; i < 50; ++i) {
    for (std::uint64_t j = 0; j < 50; ++j) {
      for (const std::uint64_t seed : {1U, 2U}) {
        seen.insert(Elements(seed).a(i, j));
        seen.insert(Elements(seed).c(i, j));
      }
    }
  }
  EXPECT_GE(seen.size(), 9990U);
}

}  // namespace
}  // namespace groma::hpcc
