// Who holds each update, counted by the test from below the algorithms: it sees every update that is
// generated, passed on through a queue, sent, received and applied, and believes nothing that the algorithms
// count.
#include <gtest/gtest.h>

#include <atomic>
#include <unordered_map>
#include <utility>

#include "base/spsc_queue.hpp"
#include "mpi/shared_parts.hpp"
#include "randomaccess/algorithm.hpp"
#include "randomaccess/mapping.hpp"
#include "randomaccess/routed/exchange.hpp"
#include "randomaccess/specialised/specialised.hpp"
#include "randomaccess/table_memory.hpp"
#include "randomaccess/update.hpp"
#include "randomaccess/verification.hpp"
#include "testing/watched_messages.hpp"

namespace groma::randomaccess {
namespace {

using groma::test::WatchedMessages;
using Updates = std::span<const std::uint64_t>;

constexpr std::uint64_t kWords = 1U << 11U;
constexpr Section kSection{std::uint64_t{1} << 40U, 4 * kWords};

// ---- the counter ----

/// What a rank or a node holds, and the most that it ever held.
struct HighWaterMark {
  std::atomic<std::int64_t> now;
  std::atomic<std::int64_t> most;

  void add() {
    const std::int64_t held = ++now;
    std::int64_t known = most;
    while (known < held && !most.compare_exchange_weak(known, held)) {
    }
  }
};

/// The holder of every update of the whole sequence, in memory that all ranks share. An update is held from
/// when it is generated: by the rank that generated it, wrote it into a queue, sent it or received it last,
/// until that one's message has left, or until it is applied. What is on its way counts for nobody, so that
/// the true number is no less.
class Holders {
 public:
  Holders(const mpi::Communicator& world, const Placement& placement)
      : placement_(placement),
        rank_(world.rank()),
        memory_(
            mpi::SharedParts::allocate(world, Bytes(world.is_root() ? size_of(world.size()) : 0)).value()),
        passed_(kSection.count) {
    const std::span<std::byte> bytes = memory_.of<std::byte>(0);
    ranks_ = reinterpret_cast<HighWaterMark*>(bytes.data());
    nodes_ = ranks_ + world.size();
    holders_ = reinterpret_cast<Holder*>(nodes_ + world.size());
    if (world.is_root()) {
      std::ranges::fill(bytes, std::byte{0});
      for (std::uint64_t at = 0; at < kSection.count; ++at) holders_[at] = kNobody;
    }
    std::uint64_t value = Polynomial::at(static_cast<std::int64_t>(kSection.first));
    for (std::uint64_t at = 0; at < kSection.count; ++at) places_[value = Polynomial::next(value)] = at;
    world.barrier();
  }

  void generated(std::uint64_t value) { give(value, rank_); }
  void passes(Updates updates) {
    for (const std::uint64_t value : updates) {
      give(value, rank_);
      if (const auto at = places_.find(value); at != places_.end()) passed_[at->second] = true;
    }
  }
  /// From a queue or a message. What a rank has passed on already is held by another one.
  void came(Updates updates) {
    for (const std::uint64_t value : updates) {
      const auto at = places_.find(value);
      if (at != places_.end() && !passed_[at->second]) give(value, rank_);
    }
  }
  void sent(Updates updates) {
    for (const std::uint64_t value : updates) {
      if (holder_of(value) == rank_) give(value, kNobody);
    }
  }
  void applied(std::uint64_t value) { give(value, kApplied); }

  [[nodiscard]] std::uint64_t most_of_rank() const { return most(ranks_[rank_]); }
  [[nodiscard]] std::uint64_t most_of_node() const { return most(nodes_[placement_.node_of(rank_)]); }

 private:
  using Holder = std::atomic<std::int32_t>;
  static constexpr std::int32_t kNobody = -1;
  static constexpr std::int32_t kApplied = -2;

  static std::size_t size_of(int ranks) {
    return 2 * static_cast<std::size_t>(ranks) * sizeof(HighWaterMark) + kSection.count * sizeof(Holder);
  }
  static std::uint64_t most(const HighWaterMark& held) {
    return static_cast<std::uint64_t>(held.most.load());
  }

