#include "base/json_reader.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/utf8.hpp"

namespace groma {
namespace {

std::string nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[') +
         std::string(static_cast<std::size_t>(depth), ']');
}

std::string real_profile() {
  std::ifstream file(GROMA_MADE_DATA "/example-profile.json");
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(JsonReader, ReadsEveryKindOfValue) {
  const auto document =
      read_json(R"( {"a": [1, -2.5e-3, 0, 1E2], "t": true, "f": false, "n": null, "s": "x"} )");
  ASSERT_TRUE(document);
  const JsonValue value = document.value().root();
  EXPECT_EQ(value.at("a.0").number(), 1.0);
  EXPECT_EQ(value.at("a.1").number(), -2.5e-3);
  EXPECT_EQ(value.at("a.3").number(), 100.0);
  EXPECT_EQ(value.at("t").truth(), true);
  EXPECT_EQ(value.at("f").truth(), false);
  EXPECT_TRUE(value.at("n").is_null());
  EXPECT_EQ(value.at("s").text(), "x");
  EXPECT_EQ(value.size(), 5U);
}

TEST(JsonReader, GivesItemsAndMembersByNumberAndInTurn) {
  const auto document = read_json(R"({"flat": [1, 2, 3], "deep": [[1], {"a": [2, 3]}, 4], "last": "x"})");
  const JsonValue value = document.value().root();
  EXPECT_EQ(value.find("flat").item(2).number(), 3.0);
  EXPECT_EQ(value.find("deep").item(2).number(), 4.0);
  EXPECT_EQ(value.find("deep").item(1).find("a").item(1).number(), 3.0);
  EXPECT_FALSE(value.find("deep").item(3));
  EXPECT_EQ(value.key(2), "last");
  EXPECT_EQ(value.item(2).text(), "x");
  EXPECT_EQ(value.key(3), std::nullopt);
  std::string seen;
  value.for_each_member([&](std::string_view key, JsonValue member) {
    seen += std::string(key) + std::to_string(member.size()) + " ";
  });
  EXPECT_EQ(seen, "flat3 deep3 last0 ");
  double sum = 0.0;
  value.find("flat").for_each_item([&](JsonValue item) { sum += *item.number(); });
  EXPECT_EQ(sum, 6.0);
}

TEST(JsonReader, EndsEveryTextWithAZero) {
  const auto document = read_json(R"(["ab", "a\u0062", ""])");
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string_view text = *document.value().root().item(i).text();
    EXPECT_EQ(text.data()[text.size()], '\0');
  }
  EXPECT_EQ(document.value().root().item(1).text(), "ab");
}

TEST(JsonReader, KeepsEveryDigitOfADouble) {
  EXPECT_EQ(read_json("1.2900000000000001e-09").value().root().number(), 1.2900000000000001e-09);
}

TEST(JsonReader, RefusesNumbersThatNoDoubleHolds) {
  const std::string digits(400, '7');
  for (const std::string& number :
       std::vector<std::string>{"1e999", "-1e0400", digits, digits + "e99", "9" + digits + ".5"}) {
    EXPECT_FALSE(read_json(number)) << number;
  }
  const std::string hundred(100, '9');
  for (const std::string& number :
       std::vector<std::string>{"1e99", "1e-99", "1e308", hundred + "e99", "0." + hundred}) {
    const auto document = read_json(number);
    ASSERT_TRUE(document) << number;
    EXPECT_TRUE(document.value().root().number()) << number;
  }
}

TEST(JsonReader, ReadsNumbersThatAreTooSmallForADoubleAsZero) {
  const std::string zeros(400, '0');
  for (const std::string& number :
       std::vector<std::string>{"1e-999", "-1e-0400", "0." + zeros + "1", "0." + zeros + "1e5",
                                "7.5E-99999999999999999999", "1" + zeros + "e-999", "0.0e999"}) {
    const auto document = read_json(number);
    ASSERT_TRUE(document) << number;
    EXPECT_EQ(document.value().root().number(), 0.0) << number;
  }
  EXPECT_EQ(read_json("1" + zeros + "e-400").value().root().number(), 1.0);
  EXPECT_FALSE(read_json("1" + zeros + "e-10"));
  EXPECT_FALSE(read_json("1e99999999999999999999"));
}

TEST(JsonReader, UnderstandsEscapesAndSurrogatePairs) {
  const auto text = read_json(R"("\"\\\/\b\f\n\r\t\u00e9\u20ac\ud83d\ude00")");
  ASSERT_TRUE(text);
  EXPECT_EQ(text.value().root().text(), "\"\\/\b\f\n\r\té€😀");
}

TEST(JsonReader, GivesNothingForAPathThatLeadsNowhere) {
  const auto document = read_json(R"({"a": {"b": [7]}})");
  ASSERT_TRUE(document);
  for (const char* path : {"c", "a.c", "a.b.1", "a.b.x", "a.b.-1", "a.b.0.0", "a..b", "a.", ".", "a.b.00x"}) {
    EXPECT_FALSE(document.value().root().at(path)) << path;
  }
  EXPECT_EQ(document.value().root().at(""), document.value().root());
}

TEST(JsonReader, CountsTheLastOfEqualKeys) {
  EXPECT_EQ(read_json(R"({"a": 1, "a": 2})").value().root().at("a").number(), 2.0);
}

TEST(JsonReader, RefusesWhatJsonDoesNotAllow) {
  for (const char* text : {"",
                           " ",
                           "{",
                           "[",
                           "[1",
                           "[1,",
                           "[1,]",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1,}",
                           "{a:1}",
                           "{1:1}",
                           "01",
                           "-",
                           "+1",
                           "1.",
                           ".5",
                           "1e",
                           "1e+",
                           "0x1",
                           "inf",
                           "NaN",
                           "Infinity",
                           "tru",
                           "nulL",
                           "'a'",
                           "\"",
                           "\"\\x\"",
                           "\"\\u12\"",
                           "\"\\u12g4\"",
                           "\"\\ud800\"",
                           "\"\\ud800\\u0041\"",
                           "\"\\ude00\"",
                           "\"\n\"",
                           "1 2",
                           "[] []",
                           "// c\n1",
                           "\xEF\xBB\xBF{}",
                           "1e999",
                           "\"\xFF\"",
                           "\"\xC0\xAF\"",
                           "\"\xED\xA0\x80\""}) {
    EXPECT_FALSE(read_json(text)) << text;
  }
  EXPECT_FALSE(read_json(std::string_view("\0", 1)));
  EXPECT_FALSE(read_json(std::string_view("1\0", 2)));
}

TEST(JsonReader, LeavesAFoldedMemberAsItIs) {
  constexpr std::string_view kFolded = R"({"x": [1, {"a\u0062": "\n"}], "n": 2.5})";
  const auto document =
      read_json(R"({"before": 1, "big": )" + std::string(kFolded) + R"(, "after": "x"})", "big");
  ASSERT_TRUE(document);
  const JsonValue root = document.value().root();
  EXPECT_EQ(root.find("big").folded(), kFolded);
  EXPECT_EQ(root.find("before").folded(), std::nullopt);
  EXPECT_FALSE(root.at("big.n"));
  EXPECT_EQ(root.size(), 3U);
  EXPECT_EQ(root.find("after").text(), "x");
  EXPECT_EQ(read_json(*root.find("big").folded()).value().root().at("x.1.ab").text(), "\n");
}

TEST(JsonReader, FoldsTheOutermostTableAlone) {
  const auto document = read_json(R"({"a": {"big": [7]}, "big": [8]})", "big");
  EXPECT_EQ(document.value().root().at("a.big.0").number(), 7.0);
  EXPECT_EQ(document.value().root().find("big").folded(), "[8]");
}

TEST(JsonReader, ReadsAMemberThatIsNoListOrTableThoughItIsToBeFolded) {
  EXPECT_EQ(read_json(R"({"big": 8})", "big").value().root().find("big").number(), 8.0);
  EXPECT_FALSE(read_json(R"({"big": 8e})", "big"));
}

TEST(JsonReader, LeavesFaultsInAFoldedMemberToWhoReadsIt) {
  const auto document = read_json(R"({"big": [1, 2e, "\x"], "after": 3})", "big");
  ASSERT_TRUE(document);
  EXPECT_EQ(document.value().root().find("after").number(), 3.0);
  EXPECT_FALSE(read_json(*document.value().root().find("big").folded()));
}

TEST(JsonReader, SaysLineAndColumnBehindAFoldedMember) {
  const auto document = read_json("{\"big\": [1,\n2],\n\"b\" 2}", "big");
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().what, "line 3, column 5: expected ':'");
  const auto cut = read_json("{\"big\": [1,\n2", "big");
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().what, "line 2, column 2: a list or table does not end");
}

