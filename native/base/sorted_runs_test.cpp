#include "base/sorted_runs.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <random>

#include "testing/cut_runs.hpp"

namespace groma {
namespace {

struct Less {
  bool operator()(std::uint64_t a, std::uint64_t b) const { return a < b; }
};

TEST(SortedRuns, GiveMoreThanMemoryHoldsInOrder) {
  SortedRuns<std::uint64_t, Less> runs(::testing::TempDir());
  std::mt19937_64 random(1);
  std::uint64_t sum = 0;
  constexpr int items = 700'000;
  for (int i = 0; i < items; ++i) {
    const std::uint64_t item = random() >> 8U;
    sum += item;
    runs.add(item);
  }
  ASSERT_TRUE(runs.finish());
  std::uint64_t last = 0;
  int count = 0;
  for (; runs.front() != nullptr; runs.pop(), ++count) {
    ASSERT_LE(last, *runs.front());
    last = *runs.front();
    sum -= last;
  }
  EXPECT_EQ(count, items);
  EXPECT_EQ(sum, 0U);
}

/// The next number that a descriptor gets.
rlim_t next_descriptor() {
  const int next = ::dup(STDERR_FILENO);
  ::close(next);
  return static_cast<rlim_t>(next);
}

TEST(SortedRuns, NeedOneDescriptorHoweverManyTheyAre) {
  SortedRuns<std::uint64_t, Less> runs(::testing::TempDir());
  rlimit usual{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &usual), 0);
  const rlimit one_more = {next_descriptor() + 1, usual.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &one_more), 0);
  constexpr std::uint64_t items = 1'000'000;
  for (std::uint64_t i = items; i > 0; --i) runs.add(i);
  const Status kept = runs.finish();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &usual), 0);
  ASSERT_TRUE(kept) << kept.error().what;
  for (std::uint64_t i = 1; i <= items; ++i, runs.pop()) ASSERT_EQ(*runs.front(), i);
  EXPECT_EQ(runs.front(), nullptr);
}

TEST(SortedRuns, TellWhereTheyCannotBeKept) {
  SortedRuns<std::uint64_t, Less> runs("/no/such/folder");
  for (std::uint64_t i = 0; i < 300'000; ++i) runs.add(i);
  const Status status = runs.finish();
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().what.find("/no/such/folder"), std::string::npos);
}

TEST(SortedRuns, TellWhatTheyCannotReadAgain) {
  SortedRuns<std::uint64_t, Less> runs(::testing::TempDir());
  for (std::uint64_t i = 0; i < 300'000; ++i) runs.add(i);
  ASSERT_TRUE(runs.finish());
  ASSERT_GT(test::cut_sorted_runs(), 0U);
  while (runs.front() != nullptr) runs.pop();
  const Status status = runs.status();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "unreadable");
}

}  // namespace
}  // namespace groma
