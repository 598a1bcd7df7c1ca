// A page of memory lies on the NUMA node of the rank that writes it first. So a table that the ranks of a
// node share lies where it is updated if each rank is the first to write its own words, which can be seen on
// a machine with one NUMA node as well: ranks begin one after the other, and each looks whether any page of
// its words is in memory already. (Where ranks specialise, others update: specialised_mpi_test.cpp.)
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

#include "randomaccess/global_run.hpp"
#include "randomaccess/table_memory.hpp"
#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::randomaccess {
namespace {

constexpr std::uint64_t kWords = std::uint64_t{1} << 18U;
constexpr std::chrono::seconds kTimeout{60};

/// The pages that have none but these words.
std::span<std::byte> pages_in(std::span<std::uint64_t> words) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::span<std::byte> bytes = std::as_writable_bytes(words);
  const std::uintptr_t before = (page - reinterpret_cast<std::uintptr_t>(bytes.data()) % page) % page;
  if (before >= bytes.size()) return {};
  const std::size_t rest = bytes.size() - before;
  return bytes.subspan(before, rest - rest % page);
}

/// Whether each of the pages has been touched by any rank.
std::vector<bool> touched(std::span<std::uint64_t> words) {
  const std::span<std::byte> pages = pages_in(words);
  std::vector<unsigned char> resident(pages.size() / static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
  EXPECT_EQ(mincore(pages.data(), pages.size(), resident.data()), 0);
  std::vector<bool> all;
  for (const unsigned char one : resident) all.push_back((one & 1U) != 0);
  return all;
}

bool is_any_touched(std::span<std::uint64_t> words) {
  return std::ranges::count(touched(words), true) != 0;
}
bool are_all_touched(std::span<std::uint64_t> words) {
  return std::ranges::count(touched(words), false) == 0;
}

/// A table of the node, and an algorithm on it.
struct Scene {
  explicit Scene(const std::string& name) {
    const Algorithm& algorithm = *Algorithms::find(name);
    setup.grid = algorithm.grid_on(site_of(world));
    updater = algorithm.make(setup).value();
  }
  [[nodiscard]] std::span<std::uint64_t> words_of(std::uint64_t of) const {
    return memory.of_node().subspan(parts.first(of), parts.size(of));
  }
  /// Whether the rank before this one has written all of its words; true on the first.
  [[nodiscard]] bool has_predecessor_written() const {
    return rank == 0 || are_all_touched(words_of(rank - 1));
  }

  mpi::Communicator world = mpi::Communicator::world();
  SystemClock clock;
  std::uint64_t rank = static_cast<std::uint64_t>(world.rank());
  Partition parts{kWords, static_cast<std::uint64_t>(world.size())};
  TableMemory memory = TableMemory::allocate(world, world, parts.size(rank), true).value();
  Setup setup{.world = world,
              .workers = parts,
              .table = memory.words(),
              .generator = Generator::kPolynomial,
              .node_table = memory.of_node()};
  std::unique_ptr<Updater> updater;
};

/// Collective. Begins a run on one rank after the other; whether this rank was the first to touch its words.
bool is_first_to_touch(
    Scene& scene, const std::function<void()>& before = [] {}) {
  before();
  scene.world.barrier();
  const auto start = std::chrono::steady_clock::now();
  while (!scene.has_predecessor_written() && std::chrono::steady_clock::now() - start < kTimeout) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const bool is_first = !is_any_touched(scene.words_of(scene.rank));
  const Section own = part_of({0, kWords}, scene.rank, scene.parts.parts());
  const GlobalRun run(scene.clock, scene.setup, std::move(scene.updater), own, 1);
  EXPECT_TRUE(are_all_touched(scene.words_of(scene.rank)));
  EXPECT_EQ(run.totals().wrong, 0U);
  return is_first;
}

TEST(TableOfANode, IsFirstTouchedByTheRankThatUpdatesItWhateverTheAlgorithm) {
  if (mpi::Communicator::world().size() < 2) return;  // one rank has memory of its own
  for (const std::string name : {"shared", "direct", "hypercube", "route"}) {
    Scene scene(name);
    EXPECT_TRUE(is_first_to_touch(scene)) << name;
  }
}

TEST(TableOfANode, IsSeenToBeTouchedByAnotherRank) {
  if (mpi::Communicator::world().size() < 2) return;
  Scene scene("direct");
  const std::uint64_t last = scene.parts.parts() - 1;
  const auto touch_one_page = [&] {
    if (scene.rank == 0) pages_in(scene.words_of(last)).back() = std::byte{1};
  };
  EXPECT_EQ(is_first_to_touch(scene, touch_one_page), scene.rank != last);
}

}  // namespace
}  // namespace groma::randomaccess
