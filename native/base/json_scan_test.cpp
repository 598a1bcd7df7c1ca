#include "base/json_scan.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/json_reader.hpp"
#include "base/random.hpp"

namespace groma {
namespace {

std::string padded(std::string text) {
  return text.append(kScanAhead, '\0');
}

std::string random_signs(RandomStream& random, std::string_view signs, std::size_t longest) {
  std::string text(random.below(longest + 1), ' ');
  for (char& sign : text) sign = signs[random.below(signs.size())];
  return text;
}

TEST(JsonScan, ClassesBytesAlikeInWordsAndVectors) {
  std::string bytes(256, ' ');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i);
  for (std::size_t at = 0; at < bytes.size(); at += 64) {
    const ScanBlock<64, ScanWord> words(bytes.data() + at);
    const ScanBlock<64> pieces(bytes.data() + at);
    for (const char wanted : {'\0', '"', '0', '\xFF'}) EXPECT_EQ(words.equal(wanted), pieces.equal(wanted));
    for (const char curly : {'{', '}'}) EXPECT_EQ(words.brackets(curly), pieces.brackets(curly));
    EXPECT_EQ(words.ends_of_plain_text(), pieces.ends_of_plain_text());
    for (std::size_t i = 0; i < 64; ++i) {
      const auto byte = static_cast<unsigned char>(bytes[at + i]);
      EXPECT_EQ(pieces.brackets('{') >> i & 1U, byte == '{' || byte == '[' ? 1U : 0U);
      EXPECT_EQ(pieces.brackets('}') >> i & 1U, byte == '}' || byte == ']' ? 1U : 0U);
      const bool is_plain = byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
      EXPECT_EQ(pieces.ends_of_plain_text() >> i & 1U, is_plain ? 0U : 1U);
    }
  }
}

TEST(JsonScan, MeasuresRunsOfAnyLength) {
  for (std::size_t length = 0; length < 80; ++length) {
    EXPECT_EQ(digits_length(padded(std::string(length, '7') + ",1").data()), length);
    EXPECT_EQ(plain_text_length(padded(std::string(length, 'x') + "\"x").data()), length);
    EXPECT_EQ(plain_text_length<ScanWord>(padded(std::string(length, 'x') + "\xC3").data()), length);
  }
}

/// The same, sign by sign; 0 without an end.
std::size_t length_by_signs(std::string_view text) {
  int depth = 0;
  bool within_text = false;
  bool escaped = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_quote = text[i] == '"' && !escaped;
    escaped = text[i] == '\\' && !escaped;
    if (is_quote) within_text = !within_text;
    if (within_text) continue;
    if (text[i] == '{' || text[i] == '[') ++depth;
    if ((text[i] == '}' || text[i] == ']') && --depth == 0) return i + 1;
  }
  return 0;
}

template <class Piece = ScanPiece>
typename BracketScan<Piece>::Found scanned(const std::string& text) {
  return BracketScan<Piece>::of(std::string_view(padded(text)).substr(0, text.size()));
}

TEST(BracketScan, FindsTheBracketThatClosesTheFirst) {
  for (const char* whole : {"[]", "{}", "[1,[2,{}],3]", R"({"a":"]}","b":[1]})", R"(["\"]","\\"])"}) {
    EXPECT_EQ(scanned(std::string(whole) + "],{}").length, std::string_view(whole).size()) << whole;
  }
}

TEST(BracketScan, SaysWhereThereIsNoEnd) {
  for (const char* open : {"[", "[[]", R"(["])", R"(["\"])", R"({"a": [1, 2})"}) {
    EXPECT_FALSE(scanned(open).ends) << open;
    EXPECT_EQ(scanned(open).length, std::string_view(open).size());
  }
}

TEST(BracketScan, CountsLines) {
  const std::string text = "[\n" + std::string(100, ' ') + "\n\n 5]\n\n";
  const auto found = scanned(text);
  EXPECT_EQ(found.lines, 3U);
  EXPECT_EQ(found.line_start, 104U);
  EXPECT_EQ(scanned("[1]\n").lines, 0U);
}

template <class Piece>
void expect_as_by_signs(const std::string& text) {
  const std::size_t length = length_by_signs(text);
  const auto found = scanned<Piece>(text);
  EXPECT_EQ(found.ends, length > 0) << text;
  EXPECT_EQ(found.length, length > 0 ? length : text.size()) << text;
}

/// Quotes, backslashes and brackets at every place of blocks of 64 bytes.
TEST(BracketScan, AgreesWithALookAtSignBySign) {
  RandomStream random(29);
  int ends = 0;
  for (int i = 0; i < 50'000; ++i) {
    const std::string text = "[\"" + std::string(random.below(130), 'x') +
                             random_signs(random, "\\\\\"{}[] 1,", 12) + std::string(random.below(70), 'x') +
                             random_signs(random, "\"\"]}", 8);
    expect_as_by_signs<ScanPiece>(text);
    expect_as_by_signs<ScanWord>(text);
    ends += length_by_signs(text) > 0 ? 1 : 0;
  }
  EXPECT_GT(ends, 5'000);  // else it tries texts without an end only
}

}  // namespace
}  // namespace groma
