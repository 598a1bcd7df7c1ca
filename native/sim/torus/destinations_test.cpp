#include "sim/torus/destinations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <vector>

#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::sim::torus {
namespace {

Shape torus(std::vector<std::uint32_t> extents) {
  const std::vector<bool> closed(extents.size(), true);
  return Shape::make(std::move(extents), closed).value();
}

TEST(CheapPermutation, ReachesEveryNumberOnce) {
  for (const std::uint32_t size : {1U, 2U, 3U, 7U, 63U, 64U, 65U, 1000U}) {
    const CheapPermutation order(size, 42);
    std::set<std::uint32_t> seen;
    for (std::uint32_t i = 0; i < size; ++i) seen.insert(order(i));
    EXPECT_EQ(seen.size(), size);
    EXPECT_LT(*seen.rbegin(), size);
  }
}

TEST(CheapPermutation, DiffersWithItsKey) {
  const CheapPermutation one(1000, 1);
  const CheapPermutation other(1000, 2);
  int equal = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) equal += one(i) == other(i) ? 1 : 0;
  EXPECT_LT(equal, 20);
}

TEST(Destinations, AreAllOtherNodes) {
  const Shape shape = torus({3, 2});
  const Destinations all(shape, 100, 1);
  ASSERT_EQ(all.count(), 5U);
  for (Node node = 0; node < shape.nodes(); ++node) {
    std::set<Node> found;
    for (std::uint32_t i = 0; i < 5; ++i) found.insert(all.of(node, i));
    EXPECT_EQ(found.size(), 5U);
    EXPECT_FALSE(found.contains(node));
  }
}

/// Hops over each link, counted one by one; half of those to a node opposite go either way.
double busiest_link(const Shape& shape, const Destinations& destinations) {
  std::vector<double> links(std::size_t{shape.nodes()} * shape.ports());
  for (Node node = 0; node < shape.nodes(); ++node) {
    for (std::uint32_t i = 0; i < destinations.count(); ++i) {
      for (const std::uint32_t coins : {0U, 0xFFU}) {
        const Hops hops = shape.hops(node, destinations.of(node, i), coins);
        Node at = node;
        for (std::size_t d = 0; d < shape.dimensions(); ++d) {
          const auto port = static_cast<Port>((2 * d) + (hops[d] < 0 ? 1 : 0));
          for (int hop = 0; hop < std::abs(hops[d]); ++hop) {
            links[(std::size_t{at} * shape.ports()) + port] += 0.5;
            at = shape.neighbour(at, port);
          }
        }
      }
    }
  }
  return *std::ranges::max_element(links);
}

TEST(Destinations, OfASampleLoadAllLinksOfADimensionAlike) {
  for (const Shape& shape : {torus({8, 4, 4}), torus({7, 5}), torus({16}), torus({6, 2, 3})}) {
    for (const std::uint32_t count : {1U, 4U, 7U, 14U}) {
      const Destinations some(shape, count, 5);
      ASSERT_EQ(some.count(), count);
      EXPECT_DOUBLE_EQ(some.busiest_load(), busiest_link(shape, some)) << count;
    }
    EXPECT_NEAR(Destinations(shape, shape.nodes(), 5).busiest_load(),
                busiest_link(shape, Destinations(shape, shape.nodes(), 5)), 1e-9);
  }
}

TEST(Destinations, OfASampleDifferAndLeadAwayFromTheNode) {
  for (const Shape& shape : {torus({8, 4, 4}), Shape::make({5, 4}, {true, false}).value()}) {
    for (std::uint32_t count = 1; count + 1 < shape.nodes(); count += 3) {
      const Destinations some(shape, count, count);
      for (const Node node : {Node{0}, shape.nodes() - 1}) {
        std::set<Node> found;
        for (std::uint32_t i = 0; i < count; ++i) found.insert(some.of(node, i));
        EXPECT_EQ(found.size(), count);
        EXPECT_FALSE(found.contains(node));
      }
    }
  }
}

}  // namespace
}  // namespace groma::sim::torus