  [[nodiscard]] std::int32_t holder_of(std::uint64_t value) const {
    const auto at = places_.find(value);
    return at == places_.end() ? kApplied : holders_[at->second].load();
  }

  void give(std::uint64_t value, std::int32_t to) {
    const auto at = places_.find(value);
    if (at == places_.end()) return;
    std::int32_t from = holders_[at->second];
    do {
      if (from == kApplied) return;
    } while (!holders_[at->second].compare_exchange_weak(from, to));
    move(from, to);
  }

  /// What moves within a node stays there.
  void move(std::int32_t from, std::int32_t to) {
    if (from == to) return;
    const bool stays = from >= 0 && to >= 0 && placement_.node_of(from) == placement_.node_of(to);
    if (from >= 0) --ranks_[from].now;
    if (from >= 0 && !stays) --nodes_[placement_.node_of(from)].now;
    if (to >= 0) ranks_[to].add();
    if (to >= 0 && !stays) nodes_[placement_.node_of(to)].add();
  }

  const Placement& placement_;
  int rank_;
  mpi::SharedParts memory_;
  HighWaterMark* ranks_;
  HighWaterMark* nodes_;
  Holder* holders_;
  std::unordered_map<std::uint64_t, std::uint64_t> places_;
  std::vector<bool> passed_;  // by this rank
};

Holders* seen = nullptr;

/// What a rank, and the ranks of its node together, were seen to hold at most.
struct MostSeen {
  std::uint64_t of_rank;
  std::uint64_t of_node;
};

/// Collective.
MostSeen most_seen(const Setup& setup, const std::function<void()>& work) {
  Holders holders(setup.world, setup.placement);
  seen = &holders;
  on_generated = [](std::uint64_t value) { seen->generated(value); };
  on_queued = [](Updates updates) { seen->passes(updates); };
  on_taken = [](Updates updates) { seen->came(updates); };
  on_applied = [](std::uint64_t value) { seen->applied(value); };
  {
    const WatchedMessages watched({.leaving = [](Updates updates) { seen->passes(updates); },
                                   .sent = [](Updates updates) { seen->sent(updates); },
                                   .arrived = [](Updates updates, int) { seen->came(updates); }});
    work();
  }
  on_generated = nullptr;
  on_queued = on_taken = nullptr;
  on_applied = nullptr;
  setup.world.barrier();
  return {holders.most_of_rank(), holders.most_of_node()};
}

// ---- algorithms ----

const std::string kPools = "route in pools";

/// What an algorithm works on; its ranks are divided into nodes as the test pretends.
struct TestCase {
  std::string algorithm;
  std::vector<int> nodes;
  MappingMode mode;
  std::uint64_t limit = kLookAhead;
};

std::string describe(const TestCase& test_case) {
  return test_case.algorithm + ", mode " + std::to_string(test_case.mode.number) + ", limit " +
         std::to_string(test_case.limit) + ", nodes begin with " + grid_text(test_case.nodes);
}

/// A table over all ranks, and an algorithm on it.
struct Scene {
  explicit Scene(const TestCase& test_case)
      : node(world.split(test_case.nodes[static_cast<std::size_t>(world.rank())], world.rank()).value()),
        memory(TableMemory::allocate(world, node, parts.size(rank), specialises(test_case)).value()),
        setup{.world = world,
              .workers = parts,
              .table = memory.words(),
              .generator = Generator::kPolynomial,
              .limit = {test_case.limit, test_case.mode.limit_of_node},
              .placement = {test_case.nodes, test_case.mode.generation_of_node},
              .node_table = memory.of_node()},
        own(generated_by(test_case.mode, world, node, part_of(kSection, rank, parts.parts()))) {
    if (own.first < kSection.first) own.first += kSection.first;
    fill(setup.table, parts.first(rank));
    if (specialises(test_case)) {
      const int nodes = world.size() / node.size();
      std::vector<int> grid(nodes == 1 ? 0 : 1, nodes);
      updater = make_specialised(
                    setup, {world.split(test_case.nodes[rank], world.rank()).value(), 0, std::move(grid)})
                    .value();
    } else {
      updater = test_case.algorithm == kPools ? in_pools() : of_algorithm(test_case.algorithm);
    }
  }
  std::unique_ptr<Updater> of_algorithm(const std::string& name) {
    const Algorithm& algorithm = *Algorithms::find(name);
    setup.grid = algorithm.grid_on(site_of(world));
    return algorithm.make(setup).value();
  }
  /// Along two dimensions where there can be two, in the way that is for more ranks than tests have.
  [[nodiscard]] std::unique_ptr<Updater> in_pools() const {
    const int ranks = world.size();
    const Topology topology = grid_topology(ranks % 2 == 0 ? std::vector{ranks / 2, 2} : std::vector{ranks});
    return updater_along(setup, topology,
                         shares_of(topology, world.rank(), setup.limit, setup.placement, Way::kPools));
  }
  static bool specialises(const TestCase& test_case) { return test_case.algorithm == "specialise"; }
  [[nodiscard]] std::uint64_t sum(std::uint64_t of) const {
    return world.reduce_to_all(of, mpi::Reduction::kSum);
  }

