#include "survey/handover.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace groma::survey {
namespace {

class Handover : public testing::TestWithParam<Operation> {};

TEST_P(Handover, BothEndsTakeTurnsUntilTheLastNumber) {
  alignas(64) std::uint32_t word = 0;
  std::jthread other([&] { answer(word, {2, 10}, GetParam()); });
  const Seconds one_way = time_one_way(word, {2, 10}, GetParam());
  other.join();
  EXPECT_EQ(word, 24U);
  EXPECT_GT(one_way.value(), 0.0);
}

TEST_P(Handover, NoRoundTripLeavesTheLineAlone) {
  alignas(64) std::uint32_t word = 0;
  answer(word, {0, 0}, GetParam());
  EXPECT_EQ(word, 0U);
}

INSTANTIATE_TEST_SUITE_P(Operations, Handover,
                         testing::Values(Operation::kStore, Operation::kCompareExchange),
                         [](const auto& one) { return std::string(name_of(one.param)); });

}  // namespace
}  // namespace groma::survey
