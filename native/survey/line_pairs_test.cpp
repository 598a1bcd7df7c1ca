#include "survey/line_pairs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace groma::survey {
namespace {

constexpr Bytes kSpan{4096};

class LinePairs : public ::testing::Test {
 protected:
  std::vector<std::size_t> offsets(Bytes distance, PairOrder order) {
    std::vector<std::size_t> found;
    for (const Link* node : pair_sequence(memory.data(), kSpan, distance, order, random)) {
      found.push_back(static_cast<std::size_t>(reinterpret_cast<const std::byte*>(node) - memory.data()));
    }
    return found;
  }
  std::vector<std::byte> memory = std::vector<std::byte>(kSpan.value());
  RandomStream random{3};
};

TEST_F(LinePairs, BothOrdersVisitTheSameNodesOnce) {
  for (const PairOrder order : {PairOrder::kPaired, PairOrder::kSingle}) {
    const auto found = offsets(Bytes(32), order);
    EXPECT_EQ(found.size(), 128U);
    EXPECT_EQ(std::set<std::size_t>(found.begin(), found.end()).size(), 128U);
    EXPECT_EQ(*std::max_element(found.begin(), found.end()), 4096U - 32U);
  }
}

TEST_F(LinePairs, MembersOfAPairFollowEachOtherInBothDirections) {
  const auto found = offsets(Bytes(64), PairOrder::kPaired);
  std::set<bool> upward;
  for (std::size_t i = 0; i < found.size(); i += 2) {
    EXPECT_EQ(found[i] / 128, found[i + 1] / 128) << "a pair lies in one aligned block of twice its distance";
    upward.insert(found[i] < found[i + 1]);
  }
  EXPECT_EQ(upward.size(), 2U);
}

TEST_F(LinePairs, ScatteredNodesRarelyMeetTheirPartner) {
  const auto found = offsets(Bytes(16), PairOrder::kSingle);
  std::size_t together = 0;
  for (std::size_t i = 0; i + 1 < found.size(); ++i) together += found[i] / 32 == found[i + 1] / 32 ? 1U : 0U;
  EXPECT_LT(together, found.size() / 16);
}

}  // namespace
}  // namespace groma::survey