  mpi::Communicator world = mpi::Communicator::world();
  std::uint64_t rank = static_cast<std::uint64_t>(world.rank());
  Partition parts{kWords, static_cast<std::uint64_t>(world.size())};
  mpi::Communicator node;
  TableMemory memory;
  Setup setup;
  Section own;
  std::unique_ptr<Updater> updater;
};

std::vector<std::vector<int>> divisions(int ranks, bool even_only) {
  std::vector<std::vector<int>> all;
  for (int per_node = 1; per_node <= ranks; ++per_node) {
    if (ranks % per_node == 0 || !even_only) all.push_back(even_nodes(ranks, per_node));
  }
  return all;
}

std::vector<std::vector<int>> nodes_for(const std::string& algorithm, int ranks) {
  if (algorithm == "shared") return {even_nodes(ranks, ranks)};
  return divisions(ranks, algorithm == "specialise");
}

std::vector<TestCase> all_cases() {
  const int ranks = mpi::Communicator::world().size();
  std::vector<TestCase> all;
  for (const std::string& algorithm : {std::string("shared"), std::string("direct"), std::string("hypercube"),
                                       std::string("route"), kPools, std::string("specialise")}) {
    for (const auto& nodes : nodes_for(algorithm, ranks)) {
      for (const int mode : {5, 6, 7, 8}) all.push_back({algorithm, nodes, mapping_mode(mode).value()});
    }
  }
  return all;
}

std::uint64_t of_holder(const MostSeen& most, const TestCase& test_case) {
  return test_case.mode.limit_of_node ? most.of_node : most.of_rank;
}

TEST(LookAheadSeenFromBelow, IsWithinWhatEachAlgorithmTellsAndTheLimitOfEveryMode) {
  for (const TestCase& test_case : all_cases()) {
    const Scene scene(test_case);
    const MostSeen most = most_seen(scene.setup, [&] { scene.updater->apply(scene.own); });
    const std::uint64_t reported = scene.updater->activity().most_pending;
    const std::uint64_t reported_by_node = scene.node.reduce_to_all(reported, mpi::Reduction::kSum);
    EXPECT_EQ(scene.sum(count_wrong_words(scene.setup, scene.own)), 0U) << describe(test_case);
    EXPECT_GT(most.of_node, 0U) << describe(test_case);
    EXPECT_LE(most.of_rank, reported) << describe(test_case);
    EXPECT_LE(most.of_node, reported_by_node) << describe(test_case);
    EXPECT_LE(of_holder(most, test_case), test_case.limit) << describe(test_case);
    EXPECT_LE(test_case.mode.limit_of_node ? reported_by_node : reported, test_case.limit)
        << describe(test_case);
  }
}

TEST(LookAheadSeenFromBelow, ShowsAlgorithmsThatWereAllowedMore) {
  constexpr std::uint64_t kLess = 48;
  for (const TestCase& test_case : all_cases()) {
    if (test_case.mode.number != 8) continue;
    const Scene scene(test_case);
    const MostSeen most = most_seen(scene.setup, [&] { scene.updater->apply(scene.own); });
    const std::uint64_t seen_of_any =
        scene.world.reduce_to_all(of_holder(most, test_case), mpi::Reduction::kMax);
    EXPECT_GT(seen_of_any, kLess) << describe(test_case);
  }
}

// ---- a planted fault ----

/// How updates wait that a rank generates before any of them is applied.
enum class Backlog { kInPlace, kInQueue };

/// Rank 0 holds so many updates of its own at once.
void build_backlog(const Setup& setup, Backlog how, std::uint64_t count) {
  std::vector<std::uint64_t> updates(count);
  std::vector<std::byte> memory(SpscQueue::bytes(std::bit_ceil(count)) + kFalseSharingRange);
  if (setup.world.rank() != 0) return;
  with_sequence(setup.generator, [&]<class Sequence>() {
    std::uint64_t value = Sequence::at(static_cast<std::int64_t>(kSection.first));
    for (std::uint64_t& update : updates) update = value = Sequence::next(value);
  });
  if (how == Backlog::kInQueue) {
    void* begin = memory.data();
    std::size_t room = memory.size();
    std::align(kFalseSharingRange, SpscQueue::bytes(std::bit_ceil(count)), begin, room);
    SpscQueue queue(static_cast<std::byte*>(begin), std::bit_ceil(count));
    SpscProducer writer(queue);
    SpscConsumer reader(queue, 1);
    writer.push(updates);
    for (auto words = reader.arrived(); !words.empty(); words = reader.arrived()) reader.pop(words.size());
  }
  std::uint64_t word = 0;
  for (const std::uint64_t update : updates) PlainXor()(word, update);
}

TEST(LookAheadSeenFromBelow, ShowsASingleUpdateMoreThanTheLimit) {
  const Scene scene({"direct", even_nodes(mpi::Communicator::world().size(), 2), mapping_mode(1).value()});
  const bool holds = scene.setup.placement.node_of(scene.world.rank()) == 0;
  for (const Backlog how : {Backlog::kInPlace, Backlog::kInQueue}) {
    for (const std::uint64_t count : {kLookAhead, kLookAhead + 1}) {
      const MostSeen most = most_seen(scene.setup, [&] { build_backlog(scene.setup, how, count); });
      EXPECT_EQ(most.of_rank, scene.world.is_root() ? count : 0U);
      EXPECT_EQ(most.of_node, holds ? count : 0U);
    }
  }
}

/// All ranks hold so many updates together before any is applied, each about as many.
void build_common_backlog(const Scene& scene, std::uint64_t count) {
  const Section own = part_of({kSection.first, count}, scene.rank, scene.parts.parts());
  std::vector<std::uint64_t> updates(own.count);
  with_sequence(scene.setup.generator, [&]<class Sequence>() {
    std::uint64_t value = Sequence::at(static_cast<std::int64_t>(own.first));
    for (std::uint64_t& update : updates) update = value = Sequence::next(value);
  });
  scene.world.barrier();
  std::uint64_t word = 0;
  for (const std::uint64_t update : updates) PlainXor()(word, update);
}

TEST(LookAheadSeenFromBelow, ShowsASingleUpdateMoreThanTheLimitOfANode) {
  const int ranks = mpi::Communicator::world().size();
  const Scene scene({"shared", even_nodes(ranks, ranks), mapping_mode(8).value()});
  for (const std::uint64_t count : {kLookAhead, kLookAhead + 1}) {
    EXPECT_EQ(most_seen(scene.setup, [&] { build_common_backlog(scene, count); }).of_node, count);
  }
}

}  // namespace
}  // namespace groma::randomaccess
