#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "groma/counters.h"
#include "testing/fresh_pages.hpp"

namespace {

using Counters = std::unique_ptr<groma_counters, decltype(&groma_counters_close)>;

Counters plan_of(const std::vector<const char*>& events) {
  groma_counters* made = nullptr;
  EXPECT_EQ(groma_counters_create(&made), GROMA_OK);
  for (const char* event : events) EXPECT_EQ(groma_counters_add(made, event), GROMA_OK) << groma_last_error();
  return {made, &groma_counters_close};
}

TEST(CountersApi, CountsWhatWasCommitted) {
  const Counters plan = plan_of({"tsc", "page-faults"});
  ASSERT_EQ(groma_counters_check(plan.get()), GROMA_OK) << groma_last_error();
  std::size_t runs = 0;
  std::size_t run = 9;
  EXPECT_EQ(groma_counters_run_count(plan.get(), &runs), GROMA_OK);
  EXPECT_EQ(runs, 1U);
  EXPECT_EQ(groma_counters_run_of(plan.get(), "tsc", &run), GROMA_OK);
  EXPECT_EQ(run, 0U);
  EXPECT_EQ(groma_counters_run_of(plan.get(), "cycles", &run), GROMA_NOT_FOUND);
  ASSERT_EQ(groma_counters_commit(plan.get()), GROMA_OK) << groma_last_error();
  unsigned long long before[2];
  unsigned long long after[2];
  groma::fake::FreshPages pages(400);
  ASSERT_EQ(groma_counters_read(plan.get(), before, 2), GROMA_OK);
  pages.touch();
  ASSERT_EQ(groma_counters_read(plan.get(), after, 2), GROMA_OK);
  EXPECT_EQ((after[1] - before[1]) / 100, 4U);
  EXPECT_GT(after[0], before[0]);
}

TEST(CountersApi, SaysWhatIsWrong) {
  const Counters plan = plan_of({});
  EXPECT_EQ(groma_counters_add(plan.get(), "nonsense"), GROMA_BAD_ARGUMENT);
  EXPECT_NE(std::string(groma_last_error()).find("nonsense"), std::string::npos);
  EXPECT_EQ(groma_counters_commit(plan.get()), GROMA_BAD_ARGUMENT);
  EXPECT_EQ(groma_counters_add(plan.get(), "tsc"), GROMA_OK);
  EXPECT_EQ(groma_counters_add(plan.get(), "tsc"), GROMA_BAD_ARGUMENT);
  unsigned long long value = 0;
  EXPECT_EQ(groma_counters_read(plan.get(), &value, 1), GROMA_BAD_ARGUMENT);
  EXPECT_EQ(groma_counters_commit(plan.get()), GROMA_OK);
  EXPECT_EQ(groma_counters_commit(plan.get()), GROMA_BAD_ARGUMENT);
  EXPECT_EQ(groma_counters_add(plan.get(), "task-clock"), GROMA_BAD_ARGUMENT);
  EXPECT_EQ(groma_counters_read(plan.get(), &value, 0), GROMA_BAD_ARGUMENT);
  EXPECT_EQ(groma_counters_create(nullptr), GROMA_BAD_ARGUMENT);
  groma_counters_close(nullptr);
}

TEST(CountersApi, IsReadByTheThreadThatCommittedOnly) {
  const Counters plan = plan_of({"tsc"});
  ASSERT_EQ(groma_counters_commit(plan.get()), GROMA_OK);
  unsigned long long value = 0;
  groma_status read = GROMA_OK;
  std::thread([&] { read = groma_counters_read(plan.get(), &value, 1); }).join();
  EXPECT_EQ(read, GROMA_BAD_ARGUMENT);
  EXPECT_EQ(groma_counters_read(plan.get(), &value, 1), GROMA_OK);
}

void count_call(void* calls) {
  static_cast<std::atomic<int>*>(calls)->fetch_add(1);
}

TEST(CountersApi, CallsBackAtEachThreshold) {
  std::atomic<int> calls{0};
  groma::fake::FreshPages pages(1550);
  const auto touch = [&pages](std::size_t count) {
    for (std::size_t done = 0; done < count; done += 50) {
      pages.touch(50);
      usleep(1);  // the thread sanitizer keeps signals until the next call of the system
    }
  };
  {
    const Counters plan = plan_of({});
    ASSERT_EQ(groma_counters_on_threshold(plan.get(), "page-faults", 100, count_call, &calls), GROMA_OK);
    const groma_status status = groma_counters_commit(plan.get());
    if (status == GROMA_NOT_COUNTED) GTEST_SKIP() << groma_last_error();
    ASSERT_EQ(status, GROMA_OK);
    touch(1050);
  }
  EXPECT_EQ(calls, 10);
  touch(500);
  EXPECT_EQ(calls, 10);  // a plan that is closed calls no more
}

TEST(CountersApi, ChecksWhateverCommitWouldRefuseAndCallsNobodyBack) {
  const Counters empty = plan_of({});
  EXPECT_EQ(groma_counters_check(empty.get()), GROMA_BAD_ARGUMENT);
  EXPECT_EQ(groma_counters_commit(empty.get()), GROMA_BAD_ARGUMENT);
  std::atomic<int> calls{0};
  groma::fake::FreshPages pages(400);
  const Counters plan = plan_of({"tsc"});
  ASSERT_EQ(groma_counters_on_threshold(plan.get(), "page-faults", 1, count_call, &calls), GROMA_OK);
  const groma_status checked = groma_counters_check(plan.get());
  pages.touch(200);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(groma_counters_commit(plan.get()), checked);
  pages.touch(200);
  EXPECT_EQ(calls > 0, checked == GROMA_OK);
}

TEST(CountersApi, SaysWhichEventsCannotCallBack) {
  const Counters plan = plan_of({});
  EXPECT_EQ(groma_counters_on_threshold(plan.get(), "tsc", 5, count_call, nullptr), GROMA_OK);
  for (const auto start : {groma_counters_check, groma_counters_commit}) {
    EXPECT_EQ(start(plan.get()), GROMA_NOT_COUNTED);
    EXPECT_STREQ(groma_last_error(), "tsc: only perf events interrupt at a count");
  }
  EXPECT_EQ(groma_counters_on_threshold(plan.get(), "page-faults", 0, count_call, nullptr),
            GROMA_BAD_ARGUMENT);
  EXPECT_EQ(groma_counters_on_threshold(plan.get(), "page-faults", 5, nullptr, nullptr), GROMA_BAD_ARGUMENT);
}

}  // namespace
