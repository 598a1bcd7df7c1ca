#include "survey/network/message_size.hpp"

#include <gtest/gtest.h>

#include "survey/network/buffers.hpp"

namespace groma::survey::network {
namespace {

constexpr std::uint64_t kMebibyte = 1 << 20U;

TEST(FittingMessage, FillsTheTimeThatThereIs) {
  const MessageLimits limits{.most = 32 * kMebibyte, .exchanges = 40};
  EXPECT_EQ(fitting_message(limits, Seconds(4.0), Seconds(1e-5)), std::uint64_t{10'000} << 10U);
  EXPECT_EQ(fitting_message(limits, Seconds(2.0), Seconds(1e-5)), std::uint64_t{5'000} << 10U);
}

TEST(FittingMessage, IsNeitherLargerThanAskedForNorTooSmallToTell) {
  const MessageLimits limits{.most = kMebibyte, .exchanges = 40};
  EXPECT_EQ(fitting_message(limits, Seconds(4.0), Seconds(1e-9)), kMebibyte);
  EXPECT_EQ(fitting_message(limits, Seconds(4.0), Seconds(0.0)), kMebibyte);
  EXPECT_EQ(fitting_message(limits, Seconds(4.0), Seconds(1.0)), kSmallestMessage);
  EXPECT_EQ(fitting_message(limits, Seconds(-1.0), Seconds(1e-5)), kSmallestMessage);
  EXPECT_EQ(fitting_message({.most = 100, .exchanges = 40}, Seconds(4.0), Seconds(1e-5)), 100U);
}

TEST(FitMessage, GrowsTheMessagesUntilTheirTimeIsLongEnoughToTell) {
  std::vector<std::uint64_t> tried;
  const MessageLimits limits{.most = 32 * kMebibyte, .exchanges = 40};
  const auto left = [] { return Seconds(4.0); };
  const std::uint64_t bytes = fit_message(limits, left, [&](std::uint64_t size) {
    tried.push_back(size);
    return Seconds(static_cast<double>(size) * 20e-9);
  });
  EXPECT_EQ(tried, (std::vector<std::uint64_t>{65536, 65536, 262144, 1048576}));
  EXPECT_NEAR(static_cast<double>(bytes), 5e6, 1024.0);
}

TEST(FitMessage, CountsTheTimeThatItTakesItself) {
  const MessageLimits limits{.most = 32 * kMebibyte, .exchanges = 40};
  Seconds spent{0.0};
  const auto left = [&] { return Seconds(4.0) - spent; };
  const std::uint64_t bytes = fit_message(limits, left, [&](std::uint64_t size) {
    const Seconds taken(static_cast<double>(size) * 20e-9);
    spent = spent + taken * 50.0;
    return taken;
  });
  EXPECT_NEAR(static_cast<double>(bytes), left().value() / 40 / 20e-9, 1024.0);
  EXPECT_LT(left(), Seconds(3.0));
}

TEST(FitMessage, TakesTheLargestWhereTheNetworkIsFast) {
  const MessageLimits limits{.most = 4 * kMebibyte, .exchanges = 40};
  const auto left = [] { return Seconds(4.0); };
  EXPECT_EQ(fit_message(limits, left, [](std::uint64_t) { return Seconds(1e-6); }), 4 * kMebibyte);
}

TEST(SpokenBytes, HaveThreeDigitsAndAUnit) {
  EXPECT_EQ(spoken_bytes(1536), "1536 bytes");
  EXPECT_EQ(spoken_bytes(32 * kMebibyte), "32 MiB");
  EXPECT_EQ(spoken_bytes(std::uint64_t{3} << 30U), "3 GiB");
}

}  // namespace
}  // namespace groma::survey::network
