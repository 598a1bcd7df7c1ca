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
    EXPECT_EQ(words.digits(), pieces.digits());
    EXPECT_EQ(words.ends_of_plain_text(), pieces.ends_of_plain_text());
    for (std::size_t i = 0; i < 64; ++i) {
      const auto byte = static_cast<unsigned char>(bytes[at + i]);
      EXPECT_EQ(pieces.digits() >> i & 1U, byte >= '0' && byte <= '9' ? 1U : 0U);
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

/// Whether the check by blocks takes a list, which must be what the reader takes number by number.
template <class Piece>
void expect_sound(const std::string& inside, int& taken) {
  const std::string text = padded(inside + "], \"x\"");
  const std::size_t length = NumberListCheck<Piece>::length(text.data());
  if (length == 0) return;
  ++taken;
  EXPECT_EQ(text[length], ']') << inside;
  EXPECT_TRUE(read_json("[" + text.substr(0, length) + "]")) << inside;
}

void expect_taken(const std::string& list) {
  const std::string text = padded(list + "]");
  EXPECT_EQ(NumberListCheck<>::length(text.data()), list.size()) << list;
  EXPECT_EQ(NumberListCheck<ScanWord>::length(text.data()), list.size()) << list;
}

TEST(NumberListCheck, TakesListsAsGromaWritesThem) {
  for (const char* list :
       {"1", "0", "-0", "10,200,3", "0.5,-1.25", "2.405150539326588e-8,1e5,-1.5e-12", "0e0"}) {
    expect_taken(list);
  }
  for (std::size_t length = 1; length < 64; ++length) {
    expect_taken(std::string(length, '1') + ",2.5");
    expect_taken("1," + std::string(length, '1') + ".5e-7");
  }
}

void expect_left(const std::string& text) {
  EXPECT_EQ(NumberListCheck<>::length(padded(text).data()), 0U) << text;
}

TEST(NumberListCheck, LeavesEverythingElseToTheReader) {
  for (const char* list : {"",    "1,",   ",1",    "1,,2",   "01",   "-01",  "-",     "1-",    "1.",
                           ".5",  "1.e5", "1..2",  "1.2.3",  "1e",   "1e-",  "1e5.5", "1e5e5", "1e-+5",
                           "--1", "+1",   "1e100", "1e-100", "1 ,2", "true", "[1]",   "\"x\""}) {
    expect_left(std::string(list) + "]");
  }
  expect_left(std::string(300, '1'));
  expect_left("1,2}");
  expect_left("1,2");
}

TEST(NumberListCheck, FindsFaultsAtEveryPlaceOfABlock) {
  for (std::size_t before = 1; before < 140; ++before) {
    std::string list;
    while (list.size() < before) list += before - list.size() == 1 ? "5" : "1,";
    for (const char* fault : {",1..2", ",01", ",1.2e3.4", ",1e5e5", ",-,1", ",1e999"}) {
      expect_left(list + fault + ",7]");
    }
  }
}

TEST(NumberListCheck, TakesNothingThatTheReaderRefuses) {
  RandomStream random(29);
  int taken = 0;
  for (int i = 0; i < 100'000; ++i) {
    expect_sound<ScanPiece>(random_signs(random, "0123456789,,.e-", 12), taken);
    const std::string filling = random_signs(random, "123456789", 70);
    const std::string faulty = filling + random_signs(random, "01,.e-+", 9) + filling;
    expect_sound<ScanPiece>(faulty, taken);
    expect_sound<ScanWord>(faulty, taken);
  }
  EXPECT_GT(taken, 1000);  // else it tries refusals only
}

}  // namespace
}  // namespace groma
