#include "counters/metric_group.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace groma::counters {
namespace {

std::string refusal(std::string_view text) {
  const auto group = parse_group("mine", text);
  EXPECT_FALSE(group) << text;
  return group ? "" : group.error().what;
}

TEST(MetricGroup, DerivesMetricsFromCounts) {
  const auto group = parse_group("mine",
                                 "title: Mine\n# remark\nevent c = cycles\nevent i = instructions # more\n"
                                 "metric per cycle [1/cycle] = i / c\nmetric rate [1/s] = i / time\n");
  ASSERT_TRUE(group) << group.error().what;
  EXPECT_EQ(group.value().title, "Mine");
  ASSERT_EQ(group.value().metrics.size(), 2U);
  EXPECT_EQ(group.value().metrics[0].unit, "1/cycle");
  const std::map<std::string, double> values{{"cycles", 10}, {"instructions", 25}, {"time", 0.5}};
  EXPECT_EQ(metric_value(group.value(), group.value().metrics[0], values), 2.5);
  EXPECT_EQ(metric_value(group.value(), group.value().metrics[1], values), 50);
  EXPECT_FALSE(metric_value(group.value(), group.value().metrics[0], {{"cycles", 1}}));
}

TEST(MetricGroup, SaysInWhichLineItsDefectIs) {
  EXPECT_EQ(refusal("event c = cycles\n\nmetric m = c\n"), "mine, line 3: a metric has its [UNIT]");
  EXPECT_EQ(refusal("event c = cycles\nmetric m [1] = d\n"), "mine, line 2: no event before it is called d");
  EXPECT_EQ(refusal("event c = cycles\nevent c = branches\n"), "mine, line 2: the name c is in use");
  EXPECT_EQ(refusal("nonsense\n"), "mine, line 1: a line begins with title:, event or metric");
  EXPECT_EQ(refusal(""), "mine has no event");
}

TEST(MetricGroup, IsShippedWithoutDefects) {
  std::vector<std::string> defects;
  const auto groups = metric_groups(defects);
  EXPECT_TRUE(defects.empty()) << defects.front();
  EXPECT_GE(groups.size(), 5U);
  EXPECT_TRUE(groups.contains("software"));
  for (const auto& [name, group] : groups) {
    EXPECT_FALSE(group.title.empty()) << name;
    EXPECT_FALSE(group.metrics.empty()) << name;
  }
}

TEST(MetricGroup, IsFoundInAFolderOfTheUser) {
  const auto folder = std::filesystem::temp_directory_path() / ("groups-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "mine.group") << "event t = tsc\nmetric rate [Hz] = t / time\n";
  std::ofstream(folder / "broken.group") << "event\n";
  setenv("GROMA_COUNTERS_GROUPS", ("/absent:" + folder.string()).c_str(), 1);
  std::vector<std::string> defects;
  const auto groups = metric_groups(defects);
  unsetenv("GROMA_COUNTERS_GROUPS");
  std::filesystem::remove_all(folder);
  EXPECT_TRUE(groups.contains("mine"));
  EXPECT_FALSE(groups.contains("broken"));
  EXPECT_EQ(defects.size(), 1U);
}

}  // namespace
}  // namespace groma::counters
