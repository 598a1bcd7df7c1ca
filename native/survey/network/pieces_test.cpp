#include "survey/network/pieces.hpp"

#include <gtest/gtest.h>

#include <map>
#include <utility>

namespace groma::survey::network {
namespace {

constexpr std::uint64_t kMebibyte = 1 << 20U;
const TrialLimits kLimits{.most = 32 * kMebibyte, .seconds = 0.2};

/// A network of 100 MB/s for pieces up to some size, and of `longer` for longer ones.
RateOf network(std::uint64_t up_to, double longer) {
  return [=](const Pieces& pieces, std::uint64_t) { return pieces.bytes <= up_to ? 100e6 : longer; };
}

TEST(Pieces, AreShortWhereLongerOnesAreNotFaster) {
  EXPECT_EQ(fastest_pieces(kLimits, network(kMebibyte, 0.0)).pieces, kShortestPieces);
  EXPECT_EQ(fastest_pieces(kLimits, network(12 << 10U, 104e6)).pieces, kShortestPieces);
  EXPECT_EQ(fastest_pieces(kLimits, network(12 << 10U, 50e6)).pieces, kShortestPieces);
}

TEST(Pieces, AreTheLongestOfANetworkThatNeedsThem) {
  EXPECT_EQ(fastest_pieces(kLimits, network(256 << 10U, 300e6)).pieces.bytes, kMebibyte);
  EXPECT_EQ(fastest_pieces(kLimits, network(12 << 10U, 300e6)).pieces.bytes, 60U << 10U);
}

TEST(Pieces, AreMoreWhereTheWayIsLong) {
  const auto by_window = [](const Pieces& pieces, std::uint64_t) {
    return static_cast<double>(pieces.bytes * pieces.in_flight) * 100.0;
  };
  const Pieces found = fastest_pieces(kLimits, by_window).pieces;
  EXPECT_GE(found.bytes * found.in_flight, kMebibyte);
}

TEST(Pieces, ThatStallNowAndThenAreNotTaken) {
  int calls = 0;
  const auto stalling = [&](const Pieces& pieces, std::uint64_t) {
    if (pieces.bytes <= 12 << 10U) return 100e6;
    return ++calls % 3 == 0 ? 50e6 : 120e6;
  };
  EXPECT_EQ(fastest_pieces(kLimits, stalling).pieces, kShortestPieces);
}

TEST(Pieces, AreNotTriedWhenTimeIsOver) {
  const TrialLimits over{.most = 32 * kMebibyte, .seconds = 0.2, .goes_on = [] { return false; }};
  EXPECT_EQ(fastest_pieces(over, network(12 << 10U, 300e6)).pieces, kShortestPieces);
}

TEST(Pieces, OfASlowNetworkAreTriedOnce) {
  std::map<std::uint64_t, int> tries;
  const auto slow = [&](const Pieces& pieces, std::uint64_t) {
    ++tries[pieces.bytes];
    return 1e5;
  };
  EXPECT_EQ(fastest_pieces(kLimits, slow).pieces, kShortestPieces);
  EXPECT_EQ(tries, (std::map<std::uint64_t, int>{{kShortestPieces.bytes, 1}}));
}

TEST(Pieces, AreNeverLongerThanTheMessagesAskedFor) {
  std::uint64_t longest = 0;
  const auto noted = [&](const Pieces&, std::uint64_t message) {
    longest = std::max(longest, message);
    return 1e9;
  };
  fastest_pieces({.most = 1000, .seconds = 1.0, .goes_on = [] { return true; }}, noted);
  EXPECT_EQ(longest, 1000U);
}

TEST(PiecesOfAMessage, AreAtLeastFour) {
  EXPECT_EQ(pieces_of(kMebibyte, kShortestPieces), kShortestPieces);
  EXPECT_EQ(pieces_of(65536, kShortestPieces), (Pieces{.bytes = 12 << 10U, .in_flight = 5}));
  EXPECT_EQ(pieces_of(1000, kShortestPieces), (Pieces{.bytes = 250, .in_flight = 4}));
  EXPECT_EQ(pieces_of(1, kShortestPieces), (Pieces{.bytes = 1, .in_flight = 1}));
}

}  // namespace
}  // namespace groma::survey::network
