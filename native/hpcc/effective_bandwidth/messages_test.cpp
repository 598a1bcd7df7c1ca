#include "hpcc/effective_bandwidth/messages.hpp"

#include <gtest/gtest.h>

#include <set>

namespace groma::hpcc {
namespace {

constexpr Origin kOrigin{3, 1, 42};

std::vector<std::byte> message_of(std::size_t bytes) {
  std::vector<std::byte> message(bytes);
  fill(message, kOrigin);
  stamp(message, 7);
  return message;
}

class MessageOf : public testing::TestWithParam<std::size_t> {};

TEST_P(MessageOf, ArrivesRightIfUntouched) {
  const auto message = message_of(GetParam());
  EXPECT_TRUE(is_stamped(message, 7));
  EXPECT_EQ(wrong_bytes(message, kOrigin), 0U);
}

TEST_P(MessageOf, TellsEveryWrongByte) {
  for (std::size_t at = 0; at < GetParam(); at += std::max<std::size_t>(1, GetParam() / 97)) {
    auto message = message_of(GetParam());
    message[at] ^= std::byte{0x10};
    const bool inside = at != 0 && at != GetParam() - 1;
    EXPECT_EQ(wrong_bytes(message, kOrigin), inside ? 1U : 0U) << at;
    EXPECT_EQ(is_stamped(message, 7), inside) << at;
  }
}

TEST_P(MessageOf, TellsAnotherIteration) {
  EXPECT_FALSE(is_stamped(message_of(GetParam()), 8));
}

INSTANTIATE_TEST_SUITE_P(Sizes, MessageOf,
                         testing::Values(1, 2, 3, 7, 8, 9, 15, 16, 17, 23, 24, 25, 4099, 100'000));

TEST(Message, OfAnotherSenderDirectionOrSampleIsWrongAlmostEverywhere) {
  const auto message = message_of(8000);
  for (const Origin& other : {Origin{4, 1, 42}, Origin{3, 0, 42}, Origin{3, 1, 43}}) {
    EXPECT_GT(wrong_bytes(message, other), 7900U);
  }
}

TEST(Message, ShiftedByAWordIsWrong) {
  auto message = message_of(8000);
  std::rotate(message.begin(), message.begin() + 8, message.end());
  EXPECT_GT(wrong_bytes(message, kOrigin), 7000U);
}

TEST(Messages, StayWhereTheyAreIfReused) {
  const auto messages = Messages::make(5000, Bytes(1U << 20U)).value();
  for (const BufferState buffers : {BufferState::kReused, BufferState::kReusedHuge}) {
    EXPECT_EQ(messages.set(buffers, 5000, 0).out[0].data(), messages.set(buffers, 5000, 9).out[0].data());
  }
}

TEST(Messages, RotateThroughTheWholePoolBeforeTheyReturn) {
  const auto messages = Messages::make(1000, Bytes(1U << 20U)).value();
  std::set<const std::byte*> places;
  for (std::uint64_t i = 0; i < 256; ++i) {
    places.insert(messages.set(BufferState::kRotating, 1000, i).out[0].data());
  }
  EXPECT_EQ(places.size(), 256U);  // 1 MiB of sets of four times 1,024 bytes
  EXPECT_TRUE(places.contains(messages.set(BufferState::kRotating, 1000, 256).out[0].data()));
}

TEST(Messages, OfASetDoNotOverlap) {
  const auto messages = Messages::make(2000, Bytes(1U << 20U)).value();
  for (const BufferState buffers : {BufferState::kReused, BufferState::kRotating}) {
    const MessageSet set = messages.set(buffers, 2000, 3);
    std::set<const std::byte*> bytes;
    for (const auto& one : {set.out[0], set.out[1], set.in[0], set.in[1]}) {
      for (const std::byte& byte : one) bytes.insert(&byte);
    }
    EXPECT_EQ(bytes.size(), 8000U);
  }
}

TEST(RotatingPool, IsSeveralTimesTheCacheOfThoseWhoShareIt) {
  EXPECT_EQ(rotating_pool(8, 32_MiB, 1).value(), (128_MiB).value());
  EXPECT_EQ(rotating_pool(8, 32_MiB, 8).value(), (16_MiB).value());
  EXPECT_GE(rotating_pool(2'000'000, 1_MiB, 64).value(), 16U * 2'000'000);
}

}  // namespace
}  // namespace groma::hpcc
