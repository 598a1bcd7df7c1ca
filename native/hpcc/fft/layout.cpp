#include "hpcc/fft/layout.hpp"

#include <algorithm>

namespace groma::hpcc::fft {

Layout::Layout(Shape whole, int ranks)
    : shape(whole), rows(whole.rows, ranks), columns(whole.columns, ranks) {
  for (int rank = 0; rank < ranks; ++rank) {
    const Range own = columns.of(rank);
    for (std::uint64_t g = 0; g < groups_in(own); ++g) column_groups.push_back(group_of(own, g));
  }
}

Range Layout::input(int rank) const {
  const Range own = rows.of(rank);
  return {own.first * shape.columns, own.count * shape.columns};
}

Range Layout::output(int rank) const {
  const Range own = columns.of(rank);
  return {own.first * shape.rows, own.count * shape.rows};
}

std::uint64_t Chunks::count() const {
  std::uint64_t most = 0;
  for (int part = 0; part < partition->parts(); ++part) {
    most = std::max(most, (partition->groups_of(part) + groups - 1) / groups);
  }
  return most;
}

Range Chunks::of(int part, std::uint64_t chunk) const {
  return partition->groups_range(part, chunk * groups, groups);
}

Range group_of(const Range& chunk, std::uint64_t which) {
  const std::uint64_t before = which * kGroup;
  return {chunk.first + before, std::min(kGroup, chunk.count - before)};
}

std::uint64_t groups_in(const Range& chunk) {
  return (chunk.count + kGroup - 1) / kGroup;
}

}  // namespace groma::hpcc::fft
