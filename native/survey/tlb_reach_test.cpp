// The probe as a whole: chains lie in the pages that the system gives, whatever their size.
#include <gtest/gtest.h>

#include "testing/probe_harness.hpp"

namespace groma::survey {
namespace {

ProbeRun run_briefly(const TestMachine& machine, const std::string& pages) {
  return run_probe("tlb_reach", {"budget=0.01", "rounds=1", "per_octave=1", "huge_pages=8", "pages=" + pages},
                   machine);
}

TestMachine with_pages(Bytes page) {
  TestMachine machine;
  machine.topology.page = page;
  machine.memory = 8192_MiB;  // that is said to be there: the arenas of so few pages take a fraction of it
  return machine;
}

TEST(tlb_reach, uses_one_line_of_each_page_of_the_system) {
  for (const auto& [page, label] :
       {std::pair(4_KiB, "\"page_bytes\":4096"), std::pair(64_KiB, "\"page_bytes\":65536")}) {
    const ProbeRun ran = run_briefly(with_pages(page), "256");
    EXPECT_EQ(ran.error_code(), "");
    EXPECT_TRUE(ran.every_case_has_a_sample());
    EXPECT_EQ(ran.cases_with("\"layout\":\"spread\",\"pages\":\"small\"," + std::string(label)), 6U);
  }
}

TEST(tlb_reach, takes_no_more_of_the_memory_with_larger_pages) {
  TestMachine machine = with_pages(64_KiB);
  machine.memory = 256_MiB;
  const ProbeRun ran = run_briefly(machine, "12288");
  EXPECT_EQ(ran.error_code(), "");
  EXPECT_EQ(ran.cases_with("\"lines\":256"), 3U);
  EXPECT_EQ(ran.cases_with("\"lines\":512"), 0U);
}

TEST(tlb_reach, asks_for_more_pages_and_not_for_memory_where_too_few_are_asked_for) {
  EXPECT_EQ(run_briefly(with_pages(4_KiB), "127").error_code(), "usage");
  TestMachine machine = with_pages(4_KiB);
  machine.memory = 1_MiB;
  EXPECT_EQ(run_briefly(machine, "128").error_code(), "probe.no_memory");
}

TEST(tlb_reach, measures_more_huge_pages_than_small_ones) {
  TestMachine machine;
  machine.memory = 2304_MiB;  // that is said to be there: an eighth of it is used
  const ProbeRun ran =
      run_probe("tlb_reach", {"budget=0.01", "rounds=1", "pages=128", "huge_pages=144"}, machine);
  EXPECT_EQ(ran.error_code(), "");
  EXPECT_EQ(ran.cases_with("\"lines\":144"), 1U);
  EXPECT_TRUE(ran.every_case_has_a_sample());
}

}  // namespace
}  // namespace groma::survey
