#include "sim/torus/pattern.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace groma::sim::torus {
namespace {

Shape torus(std::vector<std::uint32_t> extents) {
  const std::vector<bool> closed(extents.size(), true);
  return Shape::make(std::move(extents), closed).value();
}

std::set<Node> destinations(const Shape& shape, const Pattern& pattern) {
  RandomStream random(1);
  std::set<Node> all;
  for (Node node = 0; node < shape.nodes(); ++node) all.insert(pattern(node, random));
  return all;
}

TEST(Pattern, PermutationsReachEveryNodeOnce) {
  const Shape shape = torus({4, 4, 4});
  EXPECT_EQ(destinations(shape, shift_pattern(shape, {1, 2, 3})).size(), 64U);
  EXPECT_EQ(destinations(shape, tornado_pattern(shape)).size(), 64U);
  EXPECT_EQ(destinations(shape, transpose_pattern(shape).value()).size(), 64U);
  EXPECT_EQ(destinations(shape, bit_reverse_pattern(shape).value()).size(), 64U);
}

TEST(Pattern, TransposesAMatrix) {
  const Shape shape = torus({8, 8});
  RandomStream random(1);
  EXPECT_EQ(transpose_pattern(shape).value()(shape.node_at({3, 5}), random), shape.node_at({5, 3}));
  EXPECT_FALSE(transpose_pattern(torus({4, 8})));
}

TEST(Pattern, ReversesBits) {
  const Shape shape = torus({8, 4});
  RandomStream random(1);
  EXPECT_EQ(bit_reverse_pattern(shape).value()(0b00110, random), 0b01100U);
  EXPECT_FALSE(bit_reverse_pattern(torus({3, 5})));
}

TEST(Pattern, TornadoStopsShortOfHalfWay) {
  const Shape shape = torus({8, 5});
  RandomStream random(1);
  EXPECT_EQ(tornado_pattern(shape)(shape.node_at({6, 4}), random), shape.node_at({1, 1}));
}

TEST(Pattern, UniformReachesAllOthersEquallyOften) {
  const Shape shape = torus({3, 3});
  const Pattern pattern = uniform_pattern(shape);
  RandomStream random(7);
  std::vector<int> counts(shape.nodes());
  for (int i = 0; i < 8000; ++i) ++counts[pattern(4, random)];
  EXPECT_EQ(counts[4], 0);
  for (const Node node : {0U, 1U, 2U, 3U, 5U, 6U, 7U, 8U}) EXPECT_NEAR(counts[node], 1000, 150);
}

TEST(Pattern, HotSpotHasItsShareBesideThatOfAnyNode) {
  const Shape shape = torus({11});
  const Pattern pattern = hot_spot_pattern(shape, 3, 0.5);
  RandomStream random(7);
  int hot = 0;
  for (int i = 0; i < 10000; ++i) hot += pattern(0, random) == 3 ? 1 : 0;
  EXPECT_NEAR(hot, 5500, 200);
}

TEST(UniformBound, IsEightLinksOverTheLongestDimension) {
  Network network;
  network.packet_on_wire = 0;
  const Shape shape = torus({16, 8, 8});
  const double others = (shape.nodes() - 1.0) / shape.nodes();  // nobody sends to himself
  EXPECT_NEAR(uniform_bound(shape, network, 8), 8 * 0.25 / 16 * others, 1e-12);
}

/// Links towards the middle of a mesh carry twice what those of a torus do.
TEST(UniformBound, IsHalfOnAMesh) {
  const Network network;
  const Shape mesh = Shape::make({8, 8}, {false, false}).value();
  EXPECT_NEAR(uniform_bound(mesh, network, 8) * 2, uniform_bound(torus({8, 8}), network, 8), 1e-12);
}

}  // namespace
}  // namespace groma::sim::torus
