#include "randomaccess/mapping.hpp"

#include <gtest/gtest.h>

namespace groma::randomaccess {
namespace {

TEST(MappingModes, AreTheEightOfThePaper) {
  ASSERT_EQ(mapping_modes().size(), 8U);
  int number = 0;
  for (const MappingMode& mode : mapping_modes()) {
    EXPECT_EQ(mode.number, ++number);
    // Table 1 counts in binary: table, generation, limit.
    EXPECT_EQ(1 + 4 * mode.table_of_node + 2 * mode.generation_of_node + mode.limit_of_node, number);
  }
}

TEST(MappingModes, RunWhereGenerationAndLimitFollowTheTable) {
  for (const int number : {1, 5, 6, 7, 8}) {
    const auto mode = mapping_mode(number);
    ASSERT_TRUE(mode) << number;
    EXPECT_EQ(mode.value().number, number);
  }
}

TEST(MappingModes, AreRefusedWithTheReasonElsewhere) {
  for (const int number : {2, 3, 4}) {
    const auto mode = mapping_mode(number);
    ASSERT_FALSE(mode) << number;
    EXPECT_EQ(mode.error().code, "usage");
    EXPECT_NE(mode.error().what.find("a table for each core but its"), std::string::npos);
  }
  for (const int number : {0, 9, -1}) EXPECT_FALSE(mapping_mode(number)) << number;
}

}  // namespace
}  // namespace groma::randomaccess
