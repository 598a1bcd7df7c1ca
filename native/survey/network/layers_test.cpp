#include "survey/network/layers.hpp"

#include <gtest/gtest.h>

#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::survey::network {
namespace {

TEST(NetworkLayers, AreNamesWithPairs) {
  const auto layers = parse_layers("near:0-1,3-2;far:0-4", 5);
  ASSERT_TRUE(layers);
  ASSERT_EQ(layers.value().size(), 2U);
  EXPECT_EQ(layers.value()[0].name, "near");
  EXPECT_EQ(layers.value()[0].pairs, (std::vector<Pair>{{0, 1}, {3, 2}}));
  EXPECT_EQ(layers.value()[1].pairs, (std::vector<Pair>{{0, 4}}));
}

TEST(NetworkLayers, AreRefusedWhereTheyCannotBeMeasured) {
  for (const char* text : {"", "near", "near:", ":0-1", "near:0-0", "near:0-5", "near:0-1,1-2", "near:0-1-2",
                           "near:0-x", "near:-1-2", "near:0-1;", "a:0-1:2-3"}) {
    const auto layers = parse_layers(text, 5);
    ASSERT_FALSE(layers) << text;
    EXPECT_EQ(layers.error().code, "usage");
  }
}

}  // namespace
}  // namespace groma::survey::network
