#include "counters/regions.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

#include "base/json_reader.hpp"
#include "groma/counters.h"
#include "testing/fresh_pages.hpp"

namespace groma::counters {
namespace {

using Path = std::vector<std::string>;

/// Regions belong to the process, so each test has names of its own.
class Regions : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("GROMA_COUNTERS", "page-faults,tsc,nonsense,software", 1); }
  static void TearDownTestSuite() { unsetenv("GROMA_COUNTERS"); }
};

std::vector<RegionTotals> all_of(const Path& path) {
  std::vector<RegionTotals> found;
  for (auto& one : regions_so_far().regions) {
    if (one.path == path) found.push_back(one);
  }
  return found;
}

RegionTotals only(const Path& path) {
  const auto found = all_of(path);
  EXPECT_EQ(found.size(), 1U) << path.back();
  return found.empty() ? RegionTotals{} : found.front();
}

std::size_t event_index(const std::string& name) {
  const auto events = regions_so_far().events;
  return static_cast<std::size_t>(std::ranges::find(events, name) - events.begin());
}

TEST_F(Regions, TellTimesWithAndWithoutTheRegionsInside) {
  for (int i = 0; i < 3; ++i) {
    groma_region_begin("nest");
    groma_region_begin("inner");
    groma_region_begin("innermost");
    groma_region_end("innermost");
    groma_region_end("inner");
    groma_region_end("nest");
  }
  const RegionTotals outer = only({"nest"});
  const RegionTotals inner = only({"nest", "inner"});
  EXPECT_EQ(outer.calls, 3U);
  EXPECT_NEAR(outer.inclusive, outer.exclusive + inner.inclusive, 1e-12);
  EXPECT_NEAR(inner.inclusive, inner.exclusive + only({"nest", "inner", "innermost"}).inclusive, 1e-12);
  EXPECT_LE(outer.shortest, outer.longest);
}

TEST_F(Regions, CountFaultsInclusiveAndExclusive) {
  fake::FreshPages pages(500);
  groma_region_begin("faults warm");
  groma_region_end("faults warm");
  groma_region_begin("faults");
  pages.touch(300);
  groma_region_begin("faults inside");
  pages.touch(200);
  groma_region_end("faults inside");
  groma_region_end("faults");
  const std::size_t faults = event_index("page-faults");
  const RegionTotals totals = only({"faults"});
  ASSERT_LT(faults, totals.counts.size());
  const auto of_touching = [&](std::uint64_t count) { return count - count % 100; };
  EXPECT_EQ(of_touching(totals.counts[faults]), 500U);
  EXPECT_EQ(of_touching(totals.exclusive_counts[faults]), 300U);
  EXPECT_EQ(of_touching(only({"faults", "faults inside"}).counts[faults]), 200U);
}

TEST_F(Regions, AreThoseOfEachThread) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int call = 0; call < 100; ++call) {
        groma_region_begin("threaded");
        groma_region_end("threaded");
      }
    });
  }
  for (auto& thread : threads) thread.join();
  const auto found = all_of({"threaded"});
  ASSERT_EQ(found.size(), 4U);
  for (const auto& one : found) EXPECT_EQ(one.calls, 100U);
}

std::set<int> open_files() {
  std::set<int> found;
  for (int file = 0; file < 4096; ++file) {
    if (fcntl(file, F_GETFD) >= 0) found.insert(file);
  }
  return found;
}

TEST_F(Regions, HaveNoCountsWhereTheProgramClosedTheCounters) {
  std::size_t closed = 0;
  std::thread closing([&closed] {
    const std::set<int> before = open_files();
    groma_region_begin("closed");
    groma_region_begin("closed inside");
    for (const int file : open_files()) {
      if (!before.contains(file)) closed += static_cast<std::size_t>(close(file) == 0);
    }
    groma_region_end("closed inside");
    groma_region_end("closed");
  });
  closing.join();
  if (closed == 0) GTEST_SKIP() << "no perf events here";
  for (const Path& path : {Path{"closed"}, Path{"closed", "closed inside"}}) {
    EXPECT_EQ(only(path).calls, 1U);
    EXPECT_TRUE(only(path).counts.empty());
  }
  const auto remarks = regions_so_far().remarks;
  EXPECT_TRUE(std::ranges::any_of(remarks, [](const std::string& one) {
    return one.ends_with("did not count: the program closed its counters");
  }));
}

