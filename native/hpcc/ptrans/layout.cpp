#include "hpcc/ptrans/layout.hpp"

#include <algorithm>
#include <numeric>

namespace groma::hpcc {
namespace {

constexpr std::uint64_t kLineElements = 64 / sizeof(double);
constexpr std::uint64_t kPageElements = 4096 / sizeof(double);

/// By the distance of the partner around the ring of ranks.
template <class F>
void sort_around(std::vector<Share>& shares, int self, int ranks, F partner) {
  std::ranges::sort(shares, {},
                    [&](const Share& share) { return (partner(share) - self - 1 + 2 * ranks) % ranks; });
}

}  // namespace

std::uint64_t BlockDistribution::size(std::uint64_t block) const {
  return std::min(nb_, n_ - start(block));
}

std::uint64_t BlockDistribution::local_size(std::uint64_t part) const {
  if (part >= blocks()) return 0;
  const std::uint64_t last = part + (blocks() - 1 - part) / parts_ * parts_;
  return local_start(last) + size(last);
}

std::uint64_t Layout::stride(int rank) const {
  const std::uint64_t lines = (local_rows(rank) + kLineElements - 1) / kLineElements * kLineElements;
  // Columns at the same place of a page would all fall into one set of the nearest cache.
  return lines % kPageElements == 0 ? lines + kLineElements : lines;
}

int Layout::rank_at(std::uint64_t row, std::uint64_t column) const {
  return static_cast<int>(row % rows_.parts() * columns_.parts() + column % columns_.parts());
}

// Block (i, j) of C lies on row i mod P and column j mod Q of the grid; its transpose, block (j, i) of A, on
// row j mod P and column i mod Q. Both depend on i and j modulo the least common multiple of P and Q only.

std::vector<Share> Layout::shares_to(int to) const {
  const std::uint64_t step = std::lcm(rows_.parts(), columns_.parts());
  std::vector<Share> shares;
  for (std::uint64_t i = row_of(to); i < std::min(step, rows_.blocks()); i += rows_.parts()) {
    for (std::uint64_t j = column_of(to); j < std::min(step, columns_.blocks()); j += columns_.parts()) {
      shares.push_back({rank_at(j, i), to, i, j, step});
    }
  }
  sort_around(shares, to, ranks(), [](const Share& share) { return share.from; });
  return shares;
}

std::vector<Share> Layout::shares_from(int from) const {
  const std::uint64_t step = std::lcm(rows_.parts(), columns_.parts());
  std::vector<Share> shares;
  for (std::uint64_t i = column_of(from); i < std::min(step, rows_.blocks()); i += columns_.parts()) {
    for (std::uint64_t j = row_of(from); j < std::min(step, columns_.blocks()); j += rows_.parts()) {
      shares.push_back({from, rank_at(i, j), i, j, step});
    }
  }
  sort_around(shares, from, ranks(), [](const Share& share) { return share.to; });
  return shares;
}

std::uint64_t Layout::blocks_down(const Share& share) const {
  return (rows_.blocks() - share.row + share.step - 1) / share.step;
}

std::uint64_t Layout::blocks_across(const Share& share) const {
  return (columns_.blocks() - share.column + share.step - 1) / share.step;
}

}  // namespace groma::hpcc
