#include "randomaccess/verification.hpp"

#include <numeric>

#include "randomaccess/window.hpp"

namespace groma::randomaccess {
namespace {

constexpr std::uint64_t kBlock = std::uint64_t{1} << 16U;  ///< updates of each rank and exchange

std::vector<int> starts_of(const std::vector<int>& counts) {
  std::vector<int> starts(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), 0);
  return starts;
}

/// Updates of one block, by owner.
struct Sorted {
  std::vector<std::uint64_t> values;
  std::vector<int> counts;
};

template <class Owner>
Sorted sorted_by_owner(const std::vector<std::uint64_t>& values, std::uint64_t ranks, Owner owner_of) {
  Sorted sorted{std::vector<std::uint64_t>(values.size()), std::vector<int>(ranks, 0)};
  for (const std::uint64_t value : values) ++sorted.counts[owner_of(value)];
  // The loop counts them up, which the check does not see in a template.
  // NOLINTNEXTLINE(misc-const-correctness)
  std::vector<int> places = starts_of(sorted.counts);
  for (const std::uint64_t value : values) {
    sorted.values[static_cast<std::size_t>(places[owner_of(value)]++)] = value;
  }
  return sorted;
}

std::vector<std::uint64_t> exchange(const mpi::Communicator& world, const Sorted& sorted) {
  std::vector<int> counts(sorted.counts.size());
  MPI_Alltoall(sorted.counts.data(), 1, MPI_INT, counts.data(), 1, MPI_INT, world.handle());
  const std::vector<int> from = starts_of(sorted.counts);
  const std::vector<int> to = starts_of(counts);
  std::vector<std::uint64_t> arrived(static_cast<std::size_t>(to.back() + counts.back()));
  MPI_Alltoallv(sorted.values.data(), sorted.counts.data(), from.data(), MPI_UINT64_T, arrived.data(),
                counts.data(), to.data(), MPI_UINT64_T, world.handle());
  return arrived;
}

template <class Sequence>
std::vector<std::uint64_t> next_values(std::uint64_t count, std::uint64_t& value) {
  std::vector<std::uint64_t> values(count);
  for (std::uint64_t& one : values) one = value = Sequence::next(value);
  return values;
}

template <class Sequence>
void apply_blocks(const Setup& setup, Section section) {
  const typename Sequence::Index index(setup.workers.words());
  const Partition ranks = setup.workers.grouped(setup.threads);
  const auto rank = static_cast<std::uint64_t>(setup.world.rank());
  Window<Sequence> window(setup.table, ranks.first(rank), index);
  std::uint64_t value = Sequence::at(static_cast<std::int64_t>(section.first));
  std::uint64_t left = section.count;
  const std::uint64_t blocks =
      setup.world.reduce_to_all((section.count + kBlock - 1) / kBlock, mpi::Reduction::kMax);
  for (std::uint64_t block = 0; block < blocks; ++block) {
    const auto values = next_values<Sequence>(std::min(left, kBlock), value);
    left -= values.size();
    const Sorted sorted =
        sorted_by_owner(values, ranks.parts(), [&](std::uint64_t one) { return ranks.owner(index(one)); });
    window.take(exchange(setup.world, sorted));
  }
  window.drain();
}

}  // namespace

void fill(std::span<std::uint64_t> table, std::uint64_t first) {
  std::iota(table.begin(), table.end(), first);
}

std::uint64_t mend(std::span<std::uint64_t> table, std::uint64_t first) {
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < table.size(); ++i) {
    wrong += static_cast<std::uint64_t>(table[i] != first + i);
    table[i] = first + i;
  }
  return wrong;
}

void apply_safely(const Setup& setup, Section section) {
  with_sequence(setup.generator, [&]<class Sequence>() { apply_blocks<Sequence>(setup, section); });
}

std::uint64_t count_wrong_words(const Setup& setup, Section section) {
  apply_safely(setup, section);
  const auto part = static_cast<std::uint64_t>(setup.world.rank()) * setup.threads;
  return mend(setup.table, setup.workers.first(part));
}

}  // namespace groma::randomaccess