TEST_F(Regions, MayBeReadWhileThreadsRun) {
  std::thread busy([] {
    for (int i = 0; i < 20000; ++i) {
      groma_region_begin(i % 2 == 0 ? "busy" : "busier");
      groma_region_end(nullptr);
    }
  });
  for (int i = 0; i < 20; ++i) EXPECT_LE(as_table(regions_so_far()).find("regions of"), 0U);
  busy.join();
  EXPECT_EQ(only({"busy"}).calls, 10000U);
}

TEST_F(Regions, EndWithTheRegionAroundThem) {
  groma_region_begin("around");
  groma_region_begin("forgotten");
  groma_region_end("around");
  EXPECT_FALSE(end_region("around"));
  EXPECT_EQ(only({"around", "forgotten"}).calls, 1U);
  const auto remarks = regions_so_far().remarks;
  const auto says = [&](const char* what) {
    return std::ranges::any_of(remarks, [&](const auto& one) { return one.find(what) != std::string::npos; });
  };
  EXPECT_TRUE(says("ends of regions without a begin"));
  EXPECT_TRUE(says("regions that ended with"));
  EXPECT_TRUE(says("nonsense: unknown event"));
}

TEST_F(Regions, AreKnownByContentNotByAddress) {
  char name[] = "text a";
  for (const char sign : {'a', 'b', 'a'}) {
    name[5] = sign;
    groma_region_begin(name);
    groma_region_end(name);
  }
  EXPECT_EQ(only({"text a"}).calls, 2U);
  EXPECT_EQ(only({"text b"}).calls, 1U);
}

TEST_F(Regions, MayCallThemselves) {
  for (int depth = 0; depth < 100; ++depth) groma_region_begin("recursive");
  for (int depth = 0; depth < 100; ++depth) groma_region_end("recursive");
  EXPECT_EQ(only(Path(100, "recursive")).calls, 1U);
}

TEST_F(Regions, SurviveNullAndManyNames) {
  groma_region_begin(nullptr);
  groma_region_end(nullptr);
  for (int i = 0; i < 1000; ++i) {
    const std::string name = "many " + std::to_string(i);
    groma_region_begin(name.c_str());
    groma_region_end(name.c_str());
  }
  EXPECT_EQ(only({"many 999"}).calls, 1U);
}

TEST_F(Regions, KeepValues) {
  for (const unsigned long long value : {7ULL, 3ULL, 5ULL}) groma_value("residual", value);
  const auto values = regions_so_far().values;
  const auto found = std::ranges::find(values, "residual", &ValueTotals::name);
  ASSERT_NE(found, values.end());
  EXPECT_EQ(found->calls, 3U);
  EXPECT_EQ(found->sum, 15);
  EXPECT_EQ(found->min, 3U);
  EXPECT_EQ(found->max, 7U);
}

TEST_F(Regions, KeepSumsOfValuesBeyond64Bits) {
  for (int i = 0; i < 20; ++i) groma_value("nanoseconds", 1'700'000'000'000'000'000ULL);
  const auto values = regions_so_far().values;
  const auto found = std::ranges::find(values, "nanoseconds", &ValueTotals::name);
  ASSERT_NE(found, values.end());
  EXPECT_DOUBLE_EQ(found->sum, 34e18);
  RegionReport report;
  report.values = {*found};
  EXPECT_NE(as_table(report).find("20 values, mean 1.7e+18,"), std::string::npos) << as_table(report);
}

