#include "hpcc/plan.hpp"

#include <gtest/gtest.h>

#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::hpcc {
namespace {

TEST(PlanAsJson, GivesHplMatricesOfDifferentMethodsDifferentVariants) {
  Input input{.n = {1000}, .nb = {64}, .grids = {{1, 2}}};
  input.methods = {HplMethod{}, HplMethod{.panel = PanelFactorization::kLeft}, HplMethod{.look_ahead = 0}};
  const std::string text = to_json(plan_from(input, 2).value()).text();
  for (const char* variant : {"WR11C2R4", "WR11C2L4", "WR01C2R4"}) {
    EXPECT_NE(text.find("\"variant\":\"" + std::string(variant) + "\""), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace groma::hpcc
