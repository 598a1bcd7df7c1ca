#include "survey/size_grid.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace groma::survey {
namespace {

TEST(SizeGrid, HoldsTheSizesThatCachesHave) {
  const std::vector<Bytes> sizes = size_grid(4_KiB, 64_MiB);
  for (const Bytes size : {32_KiB, 48_KiB, 64_KiB, 512_KiB, 1280_KiB, 1536_KiB, 36_MiB}) {
    EXPECT_NE(std::find(sizes.begin(), sizes.end(), size), sizes.end()) << size.value();
  }
}

TEST(SizeGrid, AscendsFromLowToHighBothIncluded) {
  const std::vector<Bytes> sizes = size_grid(4_KiB, 16_KiB);
  EXPECT_EQ(sizes.front(), 4_KiB);
  EXPECT_EQ(sizes.back(), 16_KiB);
  EXPECT_EQ(sizes.size(), 17U);
  EXPECT_TRUE(std::is_sorted(sizes.begin(), sizes.end()));
}

TEST(SizeGrid, HasAsManyPointsPerOctaveAsAsked) {
  for (const std::uint64_t points : {1U, 2U, 4U, 8U}) {
    EXPECT_EQ(size_grid(64_KiB, 128_KiB, points).size(), points + 1);
  }
  EXPECT_EQ(size_grid(64_KiB, 128_KiB, 0).size(), 2U);
  EXPECT_EQ(size_grid(64_KiB, 128_KiB, 100).size(), 9U);
}

TEST(SizeGrid, HoldsWholeLines) {
  for (const Bytes size : size_grid(Bytes(1), 1_MiB)) EXPECT_EQ(size.value() % 64, 0U);
}

TEST(SizeGrid, IsEmptyWhereNothingFits) {
  EXPECT_TRUE(size_grid(64_KiB, 32_KiB).empty());
  EXPECT_TRUE(size_grid(Bytes(0), Bytes(100)).empty());
}

TEST(SizeGrid, EndsAtTheLargestNumberThereIs) {
  const std::vector<Bytes> sizes = size_grid(4_KiB, Bytes(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_EQ(sizes.back(), Bytes(std::uint64_t{15} << 60U));
}

}  // namespace
}  // namespace groma::survey
