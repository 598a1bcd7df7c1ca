#include "hpcc/hpl/broadcast.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::hpcc::hpl {
namespace {

constexpr int kKinds = 6;

/// Positions that a piece reaches when each rank does what its route says.
std::vector<int> reached(PanelBroadcast kind, int size, std::size_t piece) {
  std::vector<int> order = {0};
  for (std::size_t i = 0; i < order.size() && order.size() < 1000; ++i) {
    const Route route = route_of(kind, size, order[i]);
    for (const int child : route.pieces.at(piece).children) {
      EXPECT_EQ(route_of(kind, size, child).pieces.at(piece).parent, order[i]);
      order.push_back(child);
    }
  }
  std::sort(order.begin(), order.end());
  return order;
}

TEST(Route, BringsEveryPieceToEveryRankOnce) {
  for (int kind = 0; kind < kKinds; ++kind) {
    for (int size = 1; size <= 9; ++size) {
      const auto which = static_cast<PanelBroadcast>(kind);
      std::vector<int> everyone;
      for (int position = 0; position < size; ++position) everyone.push_back(position);
      const std::size_t pieces = route_of(which, size, 0).pieces.size();
      for (std::size_t piece = 0; piece < pieces; ++piece) {
        EXPECT_EQ(reached(which, size, piece), everyone) << "kind " << kind << " size " << size;
      }
    }
  }
}

TEST(Route, ModifiedFormsLeaveTheNextOwnerFreeOfSending) {
  for (const auto kind :
       {PanelBroadcast::kRingModified, PanelBroadcast::kTwoRingModified, PanelBroadcast::kLongModified}) {
    for (const Hop& hop : route_of(kind, 7, 1).pieces) EXPECT_EQ(hop, (Hop{.parent = 0, .children = {}}));
  }
}

TEST(Route, RingsPassOnAndTwoRingsHalveTheWay) {
  EXPECT_EQ(route_of(PanelBroadcast::kRing, 6, 0).pieces.front().children, std::vector<int>{1});
  EXPECT_EQ(route_of(PanelBroadcast::kRing, 6, 3).pieces.front(), (Hop{.parent = 2, .children = {4}}));
  EXPECT_EQ(route_of(PanelBroadcast::kTwoRing, 6, 0).pieces.front().children, (std::vector<int>{1, 4}));
  EXPECT_EQ(route_of(PanelBroadcast::kTwoRing, 6, 3).pieces.front(), (Hop{.parent = 2, .children = {}}));
}

TEST(Route, LongFormsCutTheMessage) {
  EXPECT_EQ(route_of(PanelBroadcast::kLong, 6, 2).pieces.size(), 5U);
  EXPECT_EQ(route_of(PanelBroadcast::kLongModified, 6, 2).pieces.size(), 4U);
  EXPECT_EQ(route_of(PanelBroadcast::kRingModified, 6, 2).pieces.size(), 1U);
}

}  // namespace
}  // namespace groma::hpcc::hpl
