#include "replay/pattern.hpp"

#include <gtest/gtest.h>

namespace groma::replay {
namespace {

TEST(ReplayPattern, IsReadLineByLine) {
  const auto pattern = parse_pattern("0 1 8 2\n\n1 0 0 1\n", 2);
  ASSERT_TRUE(pattern);
  ASSERT_EQ(pattern.value().size(), 2U);
  EXPECT_EQ(pattern.value()[0].target, 1);
  EXPECT_EQ(pattern.value()[0].count, 2U);
  EXPECT_EQ(pattern.value()[1].bytes, 0U);
}

TEST(ReplayPattern, NamesTheLineThatIsWrong) {
  for (const std::string wrong : {"0 2 8 1", "0 0 8 1", "-1 0 8 1", "0 1 8", "0 1 8 0", "0 1 8 1 1",
                                  "0 1 1e3 1", "0 1 8 9999999999", "0 1 99999999999999 1", "x"}) {
    const auto pattern = parse_pattern("0 1 8 1\n" + wrong + "\n", 2);
    ASSERT_FALSE(pattern) << wrong;
    EXPECT_NE(pattern.error().what.find("line 2"), std::string::npos);
  }
  EXPECT_FALSE(parse_pattern("\n", 2));
}

}  // namespace
}  // namespace groma::replay
