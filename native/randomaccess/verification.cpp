#include "randomaccess/verification.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "randomaccess/definition.hpp"

namespace groma::randomaccess {
namespace {

std::vector<int> starts_of(const std::vector<int>& counts) {
  std::vector<int> starts(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), 0);
  return starts;
}

/// Updates of one block, by the rank that owns their words.
struct Sorted {
  std::vector<std::uint64_t> values;
  std::vector<int> counts;
};

/// `owners` are the ranks of the values.
Sorted sorted_by_owner(const std::vector<std::uint64_t>& values, const std::vector<std::uint64_t>& owners,
                       int ranks) {
  Sorted sorted{std::vector<std::uint64_t>(values.size()),
                std::vector<int>(static_cast<std::size_t>(ranks), 0)};
  for (const std::uint64_t owner : owners) ++sorted.counts[owner];
  std::vector<int> places = starts_of(sorted.counts);
  for (std::size_t i = 0; i < values.size(); ++i) {
    sorted.values[static_cast<std::size_t>(places[owners[i]]++)] = values[i];
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

}  // namespace

std::uint64_t updates_per_exchange(int ranks) {
  constexpr std::uint64_t kUsual = std::uint64_t{1} << 16U;
  constexpr std::uint64_t kMost = std::numeric_limits<int>::max();
  return std::min(kUsual, kMost / static_cast<std::uint64_t>(ranks));
}

void fill(std::span<std::uint64_t> table, std::uint64_t first) {
  std::iota(table.begin(), table.end(), first);
}

std::uint64_t repair(std::span<std::uint64_t> table, std::uint64_t first) {
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < table.size(); ++i) {
    wrong += static_cast<std::uint64_t>(table[i] != first + i);
    table[i] = first + i;
  }
  return wrong;
}

void apply_safely(const Setup& setup, Section section) {
  const mpi::Communicator& world = setup.world;
  const DefinedLayout layout{setup.workers.words(), static_cast<std::uint64_t>(world.size()) * setup.threads};
  DefinedStream stream(setup.generator, section.first);
  DefinedUpdates here(setup.table, layout.first(setup.first_worker()), layout.words, setup.generator);
  const std::uint64_t at_once = updates_per_exchange(world.size());
  const std::uint64_t blocks =
      world.reduce_to_all((section.count + at_once - 1) / at_once, mpi::Reduction::kMax);
  for (std::uint64_t block = 0; block < blocks; ++block) {
    std::vector<std::uint64_t> values(
        std::min(section.count - std::min(section.count, block * at_once), at_once));
    stream.fill(values);
    std::vector<std::uint64_t> owners(values.size());
    defined_indices(setup.generator, layout.words, values, owners);
    for (std::uint64_t& owner : owners) owner = layout.owner(owner) / setup.threads;
    here.apply(exchange(world, sorted_by_owner(values, owners, world.size())));
  }
}

std::uint64_t count_wrong_words(const Setup& setup, Section section) {
  apply_safely(setup, section);
  return repair(setup.table, setup.workers.first(setup.first_worker()));
}

std::uint64_t count_wrong_words(std::span<std::uint64_t> table, Generator generator, Section section) {
  apply_as_defined(table, generator, section);
  return repair(table, 0);
}

}  // namespace groma::randomaccess
