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

/// Those that the group does not list are counted as well.
TEST(MetricGroup, CountsEventsInBraces) {
  const auto group = parse_group("mine",
                                 "event f = page-faults\nmetric a [1] = {cpu/event=1,umask=2/} / {f}\nmetric "
                                 "b [1/s] = {tsc} / {time}\n");
  ASSERT_TRUE(group) << group.error().what;
  ASSERT_EQ(group.value().events.size(), 3U);
  EXPECT_EQ(group.value().events[1].event, "cpu/event=1,umask=2/");
  EXPECT_EQ(group.value().events[2].event, "tsc");
  EXPECT_EQ(metric_value(group.value(), group.value().metrics[0],
                         {{"page-faults", 2}, {"cpu/event=1,umask=2/", 6}}),
            3);
}

TEST(MetricGroup, SaysInWhichLineItsDefectIs) {
  EXPECT_EQ(refusal("event c = cycles\n\nmetric m = c\n"), "mine, line 3: a metric has its [UNIT]");
  EXPECT_EQ(refusal("event c = cycles\nmetric m [1] = d\n"), "mine, line 2: no event before it is called d");
  EXPECT_EQ(refusal("event c = cycles\nevent c = branches\n"), "mine, line 2: the name c is in use");
  EXPECT_EQ(refusal("nonsense\n"), "mine, line 1: a line begins with title:, event or metric");
  EXPECT_EQ(refusal(""), "mine has no event");
}

TEST(MetricGroup, IsShippedWithoutDefects) {
  const auto groups = metric_groups();
  EXPECT_TRUE(groups.defects.empty()) << groups.defects.front().what;
  EXPECT_GE(groups.by_name.size(), 5U);
  EXPECT_TRUE(groups.by_name.contains("software"));
  for (const auto& [name, group] : groups.by_name) {
    EXPECT_FALSE(group.title.empty()) << name;
    EXPECT_FALSE(group.metrics.empty()) << name;
  }
}

/// With files NAME.group of these texts in a folder of the user.
MetricGroups groups_beside(const std::map<std::string, std::string>& files) {
  const auto folder = std::filesystem::temp_directory_path() / ("groups-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  for (const auto& [name, text] : files) std::ofstream(folder / (name + ".group")) << text;
  setenv("GROMA_COUNTERS_GROUPS", ("/absent:" + folder.string()).c_str(), 1);
  MetricGroups groups = metric_groups();
  unsetenv("GROMA_COUNTERS_GROUPS");
  std::filesystem::remove_all(folder);
  return groups;
}

TEST(MetricGroup, IsFoundInAFolderOfTheUser) {
  const auto groups =
      groups_beside({{"mine", "event t = tsc\nmetric rate [Hz] = t / time\n"}, {"broken", "event\n"}});
  EXPECT_TRUE(groups.by_name.contains("mine"));
  EXPECT_FALSE(groups.by_name.contains("broken"));
  EXPECT_EQ(groups.defects.size(), 1U);
}

TEST(MetricGroup, MayBeWrittenInLatin1OrBeginWithAByteOrderMark) {
  const std::string latin = "title: \xB5s\nevent t = tsc\nmetric r [1/\xB5s] = t / time\n";
  const auto groups =
      groups_beside({{"latin", latin}, {"marked", "\xEF\xBB\xBFtitle: Marked\nevent t = tsc\n"}});
  ASSERT_TRUE(groups.defects.empty()) << groups.defects.front().what;
  EXPECT_EQ(groups.by_name.at("latin").title, "µs");
  EXPECT_EQ(groups.by_name.at("latin").metrics.front().unit, "1/µs");
  EXPECT_EQ(groups.by_name.at("marked").title, "Marked");
}

TEST(MetricGroup, WithADefectSaysItWhereItIsNamed) {
  const auto groups =
      groups_beside({{"mine", "event t = tsc\n"}, {"broken", "event\n"}, {"ipc", "title: x\n"}});
  EXPECT_FALSE(groups.defect_of("mine"));
  EXPECT_FALSE(groups.defect_of("absent"));
  const std::string why = groups.defect_of("broken").value_or("");
  EXPECT_TRUE(why.starts_with("its group has a defect: /")) << why;
  EXPECT_TRUE(why.ends_with("/broken.group: broken, line 1: a line begins with title:, event or metric"))
      << why;
  EXPECT_FALSE(groups.by_name.contains("ipc")) << "the shipped group does not take the place of the user's";
  EXPECT_TRUE(groups.defect_of("ipc"));
}

}  // namespace
}  // namespace groma::counters
