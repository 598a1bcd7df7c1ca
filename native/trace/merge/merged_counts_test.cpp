// What merged traces say of the counters of their logs.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "testing/log_builder.hpp"
#include "testing/merge_fixture.hpp"

namespace groma::trace {
namespace {

using groma::test::CallIndex;
using groma::test::LogBuilder;

class MergedCounts : public test::MergeFixture {};

std::uint64_t number_of(log::Head head) {
  return static_cast<std::uint64_t>(head);
}

using Event3 = std::tuple<Nanoseconds, std::uint32_t, std::uint64_t>;
std::vector<Event3> counted(const test::TraceInMemory& trace) {
  std::vector<Event3> found;
  for (const Event& one : trace.events) {
    if (one.type / 1'000'000 == 42 || one.type / 1'000'000 == 44) {
      found.emplace_back(one.time, one.type, one.value);
    }
  }
  return found;
}

LogBuilder counting() {
  LogBuilder log(0, 1);
  log.header.counters = 2;
  std::strcpy(log.header.counter_names[0].data(), "instructions");  // NOLINT
  std::strcpy(log.header.counter_names[1].data(), "cycles");        // NOLINT
  return log.world();
}

TEST_F(MergedCounts, HasCountsBeforeACallAtItsBeginAndThoseWithinAtItsEnd) {
  counting()
      .record({number_of(log::Head::counters), 10, 20, 30, 40})
      .call(CallIndex::Barrier, 2000, 2500, {1})
      .call(CallIndex::Barrier, 3000, 3500, {1})
      .write(folder);
  merge();
  constexpr std::uint32_t instructions = 42000050;
  constexpr std::uint32_t cycles = 42000059;
  const std::vector<Event3> expected{
      {1000, instructions, 10}, {1000, cycles, 20}, {1500, instructions, 30}, {1500, cycles, 40}};
  EXPECT_EQ(counted(trace), expected) << "of the second call nothing is known";
  EXPECT_EQ(trace.names.events.at(cycles).label, "cycles");
}

/// The first 47 letters of names of native events are often alike.
TEST_F(MergedCounts, KeepsLongNamesOfCountersApart) {
  const std::string name = "skx_unc_cha0::UNC_CHA_TOR_INSERTS:IA_MISS_DRD:filter_opc0=0x202:e=0:i=0:t=";
  LogBuilder log = counting();
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string whole = std::string(log::kLongestCounterName - name.size() - 1, 'm') + name + "01"[i];
    ASSERT_EQ(whole.copy(log.header.counter_names[i].data(), log::kLongestCounterName), whole.size());
  }
  log.record({number_of(log::Head::counters), 10, 20, 30, 40})
      .call(CallIndex::Barrier, 2000, 2500, {1})
      .write(folder);
  merge();
  std::vector<std::string> labels;
  for (const auto& [type, event] : trace.names.events) {
    if (type / 1'000'000 == 44) labels.push_back(event.label);
  }
  ASSERT_EQ(labels.size(), 2U);
  EXPECT_EQ(labels[0].size(), log::kLongestCounterName);
  EXPECT_NE(labels[0], labels[1]);
}

TEST_F(MergedCounts, HasCountsUpToTheBeginOfARegionThere) {
  counting()
      .record({number_of(log::Head::name), 0, 'r'})
      .record({number_of(log::Head::counters), 7, 8})
      .record({number_of(log::Head::region), 500, 0, 1})
      .write(folder);
  merge();
  const std::vector<Event3> expected{{500, 42000050, 7}, {500, 42000059, 8}};
  EXPECT_EQ(counted(trace), expected);
}

TEST_F(MergedCounts, LeavesOutCountsOfAnotherNumberOfCounters) {
  counting()
      .record({number_of(log::Head::counters), 10, 20, 30})
      .call(CallIndex::Barrier, 2000, 2500, {1})
      .write(folder);
  merge();
  EXPECT_TRUE(counted(trace).empty());
}

}  // namespace
}  // namespace groma::trace
