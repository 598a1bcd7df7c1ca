#include "trace/merge/log_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <fstream>

#include "testing/fakes.hpp"
#include "testing/log_builder.hpp"

namespace groma::trace {
namespace {

using groma::test::CallIndex;
using groma::test::LogBuilder;
using log::zigzag;

struct Read {
  std::size_t calls = 0;
  std::uint64_t damaged = 0;
};

class LogReaderTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kCalls = 20;

  /// A log that was closed says how long it is.
  static std::vector<char> log_of(log::Progress progress, std::size_t calls = kCalls) {
    LogBuilder log(0, 2);
    log.world();
    for (std::uint64_t i = 0; i < calls; ++i) {
      log.call(CallIndex::Send, 1000 + 100 * i, 1050 + 100 * i, {40, zigzag(1), zigzag(3), 1});
    }
    log.header.progress = progress;
    if (progress == log::Progress::finished) log.header.bytes = log.bytes().size();
    return log.bytes();
  }
  [[nodiscard]] Read read(const std::vector<char>& log) const {
    const auto path = std::filesystem::path(tree.root()) / "0.log";
    std::ofstream(path, std::ios::binary).write(log.data(), static_cast<std::streamsize>(log.size()));
    auto opened = LogReader::open(path);
    EXPECT_TRUE(opened);
    LogReader reader = std::move(opened).value();
    Read result;
    for (LogItem item = reader.next(); item != LogItem::kEnd; item = reader.next()) {
      result.calls += item == LogItem::kCall ? 1 : 0;
    }
    result.damaged = reader.damaged();
    return result;
  }

  const fake::Tree tree;
};

/// Numbers of the sites of all calls, and the sites.
struct Sites {
  std::vector<std::size_t> of_calls;
  std::vector<CallSite> sites;
  std::uint64_t damaged = 0;
};

class LogSitesTest : public LogReaderTest {
 protected:
  static constexpr auto kModule = static_cast<std::uint64_t>(log::Head::module);
  static constexpr auto kModulePath = static_cast<std::uint64_t>(log::Head::module_path);
  static constexpr auto kSite = static_cast<std::uint64_t>(log::Head::site);

