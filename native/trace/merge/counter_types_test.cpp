#include "trace/merge/counter_types.hpp"

#include <gtest/gtest.h>

namespace groma::trace {
namespace {

TEST(CounterType, IsThatOfThePresetWhichParaverKnows) {
  EXPECT_EQ(counter_type("instructions"), 42000050U);
  EXPECT_EQ(counter_type("papi:PAPI_TOT_INS"), 42000050U);
  EXPECT_EQ(counter_type("cycles"), 42000059U);
  EXPECT_EQ(counter_type("PAPI_L1_DCM"), 42000000U);
  EXPECT_EQ(counter_type("PAPI_L3_TCM"), 42000008U);
}

/// Numbers that Extrae 5.1.2 wrote for events of the kernel.
TEST(CounterType, OfASoftwareEventIsThatOfPapisNativeEvent) {
  EXPECT_EQ(counter_type("task-clock"), 44838979U);
  EXPECT_EQ(counter_type("page-faults"), 44731460U);
  EXPECT_EQ(counter_type("context-switches"), 44497714U);
  EXPECT_EQ(counter_type("papi:perf::PAGE-FAULTS"), 44731460U);
}

TEST(CounterType, DiffersBetweenModes) {
  EXPECT_NE(counter_type("cycles:u"), counter_type("cycles"));
  EXPECT_GE(counter_type("cycles:u"), 44000000U);
  EXPECT_LT(counter_type("cycles:u"), 45000000U);
}

}  // namespace
}  // namespace groma::trace
