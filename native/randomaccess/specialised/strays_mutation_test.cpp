// What faulty messages bring to a rank that only updates.
#include <gtest/gtest.h>

#include <algorithm>

#include "randomaccess/specialised/specialised.hpp"
#include "testing/watched_messages.hpp"

namespace groma::randomaccess {
namespace {

using groma::test::WatchedMessages;
using Updates = std::span<std::uint64_t>;

constexpr std::uint64_t kWords = 1U << 12U;
constexpr Section kSection{std::uint64_t{1} << 40U, 4 * kWords};

/// Two nodes of a rank that generates and one that only updates. Every update that goes to the other node has
/// become one of this node on its way.
TEST(FaultyMessagesOfNodes, TouchNoMemoryBesideTheWordsOfARankThatOnlyUpdates) {
  const mpi::Communicator world = mpi::Communicator::world();
  if (world.size() != 4) return;
  const auto rank = static_cast<std::uint64_t>(world.rank());
  const Partition parts{kWords, 4};
  const std::uint64_t of_node = kWords / 2;
  std::vector<std::uint64_t> memory(3 * of_node);
  const Updates node_table = Updates(memory).subspan(of_node, of_node);
  const randomaccess::Setup setup{.world = world,
                                  .workers = parts,
                                  .table = node_table.subspan(rank % 2 * parts.size(rank), parts.size(rank)),
                                  .generator = Generator::kPolynomial,
                                  .node_table = node_table};
  const auto updater = make_specialised(setup, {world.split(world.rank() / 2, world.rank()).value(), 1, {2}});
  ASSERT_TRUE(updater);
  {
    const WatchedMessages watched({.leaving = [](Updates updates) {
      for (std::uint64_t& update : updates) update ^= kWords / 2;
    }});
    updater.value()->apply(part_of(kSection, rank, 4));
  }
  const auto is_untouched = [](std::span<const std::uint64_t> words) {
    return std::ranges::all_of(words, [](std::uint64_t word) { return word == 0; });
  };
  EXPECT_TRUE(is_untouched(Updates(memory).first(of_node)));
  EXPECT_TRUE(is_untouched(Updates(memory).last(of_node)));
  EXPECT_EQ(is_untouched(node_table), rank % 2 == 0) << "updates of the own node are applied by one rank";
}

}  // namespace
}  // namespace groma::randomaccess