  static void call_from(LogBuilder& log, std::uint64_t time, std::uint64_t site) {
    log.call(CallIndex::Comm_rank, time, time + 5, {1, site});
  }
  [[nodiscard]] Sites sites_of(const LogBuilder& log) const {
    log.write(tree.root());
    auto opened = LogReader::open(std::filesystem::path(tree.root()) / "0.log");
    LogReader reader = std::move(opened).value();
    Sites result;
    for (int pass = 0; pass < 2; ++pass) {
      result.of_calls.clear();
      while (reader.next() != LogItem::kEnd) result.of_calls.push_back(reader.call().site);
      result.damaged = reader.damaged();
      reader.rewind();
    }
    result.sites = reader.sites();
    return result;
  }
};

TEST_F(LogSitesTest, HaveTheModuleAndTheAddressThatTheLogGivesTheirNumbers) {
  LogBuilder log(0, 2);
  log.world().record({kModule, 1, 99, 7, '/', 'a'}).record({kModulePath, 'b'}).record({kSite, 1, 1, 500});
  call_from(log, 1100, 1);
  log.record({kSite, 2, 0, 600});
  call_from(log, 1200, 2);
  call_from(log, 1300, 1);
  log.call(CallIndex::Comm_rank, 1400, 1405, {1});
  const Sites found = sites_of(log);
  EXPECT_EQ(found.damaged, 0U);
  EXPECT_EQ(found.of_calls, (std::vector<std::size_t>{1, 2, 1, 0}));
  EXPECT_EQ(found.sites, (std::vector<CallSite>{{{"/ab", 99, 7}, 500}, {{}, 600}}));
}

TEST_F(LogSitesTest, AreUnknownWhereTheirModuleOrNumberIsNotSaid) {
  LogBuilder log(0, 2);
  log.world().record({kModulePath, 'b'}).record({kSite, 3, 1, 500});
  call_from(log, 1100, 3);
  call_from(log, 1200, 9);
  const Sites found = sites_of(log);
  EXPECT_EQ(found.of_calls, (std::vector<std::size_t>{0, 0}));
  EXPECT_TRUE(found.sites.empty());
}

TEST_F(LogSitesTest, AreDamagedWhereNumbersAreAbsurd) {
  LogBuilder log(0, 2);
  log.world().record({kSite, log::kMaxSites + 1, 0, 500});
  EXPECT_EQ(sites_of(log).damaged, 1U);
}

TEST_F(LogReaderTest, FindsNoDamageInWholeLogs) {
  for (const auto progress : {log::Progress::running, log::Progress::finished}) {
    const Read all = read(log_of(progress));
    EXPECT_EQ(all.calls, kCalls);
    EXPECT_EQ(all.damaged, 0U);
  }
}

TEST_F(LogReaderTest, FindsTheEndOfAClosedLogMissingWhereverItIsCut) {
  const auto whole = log_of(log::Progress::finished);
  for (std::size_t size = log::kHeaderBytes; size < whole.size(); ++size) {
    const Read part = read({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
    EXPECT_LT(part.calls, kCalls);
    EXPECT_EQ(part.damaged, 1U) << size;
  }
}

/// File systems leave zeros where a node died before its pages were on the disk. Within the last record they
/// may be its numbers.
TEST_F(LogReaderTest, FindsZerosInAClosedLog) {
  const auto whole = log_of(log::Progress::finished);
  const std::size_t before_last = log_of(log::Progress::finished, kCalls - 1).size();
  for (std::size_t from = log::kHeaderBytes; from <= before_last; ++from) {
    auto blank = whole;
    std::fill(blank.begin() + static_cast<std::ptrdiff_t>(from), blank.end(), '\0');
    EXPECT_EQ(read(blank).damaged, 1U) << from;
  }
}

TEST_F(LogReaderTest, FindsThatAClosedLogHasNothingAlsoWithoutItsLength) {
  auto blank = log_of(log::Progress::finished);
  std::fill(blank.begin() + offsetof(log::Header, sync), blank.end(), '\0');
  EXPECT_EQ(read(blank).damaged, 1U);
}

TEST_F(LogReaderTest, PassesOverWhatCameAfterALogWasClosed) {
  auto longer = log_of(log::Progress::finished);
  const std::vector<char> records(longer.begin() + log::kHeaderBytes, longer.end());
  longer.insert(longer.end(), records.begin(), records.end());
  const Read all = read(longer);
  EXPECT_EQ(all.calls, kCalls);
  EXPECT_EQ(all.damaged, 0U);
}

TEST_F(LogReaderTest, CountsAChunkWithAnAbsurdNumberOnce) {
  auto log = log_of(log::Progress::running);
  std::fill_n(log.begin() + log::kHeaderBytes, sizeof(std::uint64_t), '\x77');
  EXPECT_EQ(read(log).damaged, 1U);
}

TEST_F(LogReaderTest, TakesTheZerosOfAKilledProcessForItsEnd) {
  auto killed = log_of(log::Progress::running);
  killed.resize(log::kHeaderBytes + log::kChunkBytes);
  const Read all = read(killed);
  EXPECT_EQ(all.calls, kCalls);
  EXPECT_EQ(all.damaged, 0U);
}

TEST_F(LogReaderTest, FindsAChunkMissingBeforeAnother) {
  auto two = log_of(log::Progress::running);
  const std::vector<char> records(two.begin() + log::kHeaderBytes, two.end());
  two.resize(log::kHeaderBytes + log::kChunkBytes);
  two.insert(two.end(), records.begin(), records.end());
  two[log::kHeaderBytes + log::kChunkBytes] = 2;  // its number
  EXPECT_EQ(read(two).damaged, 1U) << "the first chunk ends early";
  two[log::kHeaderBytes] = 0;
  const Read second = read(two);
  EXPECT_EQ(second.damaged, 1U) << "the first chunk is not there";
  EXPECT_EQ(second.calls, kCalls);
}

TEST_F(LogReaderTest, HasMissesBesideTheCallAfterThem) {
  constexpr auto misses = static_cast<std::uint64_t>(log::Head::misses);
  LogBuilder log(0, 2);
  log.world();
  log.record({misses, 7, 900, 0, 0, 3, 40, 0, 0});
  for (std::uint64_t i = 0; i < 2; ++i) {
    log.call(CallIndex::Send, 1000 + 100 * i, 1050 + 100 * i, {40, zigzag(1), zigzag(3), 1});
  }
  log.record({misses, 7});  // cut
  const auto path = std::filesystem::path(tree.root()) / "0.log";
  const auto bytes = log.bytes();
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  auto opened = LogReader::open(path);
  ASSERT_TRUE(opened);
  LogReader& reader = opened.value();
  ASSERT_EQ(reader.next(), LogItem::kCall);
  ASSERT_TRUE(reader.call().has_misses);
  const Misses& found = reader.call().misses;
  EXPECT_EQ(found[static_cast<std::size_t>(log::Miss::iprobe)].count, 7U);
  EXPECT_EQ(found[static_cast<std::size_t>(log::Miss::iprobe)].ticks, 900U);
  EXPECT_EQ(found[static_cast<std::size_t>(log::Miss::test)].count, 3U);
  EXPECT_EQ(found[static_cast<std::size_t>(log::Miss::improbe)].count, 0U);
  ASSERT_EQ(reader.next(), LogItem::kCall);
  EXPECT_FALSE(reader.call().has_misses);
  EXPECT_EQ(reader.next(), LogItem::kEnd);
  EXPECT_EQ(reader.damaged(), 1U);
}

}  // namespace
}  // namespace groma::trace
