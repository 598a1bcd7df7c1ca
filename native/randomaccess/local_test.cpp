#include "randomaccess/local.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "testing/serial_updates.hpp"

namespace groma::randomaccess {
namespace {

constexpr Generator kBoth[] = {Generator::kPolynomial, Generator::kCongruential};

std::vector<std::uint64_t> first_table(std::uint64_t words) {
  std::vector<std::uint64_t> table(words);
  std::iota(table.begin(), table.end(), 0);
  return table;
}

std::vector<std::uint64_t> expected(std::uint64_t words, Generator generator, Section section) {
  auto table = first_table(words);
  update_serially(table, generator, section);
  return table;
}

TEST(UpdateAlone, GivesTheTableOfPlainUpdates) {
  for (const Generator generator : kBoth) {
    for (const std::uint64_t words : {1U, 2U, 64U, 4096U}) {
      for (const std::uint64_t count : {0U, 1U, 100U, 127U, 128U, 129U, 5000U}) {
        const Section section{17, count};
        auto table = first_table(words);
        update_alone(table, 0, words, generator, section);
        ASSERT_EQ(table, expected(words, generator, section)) << words << " " << count;
      }
    }
  }
}

TEST(UpdateAlone, HoldsNoMoreThanItMay) {
  for (const std::uint64_t limit : {1U, 2U, 5U, 100U, 1024U}) {
    const Section section{0, 3000};
    auto table = first_table(256);
    EXPECT_LE(update_alone(table, 0, 256, Generator::kPolynomial, section, limit).most(), limit);
    EXPECT_EQ(table, expected(256, Generator::kPolynomial, section));
  }
}

TEST(LocalTable, GivesTheTableOfPlainUpdatesWithAnyNumberOfThreads) {
  for (const Generator generator : kBoth) {
    for (const std::uint64_t threads : {1U, 2U, 3U, 7U}) {
      auto table = first_table(1024);
      LocalTable local(table, threads);
      local.apply(generator, {0, 3000});
      local.apply(generator, {3000, 3});
      local.apply(generator, {3003, 2997});
      EXPECT_EQ(table, expected(1024, generator, {0, 6000})) << threads;
      EXPECT_LE(local.most_pending(), kLookAhead);
    }
  }
}

TEST(LocalTable, GivesItToNoMoreThreadsThanShareItsLookAhead) {
  for (const std::uint64_t threads : {kMaxThreads + 1, std::uint64_t{342}}) {
    auto table = first_table(1024);
    LocalTable local(table, threads);
    local.apply(Generator::kPolynomial, {0, 3000});
    EXPECT_EQ(table, expected(1024, Generator::kPolynomial, {0, 3000})) << threads;
    EXPECT_LE(local.most_pending(), kLookAhead);
  }
}

TEST(LocalTable, UndoesItselfWhenApplied) {
  auto table = first_table(512);
  LocalTable local(table, 2);
  local.apply(Generator::kCongruential, {5, 4096});
  EXPECT_NE(table, first_table(512));
  local.apply(Generator::kCongruential, {5, 4096});
  EXPECT_EQ(table, first_table(512));
}

}  // namespace
}  // namespace groma::randomaccess
