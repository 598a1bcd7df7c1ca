#include "survey/network/message_size.hpp"

#include <gtest/gtest.h>

#include "survey/network/buffers.hpp"
#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::survey::network {
namespace {

constexpr std::uint64_t kMebibyte = 1 << 20U;

ExchangeCost at_rate(Seconds per_kibibyte) {
  return {.start = Seconds(0.0), .per_kibibyte = per_kibibyte};
}

TEST(FittingMessage, FillsTheTimeThatThereIs) {
  const MessageLimits limits{.most = 32 * kMebibyte, .exchanges = 40};
  EXPECT_EQ(fitting_message(limits, Seconds(4.0), at_rate(Seconds(1e-5))), std::uint64_t{10'000} << 10U);
  EXPECT_EQ(fitting_message(limits, Seconds(2.0), at_rate(Seconds(1e-5))), std::uint64_t{5'000} << 10U);
  EXPECT_EQ(fitting_message(limits, Seconds(4.0), {.start = Seconds(0.05), .per_kibibyte = Seconds(1e-5)}),
            std::uint64_t{5'000} << 10U);
}

TEST(FittingMessage, IsNeitherLargerThanAskedForNorTooSmallToTell) {
  const MessageLimits limits{.most = kMebibyte, .exchanges = 40};
  EXPECT_EQ(fitting_message(limits, Seconds(4.0), at_rate(Seconds(1e-9))), kMebibyte);
  EXPECT_EQ(fitting_message(limits, Seconds(4.0), at_rate(Seconds(0.0))), kMebibyte);
  EXPECT_EQ(fitting_message(limits, Seconds(4.0), at_rate(Seconds(1.0))), kMinMessage);
  EXPECT_EQ(fitting_message(limits, Seconds(-1.0), at_rate(Seconds(1e-5))), kMinMessage);
  EXPECT_EQ(fitting_message({.most = 100, .exchanges = 40}, Seconds(4.0), at_rate(Seconds(1e-5))), 100U);
}

struct Trial {
  std::uint64_t bytes;
  int tries;
  bool operator==(const Trial&) const = default;
};

constexpr Seconds kFour{4.0};

Seconds at_50_megabytes_per_second(std::uint64_t bytes) {
  return Seconds(static_cast<double>(bytes) * 20e-9);
}

TEST(FitMessage, GrowsTheMessagesUntilTheirTimeIsLongEnoughToTell) {
  std::vector<Trial> trials;
  const MessageLimits limits{.most = 32 * kMebibyte, .exchanges = 40};
  const std::uint64_t bytes = fit_message(
      limits, [] { return kFour; },
      [&](std::uint64_t size, int tries) {
        trials.push_back({size, tries});
        return at_50_megabytes_per_second(size);
      });
  EXPECT_EQ(trials, (std::vector<Trial>{{1024, 2}, {65536, 1}, {262144, 1}, {1048576, 1}, {1048576, 2}}));
  EXPECT_NEAR(static_cast<double>(bytes), 5e6, 1024.0);
}

TEST(FitMessage, IsNotMisledByADisturbanceThatAnotherTryEscapes) {
  const MessageLimits limits{.most = 32 * kMebibyte, .exchanges = 40};
  const std::uint64_t bytes = fit_message(
      limits, [] { return kFour; },
      [&](std::uint64_t size, int tries) {
        return at_50_megabytes_per_second(size) + (tries == 1 ? Seconds(0.2) : Seconds(0.0));
      });
  EXPECT_NEAR(static_cast<double>(bytes), 5e6, 1024.0);
}

TEST(FitMessage, DoesNotTakeWhatEveryExchangeWaitsForForTheRate) {
  const MessageLimits limits{.most = 32 * kMebibyte, .exchanges = 40};
  const std::uint64_t bytes = fit_message(
      limits, [] { return kFour; },
      [&](std::uint64_t size, int) { return at_50_megabytes_per_second(size) + Seconds(0.03); });
  EXPECT_NEAR(static_cast<double>(bytes), 0.07 / 20e-9, 2048.0);
}

TEST(FitMessage, StopsTryingWhereTheTimeWouldNotDoForWhatItTried) {
  std::uint64_t longest = 0;
  const MessageLimits limits{.most = 32 * kMebibyte, .exchanges = 40};
  const std::uint64_t bytes = fit_message(
      limits, [] { return kFour; },
      [&](std::uint64_t size, int) {
        longest = std::max(longest, size);
        return Seconds(0.5);
      });
  EXPECT_EQ(longest, kMinMessage);
  EXPECT_EQ(bytes, kMinMessage);
}

TEST(FitMessage, TriesNoMoreThanIsAskedForHoweverLittle) {
  const auto slower = [calls = 0](std::uint64_t, int) mutable { return Seconds(++calls * 1e-3); };
  EXPECT_EQ(fit_message(
                {.most = 100, .exchanges = 40}, [] { return kFour; }, slower),
            100U);
}

TEST(FitMessage, CountsTheTimeThatItTakesItself) {
  const MessageLimits limits{.most = 32 * kMebibyte, .exchanges = 40};
  Seconds spent{0.0};
  const auto left = [&] { return kFour - spent; };
  const std::uint64_t bytes = fit_message(limits, left, [&](std::uint64_t size, int tries) {
    const Seconds taken = at_50_megabytes_per_second(size);
    spent = spent + taken * (10.0 * tries);
    return taken;
  });
  EXPECT_NEAR(static_cast<double>(bytes), left().value() / 40 / 20e-9, 1024.0);
  EXPECT_LT(left(), Seconds(3.5));
}

TEST(FitMessage, TakesTheLargestWhereTheNetworkIsFast) {
  const MessageLimits limits{.most = 4 * kMebibyte, .exchanges = 40};
  const auto fast = [](std::uint64_t, int) { return Seconds(1e-6); };
  EXPECT_EQ(fit_message(
                limits, [] { return kFour; }, fast),
            4 * kMebibyte);
}

TEST(SpokenBytes, HaveThreeDigitsAndAUnit) {
  EXPECT_EQ(bytes_text(1536), "1536 bytes");
  EXPECT_EQ(bytes_text(32 * kMebibyte), "32 MiB");
  EXPECT_EQ(bytes_text(std::uint64_t{3} << 30U), "3 GiB");
}

}  // namespace
}  // namespace groma::survey::network
