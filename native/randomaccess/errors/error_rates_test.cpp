#include "randomaccess/errors/error_rates.hpp"

#include <gtest/gtest.h>

#include "randomaccess/local.hpp"
#include "randomaccess/verification.hpp"
#include "testing/collecting_sink.hpp"
#include "testing/serial_updates.hpp"

namespace groma::randomaccess {
namespace {

/// Loses the last updates of each section.
Strategy losing(std::uint64_t updates) {
  return {"losing", true, [updates](const SharedTable& table) -> ApplySection {
            return [table, updates](Section section) {
              update_serially(table.words, table.generator, {section.first, section.count - updates});
            };
          }};
}

CollectingSink measured(const ErrorStudy& study) {
  CollectingSink sink;
  const std::atomic<bool> cancelled = false;
  EXPECT_TRUE(measure_errors(study, SystemClock(), cancelled, sink));
  return sink;
}

std::string refused(const ErrorStudy& study) {
  CollectingSink sink;
  const std::atomic<bool> cancelled = false;
  const auto ended = measure_errors(study, SystemClock(), cancelled, sink);
  return ended ? "accepted" : ended.error().code + ": " + ended.error().what;
}

TEST(Trials, CountEachWordThatAStrategyGetsWrong) {
  std::vector<std::uint64_t> words(4096);
  fill(words, 0);
  const SharedTable table{words, Generator::kPolynomial, 2};
  // The last three of these updates fall on three words: each is twice the one before it.
  for (const std::uint64_t lost : {0U, 1U, 3U}) {
    EXPECT_EQ(try_updates(table, losing(lost).on(table), 10000).wrong_words, lost);
  }
}

TEST(Trials, LeaveTheTableAsTheyFoundIt) {
  std::vector<std::uint64_t> words(256);
  fill(words, 0);
  const std::vector<std::uint64_t> before = words;
  const SharedTable table{words, Generator::kCongruential, 2};
  try_updates(table, losing(5).on(table), 1000);
  EXPECT_EQ(words, before);
}

TEST(ErrorRates, HaveByDefaultAThreadForEachCpuAsFarAsTheyMayShareATable) {
  EXPECT_EQ(default_threads(0), 1U) << "where the system does not tell";
  EXPECT_EQ(default_threads(3), 3U);
  EXPECT_EQ(default_threads(384), kMaxThreads);
  EXPECT_EQ(refused({.words = 1024, .threads = default_threads(384), .strategies = {"none"}}).find("threads"),
            std::string::npos);
}

TEST(ErrorRates, AreSampledForEachStrategyInEachRound) {
  const CollectingSink sink =
      measured({.words = 4096,
                .updates = 16384,
                .threads = 2,
                .runs = 3,
                .strategies = {"serial", "unsynchronised", "atomic", "locks:16", "owner"}});
  ASSERT_EQ(sink.values.size(), 10U);
  EXPECT_EQ(sink.rounds.size(), 3U);
  for (const std::size_t exact : {1U, 5U, 7U, 9U}) {
    EXPECT_EQ(sink.values[exact], std::vector<double>(3, 0.0)) << sink.labels[exact];
  }
  for (std::size_t time = 0; time < 10; time += 2) {
    ASSERT_EQ(sink.values[time].size(), 3U);
    EXPECT_GT(sink.values[time][0], 0.0);
  }
}

TEST(ErrorRates, SayWhatTheirFiguresAreOf) {
  const CollectingSink sink = measured(
      {.words = 1024, .updates = 4096, .threads = 3, .runs = 1, .strategies = {"unsynchronised", "serial"}});
  EXPECT_NE(sink.labels[1].find(R"("strategy":"unsynchronised","exact":false,"threads":3)"),
            std::string::npos)
      << sink.labels[1];
  EXPECT_NE(sink.labels[2].find(R"("strategy":"serial","exact":true,"threads":1)"), std::string::npos);
}

TEST(ErrorRates, RefuseWhatCannotRun) {
  EXPECT_EQ(refused({.words = 1000, .threads = 1}), "usage: a table of 1000 words is not a power of two");
  EXPECT_EQ(refused({.threads = 0}), "usage: 0 threads cannot share a table");
  EXPECT_EQ(refused({.threads = 257}), "usage: 257 threads cannot share a table");
  EXPECT_EQ(refused({.words = 2, .threads = 3}), "usage: a table of 2 words has fewer words than threads");
  EXPECT_EQ(refused({.words = std::uint64_t{1} << 47U, .threads = 1}).substr(0, 8), "memory: ");
  EXPECT_EQ(refused({.threads = 1, .strategies = {"locks:0"}}), "usage: 'locks:0' is not a strategy");
}

}  // namespace
}  // namespace groma::randomaccess
