#include "hpcc/hpl_variant.hpp"

#include <gtest/gtest.h>

#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::hpcc::hpl {
namespace {

TEST(Variant, IsWrittenAsHplDoes) {
  HplCase one{.n = 6000, .nb = 192, .grid = {1, 2}, .order = RankOrder::kRowMajor, .method = {}};
  EXPECT_EQ(variant_code(one), "WR11C2R4");
  one.order = RankOrder::kColumnMajor;
  one.method.look_ahead = 0;
  one.method.broadcast = PanelBroadcast::kLongModified;
  one.method.recursion = PanelFactorization::kLeft;
  one.method.panel = PanelFactorization::kCrout;
  one.method.recursion_parts = 3;
  one.method.recursion_stop = 16;
  EXPECT_EQ(variant_code(one), "WC05L3C16");
}

}  // namespace
}  // namespace groma::hpcc::hpl
