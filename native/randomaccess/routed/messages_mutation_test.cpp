// The algorithms that send messages, watched from below: what faulty messages spoil is found, and a slow peer
// causes no storm.
#include <gtest/gtest.h>

#include "base/pages.hpp"
#include "randomaccess/global_run.hpp"
#include "randomaccess/routed/exchange.hpp"
#include "randomaccess/verification.hpp"
#include "testing/watched_messages.hpp"

namespace groma::randomaccess {
namespace {

using groma::test::WatchedMessages;
using Updates = std::span<std::uint64_t>;

constexpr std::uint64_t kWords = 1U << 12U;
constexpr Section kSection{std::uint64_t{1} << 40U, 4 * kWords};
constexpr const char* kNames[] = {"direct", "hypercube", "route"};

/// A table over all ranks, and an algorithm on it.
struct Scene {
  explicit Scene(const std::string& name) {
    const auto algorithm = choose_algorithm(name, site_of(world));
    setup.grid = algorithm.value()->grid_on(site_of(world));
    updater = algorithm.value()->make(setup).value();
    fill(setup.table, parts.first(rank));
  }
  void put_in_pools(const Topology& topology) {
    const Shares shares = shares_of(topology, world.rank(), setup.limit, setup.placement, Way::kPools);
    updater = updater_along(setup, topology, shares);
  }
  [[nodiscard]] Section own() const { return part_of(kSection, rank, parts.parts()); }
  [[nodiscard]] std::uint64_t sum(std::uint64_t of) const {
    return world.reduce_to_all(of, mpi::Reduction::kSum);
  }

  mpi::Communicator world = mpi::Communicator::world();
  std::uint64_t rank = static_cast<std::uint64_t>(world.rank());
  Partition parts{kWords, static_cast<std::uint64_t>(world.size())};
  std::vector<std::uint64_t> table = std::vector<std::uint64_t>(parts.size(rank));
  Setup setup{.world = world, .workers = parts, .table = table, .generator = Generator::kPolynomial};
  std::unique_ptr<Updater> updater;
};

// ---- faulty messages ----

std::uint64_t wrong_words(const std::string& name, const std::function<void(Updates)>& spoil) {
  const Scene scene(name);
  {
    const WatchedMessages watched({.leaving = spoil});
    scene.updater->apply(scene.own());
  }
  return scene.sum(count_wrong_words(scene.setup, scene.own()));
}

/// Of every third message.
std::function<void(Updates)> sometimes(std::function<void(Updates)> spoil) {
  return [spoil = std::move(spoil), count = 0](Updates updates) mutable {
    if (++count % 3 == 1) spoil(updates);
  };
}

void expect_found(const std::function<void(Updates)>& spoil) {
  if (mpi::Communicator::world().size() == 1) return;
  for (const char* name : kNames) EXPECT_GT(wrong_words(name, sometimes(spoil)), 0U) << name;
}

TEST(FaultyMessages, AreNotPlantedByTheLayerItself) {
  for (const char* name : kNames) EXPECT_EQ(wrong_words(name, [](Updates) {}), 0U) << name;
}

TEST(FaultyMessages, AreFoundWhereTheirUpdatesAreLost) {
  expect_found([](Updates updates) { std::ranges::fill(updates, 0U); });
}

TEST(FaultyMessages, AreFoundWhereABitFlips) {
  for (const unsigned bit : {0U, 11U, 40U, 63U}) {
    expect_found([bit](Updates updates) { updates.front() ^= std::uint64_t{1} << bit; });
  }
}

TEST(FaultyMessages, AreFoundWhereAnUpdateComesTwice) {
  expect_found([](Updates updates) { updates.front() = updates.back(); });
}

TEST(FaultyMessages, AreFoundWhereAnEarlierOneComesAgain) {
  expect_found([before = std::vector<std::uint64_t>()](Updates updates) mutable {
    std::vector<std::uint64_t> now(updates.begin(), updates.end());
    std::copy_n(before.begin(), std::min(before.size(), updates.size()), updates.begin());
    before = std::move(now);
  });
}

TEST(FaultyTables, AreFoundWhereAWordFlipsBetweenRunAndCheck) {
  for (const char* name : kNames) {
    const Scene scene(name);
    scene.updater->apply(scene.own());
    for (const std::size_t at : {std::size_t{0}, scene.table.size() / 2, scene.table.size() - 1}) {
      scene.setup.table[at] ^= std::uint64_t{1} << (at % 64);
    }
    EXPECT_EQ(scene.sum(count_wrong_words(scene.setup, scene.own())), 3 * scene.parts.parts()) << name;
  }
}

// ---- a slow peer ----

TEST(SlowPeer, CausesNoStormOfMessages) {
  for (const char* name : kNames) {
    const Scene scene(name);
    const int slow = scene.world.size() - 1;
    {
      const WatchedMessages watched({.delay = [&](int from) -> std::uint64_t {
        return from == slow || scene.world.rank() == slow ? 300 : 0;
      }});
      scene.updater->apply(scene.own());
    }
    const Activity done = scene.updater->activity();
    const std::uint64_t full = scene.sum(done.messages - done.part_full - done.empty);
    const std::uint64_t part_full = scene.sum(done.part_full);
    const std::uint64_t links = scene.sum(static_cast<std::uint64_t>(scene.world.size() - 1));
    EXPECT_EQ(scene.sum(count_wrong_words(scene.setup, scene.own())), 0U) << name;
    // For each full or last message a request and an answer to it, and an answer to each after the last one.
    EXPECT_LE(scene.sum(done.empty), 3 * (full + links) + part_full) << name;
    EXPECT_LE(scene.sum(done.messages), 10 * (full + links)) << name;
  }
}

/// With two peers a pool holds 3.5 buckets. Two that fill and one under way leave room in it, and two under
/// way are more than half of it: no reason to send a bucket that is not full, but for the last ones.
TEST(SlowPeer, LeavesBucketsOfPoolsTheTimeToFill) {
  Scene scene("direct");
  if (scene.world.size() != 3) return;
  scene.put_in_pools(direct_topology(3));
  {
    const WatchedMessages watched({.delay = [&](int /*from*/) { return std::uint64_t{100}; }});
    scene.updater->apply(scene.own());
  }
  const Activity done = scene.updater->activity();
  constexpr std::uint64_t kLinks = 6;
  EXPECT_GT(scene.sum(done.messages - done.part_full - done.empty), kLinks);
  EXPECT_LE(scene.sum(done.part_full), kLinks);
}

}  // namespace
}  // namespace groma::randomaccess
