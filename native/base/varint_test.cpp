#include "base/varint.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace groma {
namespace {

std::vector<std::uint64_t> numbers_of_all_lengths() {
  std::vector<std::uint64_t> numbers{0, std::numeric_limits<std::uint64_t>::max()};
  std::mt19937_64 random(3);
  for (unsigned bits = 1; bits <= 64; ++bits) {
    const std::uint64_t top = std::uint64_t{1} << (bits - 1);
    numbers.insert(numbers.end(), {top - 1, top, top | (random() & (top - 1))});
  }
  return numbers;
}

TEST(Varint, NumbersAreReadAsTheyWereWritten) {
  const auto numbers = numbers_of_all_lengths();
  VarintWriter writer;
  for (const std::uint64_t one : numbers) writer.put(one);
  VarintReader reader(writer.bytes());
  for (const std::uint64_t one : numbers) EXPECT_EQ(reader.next(), one);
  EXPECT_TRUE(reader.good());
  EXPECT_EQ(reader.left(), 0U);
}

TEST(Varint, TakesAByteForSevenBits) {
  VarintWriter writer;
  for (const std::uint64_t one : {0x7fU, 0x80U, 0x3fffU, 0x4000U}) writer.put(one);
  EXPECT_EQ(writer.bytes().size(), 1U + 2 + 2 + 3);
  writer.clear();
  writer.put(std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(writer.bytes().size(), kLongestVarint);
}

TEST(Varint, ReaderTellsWhereANumberIsCut) {
  for (const std::uint64_t one : numbers_of_all_lengths()) {
    VarintWriter writer;
    writer.put(one);
    VarintReader cut(writer.bytes().first(writer.bytes().size() - 1));
    cut.next();
    EXPECT_FALSE(cut.good());
  }
}

TEST(Varint, ReaderGoesNotBeyondTheLongestNumber) {
  const std::vector<std::uint8_t> endless(20, 0xffU);
  VarintReader reader(endless);
  reader.next();
  EXPECT_FALSE(reader.good());
}

TEST(Varint, ReaderGivesBytesThatAreThere) {
  const std::vector<std::uint8_t> bytes{1, 2, 3};
  VarintReader reader(bytes);
  EXPECT_EQ(reader.next_bytes(2).size(), 2U);
  EXPECT_TRUE(reader.next_bytes(2).empty());
  EXPECT_FALSE(reader.good());
}

TEST(Zigzag, KeepsSmallNumbersSmall) {
  const std::vector<std::int64_t> numbers{0, -1, 1, -2, 2};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_EQ(zigzag(numbers[i]), i);
    EXPECT_EQ(unzigzag(i), numbers[i]);
  }
  for (const std::int64_t one :
       {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_EQ(unzigzag(zigzag(one)), one);
  }
}

}  // namespace
}  // namespace groma
