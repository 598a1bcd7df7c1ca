#include "survey/chase.hpp"

#include <gtest/gtest.h>

#include <set>

namespace groma::survey {
namespace {

std::set<const Link*> visited(Link* first, std::size_t steps) {
  std::set<const Link*> seen;
  for (Link* at = first; seen.size() < steps && seen.insert(at).second;) at = at->next;
  return seen;
}

TEST(Chase, VisitsEverySlotOnceWhateverTheCount) {
  const ChaseOrder order(200, RandomStream(1));
  std::vector<std::byte> memory(200 * 64 + 64);
  for (const std::size_t nodes : {1U, 2U, 3U, 64U, 65U, 96U, 200U}) {
    Link* first = order.link(memory.data(), nodes, 64);
    EXPECT_EQ(visited(first, nodes + 1).size(), nodes);
    EXPECT_EQ(walk(first, nodes * 16), first) << "a cycle returns to its start";
  }
}

TEST(Chase, JitterMovesNodesInsideTheirSlot) {
  const ChaseOrder order(8, RandomStream(1));
  std::vector<std::byte> memory(8 * 4096);
  for (const Link* node : visited(order.link(memory.data(), 8, 4096, 4), 8)) {
    const auto offset = static_cast<std::size_t>(reinterpret_cast<const std::byte*>(node) - memory.data());
    EXPECT_EQ(offset % 4096 / 64, offset / 4096 % 4);
  }
}

TEST(Chase, CycleFollowsTheOrderGiven) {
  std::vector<Link> nodes(3);
  Link* const first = link_cycle(std::vector{&nodes[2], &nodes[0], &nodes[1]});
  EXPECT_EQ(first, &nodes[2]);
  EXPECT_EQ(nodes[2].next, &nodes[0]);
  EXPECT_EQ(nodes[0].next, &nodes[1]);
  EXPECT_EQ(nodes[1].next, &nodes[2]);
}

TEST(Chase, WalkGoesExactlyAsFarAsAsked) {
  const ChaseOrder order(32, RandomStream(2));
  std::vector<std::byte> memory(32 * 64);
  Link* first = order.link(memory.data(), 32, 64);
  Link* expected = first;
  for (int i = 0; i < 48; ++i) expected = expected->next;
  EXPECT_EQ(walk(first, 48), expected);
}

TEST(Chase, TimesAreFiniteAndPositive) {
  const ChaseOrder order(32, RandomStream(2));
  std::vector<std::byte> memory(32 * 64);
  EXPECT_GT(time_walk(order.link(memory.data(), 32, 64), 10'000).per_load.value(), 0.0);
}

}  // namespace
}  // namespace groma::survey
