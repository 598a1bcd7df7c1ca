// The NUMA experiments on machines of any size, with recorded costs and a fake clock.
#include <gtest/gtest.h>

#include <map>

#include "survey/probe.hpp"
#include "testing/collecting_sink.hpp"
#include "testing/one_thread.hpp"
#include "testing/recorded_memory.hpp"

ALL_ON_ONE_THREAD;

namespace groma::survey {
namespace {

struct Recorded {
  CollectingSink sink;
  Status status = Done{};
  Seconds took;

  [[nodiscard]] std::size_t cells(const std::string& label) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        sink.labels, [&](const std::string& one) { return one.find(label) != std::string::npos; }));
  }
  /// Cases with this label that have no sample.
  [[nodiscard]] std::size_t gaps(const std::string& label) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < sink.labels.size(); ++i) {
      count += sink.labels[i].find(label) != std::string::npos && sink.values[i].empty() ? 1 : 0;
    }
    return count;
  }
};

double number_in(const std::string& label, const std::string& key) {
  return std::stod(label.substr(label.find("\"" + key + "\":") + key.size() + 3));
}

struct Machine {
  fake::BladeShape shape;
  fake::RecordedCosts costs;
};

/// Ten times as fast as Blacklight.
Machine modern(std::uint32_t nodes, std::uint32_t cores) {
  Machine machine{{nodes, cores}, {}};
  machine.costs.local /= 10.0;
  machine.costs.touch /= 4.0;
  return machine;
}

Recorded run_recorded(std::string_view name, const Machine& machine,
                      const std::vector<std::string>& assignments = {}) {
  Recorded ran;
  const Topology topology = fake::blades(machine.shape);
  fake::ManualClock clock;
  fake::RecordedMemory memory(topology, clock, machine.costs);
  const Probe* const probe = Probes::find(name);
  const auto parameters = Parameters::parse(probe->info, assignments);
  const std::atomic<bool> cancelled = false;
  ran.status = probe->run({.parameters = parameters.value(),
                           .topology = topology,
                           .clock = clock,
                           .cancelled = cancelled,
                           .memory = Bytes(1ULL << 42U),
                           .started = clock.now(),
                           .sink = ran.sink,
                           .place_memory = &memory});
  ran.took = clock.now();
  return ran;
}

struct Size {
  std::uint32_t nodes;
  std::uint32_t cores;
};

class RecordedMachine : public testing::TestWithParam<std::tuple<const char*, Size, double>> {};

TEST_P(RecordedMachine, IsMeasuredWithinTheBudget) {
  const auto& [name, size, slower] = GetParam();
  Machine machine = modern(size.nodes, size.cores);
  machine.costs.local *= slower;
  const Recorded ran = run_recorded(name, machine, {"budget=3"});
  EXPECT_TRUE(ran.status);
  EXPECT_LE(ran.took, Seconds(3.0 * 1.4)) << "a task that began in time, and setting up";
  EXPECT_LE(ran.sink.labels.size(), 70000U);
  EXPECT_GT(ran.sink.labels.size(), ran.gaps(""));
}

std::string name_of_case(const testing::TestParamInfo<std::tuple<const char*, Size, double>>& one) {
  const auto& [name, size, slower] = one.param;
  return std::string(name) + "_" + std::to_string(size.cores) + "_" +
         std::to_string(static_cast<int>(slower * 10));
}

INSTANTIATE_TEST_SUITE_P(
    All, RecordedMachine,
    testing::Combine(testing::Values("numa_read", "numa_lockstep", "numa_allocation", "numa_ping_back"),
                     testing::Values(Size{2, 8}, Size{8, 64}, Size{24, 256}, Size{256, 4096}),
                     testing::Values(0.1, 1.0, 10.0)),
    name_of_case);

TEST(RecordedRead, FillsTheWholeMatrixOf24NodesAtTheSpeedOfBlacklight) {
  const Recorded ran = run_recorded("numa_read", {{24, 256}, {}});
  for (const char* const measure : {"sequential_first", "sequential_again", "random"}) {
    EXPECT_EQ(ran.cells(measure), 576U) << measure;
    EXPECT_EQ(ran.gaps(measure), 0U) << measure;
  }
}

TEST(RecordedRead, FillsEveryCellBeforeAnyIsRepeated) {
  const Recorded ran = run_recorded("numa_read", {{24, 256}, {}});
  std::size_t least = 99;
  std::size_t most = 0;
  for (std::size_t i = 0; i < ran.sink.labels.size(); ++i) {
    if (ran.sink.labels[i].find("sequential_first") == std::string::npos) continue;
    least = std::min(least, ran.sink.values[i].size());
    most = std::max(most, ran.sink.values[i].size());
  }
  EXPECT_LE(most, least + 1);
}

TEST(RecordedRead, HoldsAllCoresOf64WhichAreTheirDefault) {
  const Recorded ran = run_recorded("numa_read", modern(8, 64));
  EXPECT_EQ(ran.cells("sequential_first"), 64U * 64U);
  EXPECT_EQ(ran.gaps("sequential_first"), 0U);
  EXPECT_EQ(ran.cells("\"over\":\"cores\""), ran.sink.labels.size());
}

TEST(RecordedRead, HoldsAllNearPairsAndSomeFarOnesOfAHugeMachine) {
  const Recorded ran = run_recorded("numa_read", modern(256, 4096));
  std::map<std::string, int> of_class;
  for (const std::string& label : ran.sink.labels) {
    if (label.find("sequential_first") == std::string::npos) continue;
    const auto owner = static_cast<std::uint32_t>(number_in(label, "owner"));
    const auto reader = static_cast<std::uint32_t>(number_in(label, "reader"));
    ++of_class[owner == reader ? "own" : fake::blade_of(owner) == fake::blade_of(reader) ? "blade" : "far"];
  }
  EXPECT_EQ(of_class["own"], 256);
  EXPECT_EQ(of_class["blade"], 256);
  EXPECT_GE(of_class["far"], 1000);
}

TEST(RecordedLockstep, LoadsTheMemoriesWithAllCoresOfTheNodes) {
  const Recorded alone = run_recorded("numa_lockstep", modern(2, 2), {"over=nodes"});
  const Recorded loaded = run_recorded("numa_lockstep", modern(2, 16), {"over=nodes"});
  ASSERT_EQ(loaded.sink.labels.size(), 4U);
  const auto each = [](const Recorded& ran) {
    return ran.sink.values.front().front() / number_in(ran.sink.labels.front(), "block_bytes");
  };
  // Seven more cores, a quarter more for each (RecordedCosts::contended).
  EXPECT_NEAR(each(loaded) / each(alone), 2.75, 0.1);
}

TEST(RecordedPingBack, HasAllPairsOf24NodesOfAFastMachine) {
  const Recorded ran = run_recorded("numa_ping_back", modern(24, 256), {"budget=4"});
  EXPECT_EQ(ran.sink.labels.size(), 24U * 23U * 5U);
  EXPECT_EQ(ran.gaps(""), 0U);
}

TEST(RecordedAllocation, TouchesAndFreesOnAllPlacesOfBlacklight) {
  const Recorded ran = run_recorded("numa_allocation", {{24, 256}, {}});
  for (const char* const measure : {"\"first_touch\"", "\"second_touch\"", "\"release\""}) {
    EXPECT_EQ(ran.cells(measure), 24U * 2U * 2U) << measure;
    EXPECT_EQ(ran.gaps(measure), 0U) << measure;
  }
}

}  // namespace
}  // namespace groma::survey
