#include "base/affinity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <thread>

namespace groma {
namespace {

TEST(Affinity, ListsCpusInAscendingOrder) {
  const std::vector<PhysicalCore> cpus = allowed_cpus();
  ASSERT_FALSE(cpus.empty());
  EXPECT_TRUE(std::is_sorted(cpus.begin(), cpus.end()));
}

TEST(Affinity, PinsTheCallingThreadOnly) {
  const std::vector<PhysicalCore> before = allowed_cpus();
  std::vector<PhysicalCore> inside;
  std::jthread([&] {
    EXPECT_TRUE(pin_this_thread(before.back()));
    inside = allowed_cpus();
  }).join();
  EXPECT_EQ(inside, std::vector{before.back()});
  EXPECT_EQ(allowed_cpus(), before);
}

TEST(Affinity, RefusesCpusThatDoNotExist) {
  for (const std::uint32_t cpu : {1'000'000U, std::numeric_limits<std::uint32_t>::max()}) {
    const Status pinned = pin_this_thread(PhysicalCore(cpu));
    ASSERT_FALSE(pinned);
    EXPECT_EQ(pinned.error().code, "affinity.refused");
    EXPECT_NE(pinned.error().what.find("CPU " + std::to_string(cpu)), std::string::npos);
  }
}

}  // namespace
}  // namespace groma
