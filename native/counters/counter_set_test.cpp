#include "counters/counter_set.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include "counters/mapped_counter.hpp"
#include "testing/fake_counters.hpp"
#include "testing/fresh_pages.hpp"

namespace groma::counters {
namespace {

using Names = std::vector<std::string_view>;
using fake::FreshPages;

std::vector<Event> events_of(const Names& names, const System& system = this_system()) {
  std::vector<Event> found;
  for (const auto name : names) {
    std::string reason;
    auto event = find_event(name, system, reason);
    EXPECT_TRUE(event) << name << ": " << reason;
    if (event) found.push_back(*event);
  }
  return found;
}

CounterSet opened(const Names& names, const System& system = this_system()) {
  std::string reason;
  auto set = CounterSet::open(events_of(names, system), system, reason);
  if (!set) throw std::runtime_error(reason);
  return std::move(*set);
}

std::uint64_t value_of(CounterSet& set, std::size_t index = 0) {
  std::vector<std::uint64_t> values(set.size());
  EXPECT_TRUE(set.read(values));
  return values[index];
}

TEST(CounterSetOnThisMachine, CountsOneFaultForEachFreshPage) {
  CounterSet set = opened({"page-faults"});
  constexpr std::uint64_t touched = 1000;
  FreshPages pages(5 * touched);
  std::vector<std::uint64_t> counted;
  for (int round = 0; round < 5; ++round) {
    const std::uint64_t before = value_of(set);
    pages.touch(touched);
    counted.push_back(value_of(set) - before);
  }
  // The test itself may meet a page for the first time, the sanitizers their own at any time.
  EXPECT_EQ(std::ranges::min(counted), touched);
}

TEST(CounterSetOnThisMachine, CountsFaultsOfItsOwnThreadOnly) {
  CounterSet set = opened({"page-faults"});
  FreshPages pages(500);
  std::latch started(1);
  std::latch touched(1);
  // A thread that is there already: under a sanitizer its maker has faults of its own.
  std::thread other([&] {
    started.wait();
    pages.touch();
    touched.count_down();
  });
  value_of(set);
  const std::uint64_t before = value_of(set);
  started.count_down();
  touched.wait();
  EXPECT_LT(value_of(set) - before, 100U);
  other.join();
}

TEST(CounterSetOnThisMachine, CountsTheSwitchesOfASleeper) {
  CounterSet set = opened({"context-switches"});
  const std::uint64_t before = value_of(set);
  for (int i = 0; i < 20; ++i) std::this_thread::sleep_for(std::chrono::microseconds(50));
  EXPECT_GE(value_of(set) - before, 20U);
}

TEST(CounterSetOnThisMachine, ReadsATimeStampThatGoesOn) {
  CounterSet set = opened({"tsc"});
  const std::uint64_t first = value_of(set);
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_GT(value_of(set), first);
}

TEST(CounterSetOnThisMachine, CountsSoftwareEventsTogether) {
  CounterSet set = opened({"task-clock", "page-faults", "tsc", "context-switches"});
  std::array<std::uint64_t, 4> first{};
  std::array<std::uint64_t, 4> second{};
  ASSERT_TRUE(set.read(first));
  FreshPages pages(64);
  pages.touch();
  ASSERT_TRUE(set.read(second));
  EXPECT_GT(second[0], first[0]);
  EXPECT_GE(second[1] - first[1], 64U);
  EXPECT_GT(second[2], first[2]);
  EXPECT_GE(second[3], first[3]);
}

TEST(CounterSet, ReadsNothingIntoTooLittleRoom) {
  CounterSet set = opened({"tsc", "task-clock"});
  std::array<std::uint64_t, 1> values{};
  EXPECT_FALSE(set.read(values));
}

TEST(CounterSet, KeepsTheOrderOfItsNamesWhateverCountsThem) {
  const FakeCounters fake;
  CounterSet set = opened({"tsc", "page-faults", "cycles"}, fake);
  fake.value = 70;
  std::array<std::uint64_t, 3> values{};
  ASSERT_TRUE(set.read(values));
  EXPECT_EQ(values[1], 70U);
  EXPECT_EQ(values[2], 71U);
  EXPECT_EQ(set.names()[2], "cycles");
}

TEST(CounterSet, ClosesWhatItOpenedWhereTheLastEventFails) {
  FakeCounters fake;
  fake.slots = 2;
  std::string reason;
  EXPECT_FALSE(CounterSet::open(events_of({"cycles", "instructions", "branches"}, fake), fake, reason));
  EXPECT_EQ(fake.openings, 3);
  EXPECT_EQ(fake.open_descriptors, 0);
  EXPECT_NE(reason.find("branches"), std::string::npos);
}

TEST(CounterSet, NeitherReadsNorClosesWhatTheProgramOpenedInItsPlace) {
  FakeCounters fake;
  {
    CounterSet set = opened({"cycles", "instructions"}, fake);
    fake.closed_by_program = {100};
    std::array<std::uint64_t, 2> values{};
    EXPECT_FALSE(set.read(values));
  }
  EXPECT_EQ(fake.open_descriptors, 1) << "the one that is not its own any more";
}

TEST(CounterSetOnThisMachine, LeavesAFileOfItsProgramAlone) {
  const int before = dup(STDERR_FILENO);
  auto set = std::make_unique<CounterSet>(opened({"page-faults"}));
  if (set->remark(0) != "") GTEST_SKIP() << "no perf events here";
  const int first_free = fcntl(before, F_DUPFD, 512);  // behind those of the set
  close(before);
  ASSERT_GT(first_free, 512);
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe(pipe_ends.data()), 0);
  ASSERT_EQ(write(pipe_ends[1], "text for the program", 20), 20);
  ASSERT_EQ(dup2(pipe_ends[0], first_free - 1), first_free - 1);  // closes the counter
  std::array<std::uint64_t, 1> values{};
  EXPECT_FALSE(set->read(values));
  set.reset();
  std::array<char, 21> text{};
  EXPECT_EQ(read(first_free - 1, text.data(), 20), 20);
  EXPECT_STREQ(text.data(), "text for the program");
  for (const int file : {first_free - 1, first_free, pipe_ends[0], pipe_ends[1]}) close(file);
}

TEST(CounterSet, FindsByStartingThatSomethingElseHoldsACounter) {
  FakeCounters fake;
  fake.slots = 2;
  fake.held = 1;
  std::string reason;
  EXPECT_TRUE(CounterSet::open(events_of({"cycles"}, fake), fake, reason)) << reason;
  EXPECT_FALSE(CounterSet::open(events_of({"cycles", "instructions"}, fake), fake, reason));
  EXPECT_NE(reason.find("no counter is free"), std::string::npos);
  EXPECT_EQ(fake.open_descriptors, 0);
}

class WithoutPerf : public ::testing::TestWithParam<int> {};

TEST_P(WithoutPerf, SoftwareEventsComeFromTheKernelsAccounts) {
  FakeCounters fake;
  fake.refusal = GetParam();
  CounterSet set = opened({"page-faults", "tsc", "context-switches", "task-clock"}, fake);
  EXPECT_EQ(value_of(set, 0), 100 + static_cast<std::uint64_t>(Usage::kPageFaults));
  EXPECT_EQ(set.remark(0), "from the kernel's accounts of the thread");
}

TEST_P(WithoutPerf, HardwareEventsHaveAReasonOfOneLine) {
  FakeCounters fake;
  fake.refusal = GetParam();
  std::string reason;
  EXPECT_FALSE(CounterSet::open(events_of({"cycles"}, fake), fake, reason));
  EXPECT_TRUE(reason.starts_with("cycles: ")) << reason;
  EXPECT_EQ(reason.find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Errors, WithoutPerf, ::testing::Values(EACCES, EPERM, ENOENT, ENOSYS, EMFILE, 9999));

TEST(CounterSet, TellsThatAVirtualMachineHasNoCounters) {
  FakeCounters fake;
  fake.refusal_of_hardware = ENOENT;
  fake.files["/proc/cpuinfo"] = "flags : fpu hypervisor lahf_lm\n";
  std::string reason;
  EXPECT_FALSE(CounterSet::open(events_of({"cycles"}, fake), fake, reason));
  EXPECT_EQ(reason, "cycles: not supported by this virtual machine");
}

TEST(CounterSet, TellsWhichSettingForbids) {
  FakeCounters fake;
  fake.refusal = EACCES;
  fake.files["/proc/sys/kernel/perf_event_paranoid"] = "3\n";
  std::string reason;
  EXPECT_FALSE(CounterSet::open(events_of({"cycles"}, fake), fake, reason));
  EXPECT_NE(reason.find("perf_event_paranoid = 3"), std::string::npos) << reason;
}

TEST(CounterSet, DoesNotBlameASettingForWhatAContainerForbids) {
  FakeCounters fake;
  fake.refusal = EPERM;
  fake.files["/proc/sys/kernel/perf_event_paranoid"] = "2\n";
  std::string reason;
  EXPECT_FALSE(CounterSet::open(events_of({"cycles"}, fake), fake, reason));
  EXPECT_EQ(reason, "cycles: perf events are forbidden here (a container may do that)");
}

TEST(CounterSet, CountsUserModeWhereTheKernelIsHidden) {
  FakeCounters fake;
  fake.refusal_of_kernel = EACCES;
  const CounterSet set = opened({"cycles", "task-clock", "context-switches"}, fake);
  EXPECT_EQ(set.remark(0), "user mode only");
  EXPECT_EQ(set.remark(1), "");  // a clock is not stopped in the kernel
  // User mode alone would always count zero of them.
  EXPECT_EQ(set.remark(2), "from the kernel's accounts of the thread");
}

/// A processor whose counter user mode reads: 32 bits wide, about to run over.
class ReadableByUsers : public FakeCounters {
 public:
  const perf_event_mmap_page* map(int /*descriptor*/) const noexcept override { return &page; }
  std::uint64_t read_processor(std::uint32_t index) const noexcept override {
    return index == 0 ? counter : 0;
  }
  mutable perf_event_mmap_page page{};
  std::uint64_t counter = 0;
};

TEST(MappedCounter, IsExtendedToSixtyFourBitsByTheKernelsOffset) {
  ReadableByUsers fake;
  fake.page.cap_user_rdpmc = 1;
  fake.page.index = 1;
  fake.page.pmc_width = 32;
  fake.page.offset = 0x1'8000'0000;
  fake.counter = 0x8000'0005;  // the kernel starts counters below zero
  CounterSet set = opened({"cycles"}, fake);
  EXPECT_EQ(value_of(set), 0x1'0000'0005U);
}

TEST(MappedCounter, IsReadByTheKernelWhileItIsNotOnTheProcessor) {
  ReadableByUsers fake;
  fake.page.cap_user_rdpmc = 1;
  fake.page.index = 0;
  CounterSet set = opened({"cycles"}, fake);
  fake.value = 42;
  EXPECT_EQ(value_of(set), 42U);
}

TEST(MappedCounter, CountsOverTheEndOfANarrowCounter) {
  EXPECT_EQ(counted_since(0xFFFF'FFF0, 0x10, 32), 0x20U);
  EXPECT_EQ(counted_since(5, 9, 64), 4U);
  EXPECT_EQ(extended(0xFFFF'FFFF'FFFF, 48), ~std::uint64_t{0});
  EXPECT_EQ(extended(7, 48), 7U);
}

}  // namespace
}  // namespace groma::counters