TEST(JsonReader, RefusesTruncationsOfAFoldedMember) {
  const std::string whole = real_profile();
  const std::size_t end = whole.find_last_of('}');
  RandomStream random(8);
  for (int i = 0; i < 60; ++i) {
    const std::size_t length = random.below(end);
    EXPECT_FALSE(read_json(std::string_view(whole).substr(0, length), "samples")) << length << " bytes";
  }
}

TEST(JsonReader, ReadsTextsThatTakeHugePages) {
  std::string text = "[";
  for (int i = 0; i < 400'000; ++i) text += "0.125,";
  const auto document = read_json(text + "\"last\"]");
  ASSERT_TRUE(document);
  EXPECT_EQ(document.value().root().size(), 400'001U);
  EXPECT_EQ(document.value().root().item(399'999).number(), 0.125);
  EXPECT_EQ(document.value().root().item(400'000).text(), "last");
}

TEST(JsonReader, SaysLineAndColumn) {
  const auto document = read_json("{\n  \"a\": 1,\n  \"b\" 2\n}");
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().what, "line 3, column 7: expected ':'");
}

TEST(JsonReader, RefusesNestingThatCouldExhaustTheStack) {
  EXPECT_TRUE(read_json(nested(kJsonDepth)));
  EXPECT_FALSE(read_json(nested(kJsonDepth + 1)));
  EXPECT_FALSE(read_json(std::string(1'000'000, '[')));
}

TEST(JsonReader, RefusesTruncationsOfARealProfile) {
  const std::string whole = real_profile();
  ASSERT_TRUE(read_json(whole));
  const std::size_t end = whole.find_last_of('}');
  RandomStream random(7);
  for (int i = 0; i < 60; ++i) {
    const std::size_t length = random.below(end);
    EXPECT_FALSE(read_json(std::string_view(whole).substr(0, length))) << "cut after " << length << " bytes";
  }
}

TEST(JsonReader, SurvivesRandomBytes) {
  RandomStream random(11);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes(random.below(64), ' ');
    for (char& byte : bytes) byte = static_cast<char>(random.below(256));
    const auto document = read_json(bytes);
    EXPECT_TRUE(document || !document.error().what.empty());
  }
}

TEST(JsonReader, SurvivesRandomTextOfItsOwnSigns) {
  static constexpr std::string_view kSigns = "[]{}:,\"\\0123456789.eE+-truefalsn u";
  RandomStream random(13);
  int accepted = 0;
  for (int i = 0; i < 100'000; ++i) {
    std::string text(1 + random.below(12), ' ');
    for (char& sign : text) sign = kSigns[random.below(kSigns.size())];
    accepted += read_json(text) ? 1 : 0;
  }
  EXPECT_GT(accepted, 0);  // else it tries refusals only
}

TEST(JsonReader, SurvivesARealProfileWithChangedBytes) {
  const std::string whole = real_profile().substr(0, 20'000);
  RandomStream random(17);
  for (int i = 0; i < 500; ++i) {
    std::string changed = whole;
    for (int change = 0; change < 3; ++change) {
      changed[random.below(changed.size())] = static_cast<char>(random.below(256));
    }
    EXPECT_FALSE(read_json(changed));  // it is truncated: no change can repair that
  }
}

TEST(Utf8, KnowsValidCharactersOnly) {
  for (const char* valid : {"", "a", "é", "€", "😀", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(valid_utf8_prefix(valid), std::string_view(valid).size());
  }
  for (const char* invalid : {"\x80", "\xC3", "\xE2\x82", "\xF0\x9F\x98", "\xC1\xBF", "\xE0\x80\x80",
                              "\xED\xBF\xBF", "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xFE"}) {
    EXPECT_EQ(valid_utf8_prefix(std::string("ok") + invalid), 2U);
  }
}

TEST(Utf8, WritesEveryLengthThatItReads) {
  for (const std::uint32_t code :
       {0x0U, 0x7FU, 0x80U, 0x7FFU, 0x800U, 0xD7FFU, 0xE000U, 0xFFFFU, 0x10000U, 0x10FFFFU}) {
    std::string text;
    append_utf8(text, code);
    EXPECT_EQ(valid_utf8_prefix(text), text.size()) << code;
  }
}

}  // namespace
}  // namespace groma
