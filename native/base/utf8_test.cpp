#include "base/utf8.hpp"

#include <gtest/gtest.h>

namespace groma {
namespace {

std::string made_utf8(std::string text) {
  make_utf8(text);
  return text;
}

TEST(Utf8, KeepsWhatIsValid) {
  for (std::string text : {"", "plain", "\xC3\xA9t\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"}) {
    EXPECT_FALSE(make_utf8(text));
    EXPECT_EQ(made_utf8(text), text);
  }
}

TEST(Utf8, TakesOtherBytesAsLatin1) {
  std::string text = "\xE9t\xE9";
  EXPECT_TRUE(make_utf8(text));
  EXPECT_EQ(text, "\xC3\xA9t\xC3\xA9");
  EXPECT_EQ(made_utf8("\xC3\xA9 \xE9"), "\xC3\xA9 \xC3\xA9") << "both in one text";
  EXPECT_EQ(made_utf8("a\xC3"), "a\xC3\x83") << "a character that was cut";
  EXPECT_EQ(made_utf8("\x80"), "\xEF\xBF\xBD") << "no letter in any of them";
}

}  // namespace
}  // namespace groma