RegionTotals totals_at(const Path& path, int thread = 0) {
  RegionTotals totals;
  totals.path = path;
  totals.thread = thread;
  totals.calls = 1;
  totals.inclusive = 2;
  return totals;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(TableOfRegions, NamesEachRegionBeforeThoseInsideOfIt) {
  RegionReport report;
  report.regions = {totals_at({"a", "first"}),
                    totals_at({"a"}),
                    totals_at({"b"}),
                    totals_at({"a", "first"}, 1),
                    totals_at({"open", "inside"}, 1),
                    totals_at({"a", "last"}, 1)};
  std::vector<std::string> starts;
  for (const std::string& line : lines_of(as_table(report)))
    starts.push_back(line.substr(0, line.find_last_not_of(' ', line.find("  ", 2)) + 1));
  starts.erase(starts.begin());  // names the program
  EXPECT_EQ(starts, (std::vector<std::string>{"region", "a", "  first", "  last", "b", "  inside"}));
}

TEST(TableOfRegions, HasOneLineForEachNameAndSteersNoTerminal) {
  RegionReport report;
  const std::string longest = "begin" + std::string(3000, '-') + "end";
  report.regions = {totals_at({"two\nlines \x1b[2J \xe2\x80\xae \xc3\xa4"}), totals_at({longest})};
  report.values = {{"a\tvalue\r", 0, 1, 7, 7, 7}};
  report.remarks = {"\x1b]0;title\x07: unknown event"};
  const std::string table = as_table(report);
  const auto lines = lines_of(table);
  ASSERT_EQ(lines.size(), 6U) << table;
  EXPECT_TRUE(lines[2].starts_with("two\\nlines \\x1b[2J \\u202e \xc3\xa4 ")) << lines[2];
  EXPECT_TRUE(lines[3].starts_with("begin-----"));
  EXPECT_NE(lines[3].find("\xe2\x80\xa6"), std::string::npos);
  EXPECT_LT(lines[3].size(), 200U);
  EXPECT_TRUE(lines[4].starts_with("a\\tvalue\\r, thread 0: "));
  EXPECT_EQ(lines[5], "\\x1b]0;title\\x07: unknown event");
}

TEST(RecordOfRegions, HasNoValueWhereAMetricDividesByZeroAndNoMetricOfEventsThatAreNotCounted) {
  auto group = parse_group("g",
                           "title: t\nevent faults = page-faults\nmetric always [1] = 1 / (faults - faults)\n"
                           "metric rate [1/s] = faults / time\nmetric missing [1] = {cycles} / time\n");
  ASSERT_TRUE(group) << group.error().what;
  RegionReport report;
  report.events = {"page-faults"};
  report.groups = {group.value()};
  report.regions = {totals_at({"a"})};
  report.regions[0].counts = report.regions[0].exclusive_counts = {6};
  const std::string text = as_record(report);
  const auto document = read_json(std::string_view(text));
  ASSERT_TRUE(document) << document.error().what;
  const auto metrics = document.value().root().find("facts").find("metrics");
  ASSERT_EQ(metrics.size(), 2U);
  EXPECT_EQ(metrics.item(0).find("name").text(), "always");
  EXPECT_TRUE(metrics.item(0).find("value").is_null());
  EXPECT_EQ(metrics.item(1).find("value").number(), 3);
}

TEST_F(Regions, BecomeARecordWhateverTheirNames) {
  groma_region_begin("quote \" back \\ line \n byte \xff");
  groma_region_end(nullptr);
  const std::string text = as_record(regions_so_far());
  const auto document = read_json(std::string_view(text));
  ASSERT_TRUE(document) << document.error().what;
  EXPECT_EQ(document.value().root().find("kind").text(), "regions");
}

TEST_F(Regions, OfAChildAreItsOwn) {
  groma_region_begin("of the parent");
  groma_region_end("of the parent");
  groma_region_end("never begun");
  const pid_t child = fork();
  if (child == 0) {
    groma_region_begin("of the child");
    groma_region_end("of the child");
    const auto report = regions_so_far();
    const bool is_clean = std::ranges::none_of(
        report.remarks, [](const std::string& one) { return one.starts_with("ends of regions"); });
    _exit(report.regions.size() == 1 && is_clean && is_forked_child() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(all_of({"of the child"}).empty());
}

TEST_F(Regions, AreWrittenWhereTheyCanBe) {
  groma_region_begin("written");
  groma_region_end("written");
  const auto file = std::filesystem::temp_directory_path() / ("regions-" + std::to_string(getpid()));
  EXPECT_EQ(groma_regions_write(file.c_str()), GROMA_OK);
  std::ifstream opened(file);
  const std::string text(std::istreambuf_iterator<char>(opened), {});
  std::filesystem::remove(file);
  EXPECT_NE(text.find("written"), std::string::npos);
  EXPECT_NE(text.find("frequency of the time stamp [Hz]"), std::string::npos);
  EXPECT_EQ(groma_regions_write("/absent/folder/file"), GROMA_CANNOT_WRITE);
  EXPECT_EQ(groma_regions_write(nullptr), GROMA_BAD_ARGUMENT);
}

TEST(FileOfProcess, TellsRanksApart) {
  EXPECT_EQ(file_of_process("a.json", ""), "a.json");
  EXPECT_EQ(file_of_process("dir.d/a.json", "3"), "dir.d/a-3.json");
  EXPECT_EQ(file_of_process("dir.d/a", "3"), "dir.d/a-3");
  EXPECT_EQ(file_of_process("a.%r.json", "3"), "a.3.json");
  EXPECT_EQ(file_of_process("%p", ""), std::to_string(getpid()));
}

}  // namespace
}  // namespace groma::counters
