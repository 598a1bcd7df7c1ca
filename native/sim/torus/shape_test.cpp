#include "sim/torus/shape.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/random.hpp"

namespace groma::sim::torus {
namespace {

Shape shape_of(std::vector<std::uint32_t> extents, std::vector<bool> closed) {
  return Shape::make(std::move(extents), std::move(closed)).value();
}

std::uint32_t length(const Hops& hops) {
  std::uint32_t sum = 0;
  for (const std::int16_t hop : hops) sum += static_cast<std::uint32_t>(std::abs(hop));
  return sum;
}

/// The nodes on the way, by steps from neighbour to neighbour.
Node walk(const Shape& shape, Node from, Hops hops) {
  for (std::size_t d = 0; d < shape.dimensions(); ++d) {
    for (; hops[d] != 0 && from != kNoNode;
         hops[d] = static_cast<std::int16_t>(hops[d] - (hops[d] > 0 ? 1 : -1))) {
      from = shape.neighbour(from, static_cast<Port>((2 * d) + (hops[d] < 0 ? 1 : 0)));
    }
  }
  return from;
}

TEST(Shape, LeadsFromEveryNodeToEveryOtherByNeighbours) {
  for (const Shape& shape : {shape_of({4, 3, 2}, {true, false, true}), shape_of({5}, {true}),
                             shape_of({2, 1, 3, 2, 2, 3}, {true, true, false, false, true, true})}) {
    for (Node from = 0; from < shape.nodes(); ++from) {
      for (Node to = 0; to < shape.nodes(); ++to) {
        for (const std::uint32_t coins : {0U, 63U})
          EXPECT_EQ(walk(shape, from, shape.hops(from, to, coins)), to);
      }
    }
  }
}

TEST(Shape, TakesTheShorterWayAroundARing) {
  const Shape ring = shape_of({7}, {true});
  EXPECT_EQ(ring.hops(0, 3, 0)[0], 3);
  EXPECT_EQ(ring.hops(0, 4, 0)[0], -3);
  EXPECT_EQ(ring.hops(5, 1, 0)[0], 3);
}

TEST(Shape, LetsCoinsDecideBetweenEqualWays) {
  const Shape ring = shape_of({4, 2}, {true, true});
  EXPECT_EQ(ring.hops(0, 6, 0), (Hops{2, 1}));
  EXPECT_EQ(ring.hops(0, 6, 1), (Hops{-2, 1}));
  EXPECT_EQ(ring.hops(0, 6, 2), (Hops{2, -1}));
}

TEST(Shape, EndsAtTheEdgesOfAMesh) {
  const Shape mesh = shape_of({4}, {false});
  EXPECT_EQ(mesh.neighbour(3, 0), kNoNode);
  EXPECT_EQ(mesh.neighbour(0, 1), kNoNode);
  EXPECT_EQ(mesh.hops(0, 3, 1)[0], 3);
}

TEST(Shape, HasTwoLinksBetweenTheNodesOfADimensionOfTwo) {
  const Shape pair = shape_of({2}, {true});
  EXPECT_EQ(pair.neighbour(0, 0), 1U);
  EXPECT_EQ(pair.neighbour(0, 1), 1U);
}

TEST(Shape, HasNeighboursThatAgreeOnTheirLink) {
  const Shape shape = shape_of({4, 3, 5}, {true, false, true});
  for (Node node = 0; node < shape.nodes(); ++node) {
    for (Port port = 0; port < shape.ports(); ++port) {
      const Node neighbour = shape.neighbour(node, port);
      if (neighbour == kNoNode) continue;
      EXPECT_EQ(shape.neighbour(neighbour, opposite(port)), node);
    }
  }
}

TEST(Shape, IsNeverLongerThanHalfOfEachRing) {
  const Shape shape = shape_of({8, 6, 5}, {true, true, true});
  RandomStream random(3);
  for (int i = 0; i < 1000; ++i) {
    const auto from = static_cast<Node>(random.below(shape.nodes()));
    const auto to = static_cast<Node>(random.below(shape.nodes()));
    EXPECT_LE(length(shape.hops(from, to, static_cast<std::uint32_t>(random.next()))), 4U + 3U + 2U);
  }
}

TEST(Shape, RefusesWhatIsNone) {
  EXPECT_FALSE(Shape::make({}, {}));
  EXPECT_FALSE(Shape::make({4, 0}, {true, true}));
  EXPECT_FALSE(Shape::make({4, 4}, {true}));
  EXPECT_FALSE(Shape::make({2, 2, 2, 2, 2, 2, 2}, std::vector<bool>(7, true)));
  EXPECT_FALSE(Shape::make({32768, 32768}, {true, true}));
}

}  // namespace
}  // namespace groma::sim::torus
