#include "sim/torus/far_calls.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace groma::sim::torus {
namespace {

std::vector<Node> taken(FarCalls& calls, std::uint64_t window) {
  std::vector<Node> nodes;
  calls.take(window, [&](Node node) { nodes.push_back(node); });
  return nodes;
}

TEST(FarCalls, TakesEachNodeAtItsEarliestWindow) {
  FarCalls calls(10, 20);
  EXPECT_EQ(calls.next(), kNoWindow);
  calls.add(12, 500);
  calls.add(19, 400);
  calls.add(12, 300);
  calls.add(10, 300);
  calls.add(19, 600);
  EXPECT_EQ(calls.next(), 300U);
  EXPECT_TRUE(taken(calls, 299).empty());
  EXPECT_EQ(taken(calls, 300), (std::vector<Node>{10, 12}));
  EXPECT_EQ(taken(calls, 1000), std::vector<Node>{19});
  EXPECT_TRUE(taken(calls, kNoWindow).empty());
}

TEST(FarCalls, TakesANodeAgainThatWasTaken) {
  FarCalls calls(0, 1);
  calls.add(0, 100);
  EXPECT_EQ(taken(calls, 100), std::vector<Node>{0});
  calls.add(0, 700);
  EXPECT_EQ(calls.next(), 700U);
}

}  // namespace
}  // namespace groma::sim::torus
