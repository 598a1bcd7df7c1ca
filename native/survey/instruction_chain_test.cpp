#include "survey/instruction_chain.hpp"

#include <gtest/gtest.h>

#include <set>

namespace groma::survey {
namespace {

TEST(InstructionChain, EveryStepCounts) {
  EXPECT_EQ(run_chain(Chain::kAdd, 1, 5, 128), 1U + 5U * 128U);
  EXPECT_EQ(run_chain(Chain::kXor, 1, 4, 64), 1U);
  std::uint64_t product = 1;
  for (int i = 0; i < 192; ++i) product *= 7;
  EXPECT_EQ(run_chain(Chain::kMultiply, 1, 7, 192), product);
}

TEST(InstructionChain, NamesDiffer) {
  std::set<std::string_view> names;
  for (const Chain chain : kChains) names.insert(name_of(chain));
  EXPECT_EQ(names.size(), kChains.size());
}

TEST(InstructionChain, AStepTakesTime) {
  for (const Chain chain : kChains) EXPECT_GT(time_chain(chain, 10'000).value(), 0.0);
}

}  // namespace
}  // namespace groma::survey
