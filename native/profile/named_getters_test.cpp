#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "groma/groma.h"

namespace {

using ProfilePointer = std::unique_ptr<groma_profile, decltype(&groma_profile_close)>;

ProfilePointer opened(const std::string& name) {
  groma_profile* profile = nullptr;
  const std::string file = std::string(GROMA_MADE_DATA "/") + name;
  EXPECT_EQ(groma_profile_open(file.c_str(), &profile), GROMA_OK) << groma_last_error();
  return {profile, &groma_profile_close};
}

ProfilePointer parsed(const std::string& facts) {
  groma_profile* profile = nullptr;
  const std::string json = R"({"schema": "groma.record/1", "kind": "survey", "facts": )" + facts + "}";
  EXPECT_EQ(groma_profile_parse(json.data(), json.size(), &profile), GROMA_OK) << groma_last_error();
  return {profile, &groma_profile_close};
}

std::string quantity(double value, const std::string& unit = "s", double confidence = 0.9) {
  const std::string number = std::to_string(value);
  return R"({"value": )" + number + R"(, "low": )" + number + R"(, "high": )" + number +
         R"(, "confidence": )" + std::to_string(confidence) + R"(, "method": "given", "unit": ")" + unit +
         "\"}";
}

std::vector<int> ids(const groma_core_list& list) {
  return {list.cores, list.cores + list.count};
}

class Node : public ::testing::Test {
 protected:
  ProfilePointer owner = opened("example-profile.json");
  const groma_profile* profile = owner.get();
  groma_quantity found{};
  groma_core_list cores{};
  std::size_t count = 0;
};

TEST_F(Node, HasCoresWithTheNumbersOfTheKernel) {
  const ProfilePointer cluster = opened("example-cluster.json");
  ASSERT_EQ(groma_core_count(cluster.get(), &count), GROMA_OK);
  EXPECT_EQ(count, 32U);
  groma_core_info core{};
  ASSERT_EQ(groma_core(cluster.get(), 17, &core), GROMA_OK);
  EXPECT_EQ(core.logical, 17);
  EXPECT_EQ(core.physical, 3);
  EXPECT_EQ(core.package, 1);
  EXPECT_EQ(core.numa, 2);
  EXPECT_EQ(groma_core(cluster.get(), 32, &core), GROMA_BAD_ARGUMENT);
  ASSERT_EQ(groma_core_frequency(profile, &found), GROMA_OK);
  EXPECT_STREQ(found.unit, "Hz");
}

TEST_F(Node, GivesCoresInTheOrderOfTheirLogicalNumbers) {
  const ProfilePointer mixed = parsed(R"({"declared": {"cores": [{"logical": 1, "physical": 0, "package": 0,
      "numa": 0, "core": 0}, {"logical": 0, "physical": 1, "package": 0, "numa": 0, "core": 1}]}})");
  groma_core_info core{};
  ASSERT_EQ(groma_core(mixed.get(), 0, &core), GROMA_OK);
  EXPECT_EQ(core.logical, 0);
  EXPECT_EQ(core.physical, 1);
}

TEST_F(Node, HasCachesByLevel) {
  ASSERT_EQ(groma_cache_count(profile, &count), GROMA_OK);
  EXPECT_EQ(count, 3U);
  ASSERT_EQ(groma_cache_size(profile, 1, &found), GROMA_OK);
  EXPECT_EQ(found.value, 32768.0);
  EXPECT_STREQ(found.unit, "B");
  ASSERT_EQ(groma_cache_latency(profile, 2, &found), GROMA_OK);
  EXPECT_STREQ(found.unit, "s");
  ASSERT_EQ(groma_cache_line(profile, 1, &found), GROMA_OK);
  EXPECT_EQ(found.value, 64.0);
  ASSERT_EQ(groma_cache_associativity(profile, 1, &found), GROMA_OK);
  EXPECT_EQ(found.value, 8.0);
  EXPECT_EQ(groma_cache_associativity(profile, 3, &found), GROMA_NOT_FOUND);
  EXPECT_EQ(groma_cache_size(profile, 4, &found), GROMA_NOT_FOUND);
  EXPECT_EQ(groma_cache_size(profile, 0, &found), GROMA_NOT_FOUND);
}

TEST_F(Node, TellsWhichCoresShareACache) {
  ASSERT_EQ(groma_cache_group_count(profile, 3, &count), GROMA_OK);
  EXPECT_EQ(count, 2U);
  ASSERT_EQ(groma_cache_group(profile, 3, 1, &cores), GROMA_OK);
  EXPECT_EQ(ids(cores), (std::vector{4, 5, 6, 7}));
  ASSERT_EQ(groma_cache_sharers(profile, 3, 2, &cores), GROMA_OK);
  EXPECT_EQ(ids(cores), (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(groma_cache_group(profile, 3, 2, &cores), GROMA_BAD_ARGUMENT);
  EXPECT_EQ(groma_cache_sharers(profile, 3, 99, &cores), GROMA_NOT_FOUND);
  EXPECT_EQ(groma_cache_group_count(profile, 7, &count), GROMA_NOT_FOUND);
}

TEST_F(Node, HasTheReachOfTheTlbByPageSize) {
  ASSERT_EQ(groma_tlb_reach(profile, 2, 4096, &found), GROMA_OK);
  EXPECT_EQ(found.value, 1536.0 * 4096);
  ASSERT_EQ(groma_tlb_miss_cost(profile, 1, 2U << 20U, &found), GROMA_OK);
  EXPECT_STREQ(found.unit, "s");
  EXPECT_EQ(groma_tlb_reach(profile, 2, 8192, &found), GROMA_NOT_FOUND);
}

/// With the reach of 4 KiB pages: `plain` where the system gave such pages, `split` where it split others.
std::string tlb_entry(double reach, const std::string& advised) {
  return R"({"level": 1, "page": 4096, "reach": )" + quantity(reach, "B") + R"(, "miss_cost": )" +
         quantity(reach) + advised + "}";
}

TEST_F(Node, HasTheTlbOfPlainPagesWhateverStandsFirst) {
  const std::string plain = tlb_entry(1, R"(, "advised_page": null)");
  const std::string split = tlb_entry(2, R"(, "advised_page": 2097152)");
  for (const std::string& levels :
       {plain + "," + split, split + "," + plain, split + "," + tlb_entry(1, "")}) {
    const ProfilePointer some = parsed(R"({"node": {"tlb": [)" + levels + "]}}");
    ASSERT_EQ(groma_tlb_reach(some.get(), 1, 4096, &found), GROMA_OK);
    EXPECT_EQ(found.value, 1.0);
    ASSERT_EQ(groma_tlb_miss_cost(some.get(), 1, 4096, &found), GROMA_OK);
    EXPECT_EQ(found.value, 1.0);
  }
  const ProfilePointer alone = parsed(R"({"node": {"tlb": [)" + split + "]}}");
  ASSERT_EQ(groma_tlb_reach(alone.get(), 1, 4096, &found), GROMA_OK);
  EXPECT_EQ(found.value, 2.0);
}

TEST_F(Node, InterpolatesBandwidthBetweenMeasuredNumbersOfCores) {
  const ProfilePointer some =
      parsed(R"({"node": {"memory": {"bandwidth": {"triad": [{"cores": 1, "value": )" + quantity(10, "B/s") +
             R"(}, {"cores": 4, "value": )" + quantity(40, "B/s") + "}]}}}}");
  ASSERT_EQ(groma_memory_bandwidth(some.get(), "triad", 1, &found), GROMA_OK);
  EXPECT_EQ(found.value, 10.0);
  EXPECT_STREQ(found.method, "given");
  ASSERT_EQ(groma_memory_bandwidth(some.get(), "triad", 3, &found), GROMA_OK);
  EXPECT_DOUBLE_EQ(found.value, 30.0);
  EXPECT_NE(std::string(found.method).find("interpolated"), std::string::npos);
  EXPECT_EQ(groma_memory_bandwidth(some.get(), "triad", 5, &found), GROMA_NOT_FOUND);
  EXPECT_EQ(groma_memory_bandwidth(some.get(), "triad", 0, &found), GROMA_BAD_ARGUMENT);
  EXPECT_EQ(groma_memory_bandwidth(some.get(), "copy", 1, &found), GROMA_NOT_FOUND);
}

TEST_F(Node, ReadsAFieldByItsFormerName) {
  const ProfilePointer some = parsed(R"({"node": {"memory": {"contention_groups": [[2, 3]],
      "contention_scaling": [{"cores": [2, 3], "full_at": 2, "points": []}]}}})");
  ASSERT_EQ(groma_memory_group_saturates_at(some.get(), 0, &count), GROMA_OK);
  EXPECT_EQ(count, 2U);
}

TEST_F(Node, HasTheBandwidthOfContentionGroups) {
  const ProfilePointer some = parsed(
      R"({"node": {"memory": {"contention_groups": [[0, 1], [2, 3]], "contention_scaling": [{"cores": [3, 2],
      "saturates_at": 1, "points": [{"cores": 2, "bandwidth": )" +
      quantity(30, "B/s") + R"(}, {"cores": 1, "bandwidth": )" + quantity(28, "B/s") + "}]}]}}}");
  ASSERT_EQ(groma_memory_group_bandwidth(some.get(), 1, 2, &found), GROMA_OK);
  EXPECT_EQ(found.value, 30.0);
  ASSERT_EQ(groma_memory_group_saturates_at(some.get(), 1, &count), GROMA_OK);
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(groma_memory_group_bandwidth(some.get(), 1, 3, &found), GROMA_NOT_FOUND);
  EXPECT_EQ(groma_memory_group_bandwidth(some.get(), 0, 1, &found), GROMA_NOT_FOUND);
  EXPECT_EQ(groma_memory_group_bandwidth(some.get(), 2, 1, &found), GROMA_BAD_ARGUMENT);
  EXPECT_EQ(groma_memory_group_bandwidth(some.get(), 1, 0, &found), GROMA_BAD_ARGUMENT);
  EXPECT_EQ(groma_memory_group_saturates_at(some.get(), 1, nullptr), GROMA_BAD_ARGUMENT);
  EXPECT_EQ(groma_memory_group_saturates_at(parsed("{}").get(), 0, &count), GROMA_NOT_FOUND);
}

TEST_F(Node, HasTheLatencyOfLoadedMemoryByMixAndLoad) {
  const std::string slow = quantity(3, "s");
  const std::string idle = quantity(1, "s");
  const ProfilePointer some = parsed(R"({"node": {"memory": {"loaded_latency": [
      {"read_fraction": 1, "bandwidth": )" +
                                     quantity(3e9, "B/s") + R"(, "latency": )" + slow + R"(},
      {"read_fraction": 1, "bandwidth": )" +
                                     quantity(1e9, "B/s") + R"(, "latency": )" + idle + R"(},
      {"read_fraction": 0.5, "bandwidth": )" +
                                     quantity(1e9, "B/s") + R"(, "latency": )" + slow + "}]}}}");
  double fraction = 0.0;
  ASSERT_EQ(groma_memory_read_fraction_count(some.get(), &count), GROMA_OK);
  EXPECT_EQ(count, 2U);
  ASSERT_EQ(groma_memory_read_fraction(some.get(), 1, &fraction), GROMA_OK);
  EXPECT_EQ(fraction, 1.0);
  ASSERT_EQ(groma_memory_loaded_latency(some.get(), 1, 2e9, &found), GROMA_OK);
  EXPECT_DOUBLE_EQ(found.value, 2.0);
  ASSERT_EQ(groma_memory_loaded_latency(some.get(), 1, 0.0, &found), GROMA_OK);
  EXPECT_EQ(found.value, 1.0);
  EXPECT_EQ(groma_memory_loaded_latency(some.get(), 1, 4e9, &found), GROMA_NOT_FOUND);
  EXPECT_EQ(groma_memory_loaded_latency(some.get(), 2, 1e9, &found), GROMA_BAD_ARGUMENT);
  EXPECT_EQ(groma_memory_loaded_latency(some.get(), 1, -1.0, &found), GROMA_BAD_ARGUMENT);
  EXPECT_EQ(groma_memory_read_fraction_count(parsed("{}").get(), &count), GROMA_NOT_FOUND);
}

TEST_F(Node, KnowsNoLatencyUnderMoreLoadThanMemoryDelivered) {
  const ProfilePointer some =
      parsed(R"({"node": {"memory": {"loaded_latency": [{"read_fraction": 1,
      "bandwidth": )" +
             quantity(0.25, "B/s") + R"(, "latency": )" + quantity(1) + R"(},
      {"read_fraction": 1, "bandwidth": )" +
             quantity(41028270117.5, "B/s") + R"(, "latency": )" + quantity(3) + "}]}}}");
  EXPECT_EQ(groma_memory_loaded_latency(some.get(), 0, 41028270117.75, &found), GROMA_NOT_FOUND);
  ASSERT_EQ(groma_memory_loaded_latency(some.get(), 0, 41028270117.5, &found), GROMA_OK);
  EXPECT_EQ(found.value, 3.0);
  EXPECT_STREQ(found.method, "given");
  ASSERT_EQ(groma_memory_loaded_latency(some.get(), 0, 0.125, &found), GROMA_OK);
  EXPECT_EQ(found.value, 1.0);
  EXPECT_EQ(groma_memory_loaded_latency(some.get(), 0, std::numeric_limits<double>::infinity(), &found),
            GROMA_NOT_FOUND);
}

TEST_F(Node, TellsContentionFromNoContentionAndFromNotMeasured) {
  ASSERT_EQ(groma_memory_latency(profile, &found), GROMA_OK);
  ASSERT_EQ(groma_memory_contention_group_count(profile, &count), GROMA_OK);
  EXPECT_EQ(count, 2U);
  ASSERT_EQ(groma_memory_contention_group(profile, 1, &cores), GROMA_OK);
  EXPECT_EQ(ids(cores), (std::vector{4, 5, 6, 7}));
  ASSERT_EQ(groma_memory_contention_group_count(opened("example-cluster.json").get(), &count), GROMA_OK);
  EXPECT_EQ(count, 0U);
  EXPECT_EQ(groma_memory_contention_group_count(parsed("{}").get(), &count), GROMA_NOT_FOUND);
}

TEST_F(Node, HasNumaTimesRatiosAndDeclaredDistances) {
  const char* over = nullptr;
  ASSERT_EQ(groma_numa_places(profile, &over, &cores), GROMA_OK);
  EXPECT_STREQ(over, "numa");
  EXPECT_EQ(ids(cores), (std::vector{0, 1}));
  groma_quantity far{};
  ASSERT_EQ(groma_numa_time(profile, "random", 0, 0, &found), GROMA_OK);
  ASSERT_EQ(groma_numa_time(profile, "random", 0, 1, &far), GROMA_OK);
  EXPECT_GT(far.low, found.high);
  ASSERT_EQ(groma_numa_time(profile, "ping_back.owner_back", 0, 1, &found), GROMA_OK);
  EXPECT_EQ(groma_numa_time(profile, "ping_back.owner_back", 0, 0, &found), GROMA_NOT_FOUND);
  EXPECT_EQ(groma_numa_time(profile, "no_experiment", 0, 1, &found), GROMA_NOT_FOUND);
  ASSERT_EQ(groma_numa_ratio(profile, 1, 0, &found), GROMA_OK);
  EXPECT_GT(found.low, 1.5);
  ASSERT_EQ(groma_numa_block(profile, "random", &count), GROMA_OK);
  EXPECT_EQ(count, std::size_t{64} << 20U);
  ASSERT_EQ(groma_numa_block(profile, "ping_back.owner_first", &count), GROMA_OK);
  EXPECT_EQ(groma_numa_block(profile, "no_experiment", &count), GROMA_NOT_FOUND);
  double distance = 0.0;
  ASSERT_EQ(groma_numa_declared_distance(profile, 0, 1, &distance), GROMA_OK);
  EXPECT_EQ(distance, 21.0);
  EXPECT_EQ(groma_numa_declared_distance(profile, 0, 2, &distance), GROMA_NOT_FOUND);
}

TEST_F(Node, HasTheLatencyOfTwoCoresInBothDirections) {
  groma_quantity back{};
  ASSERT_EQ(groma_core_to_core_latency(profile, 1, 6, &found), GROMA_OK);
  ASSERT_EQ(groma_core_to_core_latency(profile, 6, 1, &back), GROMA_OK);
  EXPECT_EQ(found.value, back.value);
  EXPECT_EQ(groma_core_to_core_latency(profile, 3, 3, &found), GROMA_BAD_ARGUMENT);
  EXPECT_EQ(groma_core_to_core_latency(profile, 0, 8, &found), GROMA_NOT_FOUND);
}

TEST_F(Node, ReadsMatricesThatHoldTheirMeasuredEntriesAlone) {
  const ProfilePointer large =
      parsed(R"({"node": {"core_to_core": {"cores": [4, 5, 6], "latency": [], "sparse":
      {"latency": {"unit": "s", "method": "m", "row": [2, 0], "column": [0, 1], "value": [3e-8, 1e-8],
      "low": [3e-8, 1e-8], "high": [3e-8, 1e-8], "confidence": [0.9, 0.9], "samples": [5, 5]}}}}})");
  ASSERT_EQ(groma_core_to_core_latency(large.get(), 5, 4, &found), GROMA_OK);
  EXPECT_EQ(found.value, 1e-8);
  ASSERT_EQ(groma_core_to_core_latency(large.get(), 4, 6, &found), GROMA_OK);
  EXPECT_EQ(found.value, 3e-8);
  EXPECT_EQ(groma_core_to_core_latency(large.get(), 5, 6, &found), GROMA_NOT_FOUND);
}

/// A list of `count` entries.
std::string repeated(const std::string& entry, std::size_t count) {
  std::string text = "[" + entry;
  for (std::size_t i = 1; i < count; ++i) text += "," + entry;
  return text + "]";
}

/// Processor time that it takes to open a profile.
double seconds_to_open(const std::string& facts) {
  const std::clock_t start = std::clock();
  EXPECT_NE(parsed(facts), nullptr);
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

/// Nested entries have no fixed place in a list.
TEST(Opening, OfADamagedMatrixTakesNoLongerThanOfAWholeOne) {
  constexpr std::size_t entries = 30'000;
  const auto matrix = [](const std::string& row) {
    std::string text =
        R"({"node": {"core_to_core": {"sparse": {"latency": {"unit": "s", "method": "m", "row": )";
    text += repeated(row, entries);
    for (const char* key : {"column", "value", "low", "high", "confidence"})
      text += std::string(", \"") + key + "\": " + repeated("1", entries);
    return text + "}}}}}";
  };
  EXPECT_LT(seconds_to_open(matrix("[1]")), 10.0 * seconds_to_open(matrix("1")));
}

TEST(Opening, OfManyRanksTakesNoLongerWhereANodeHasManyCores) {
  const auto ranks_on = [](int cores) {
    std::string text = R"({"node": {"cores": [)";
    for (int core = 0; core < cores; ++core) {
      const std::string number = std::to_string(core);
      text += (core == 0 ? "" : ",") + (R"({"logical": )" + number) + R"(, "physical": )" + number + "}";
    }
    return text + R"(]}, "network": {"launches": [{"probes": ["net_pairs"], "launch": {"placement": )" +
           repeated(R"({"rank": 0, "host": "a", "cpus": )" + repeated("1000", 500) + "}", 500) + "}}]}}";
  };
  EXPECT_LT(seconds_to_open(ranks_on(1000)), 10.0 * seconds_to_open(ranks_on(1)));
}

TEST_F(Node, KnowsNothingOfAnEmptyProfileAndLeavesOutputsAlone) {
  const ProfilePointer empty = parsed("{}");
  found.value = 42.0;
  count = 7;
  std::size_t layer = 3;
  const groma_profile* none = empty.get();
  EXPECT_EQ(groma_core_count(none, &count), GROMA_NOT_FOUND);
  EXPECT_EQ(groma_core_frequency(none, &found), GROMA_NOT_FOUND);
  EXPECT_EQ(groma_cache_count(none, &count), GROMA_NOT_FOUND);
  EXPECT_EQ(groma_cache_size(none, 1, &found), GROMA_NOT_FOUND);
  EXPECT_EQ(groma_memory_latency(none, &found), GROMA_NOT_FOUND);
  EXPECT_EQ(groma_memory_bandwidth(none, "triad", 1, &found), GROMA_NOT_FOUND);
  EXPECT_EQ(groma_numa_places(none, nullptr, nullptr), GROMA_NOT_FOUND);
  EXPECT_EQ(groma_numa_ratio(none, 0, 1, &found), GROMA_NOT_FOUND);
  EXPECT_EQ(groma_core_to_core_latency(none, 0, 1, &found), GROMA_NOT_FOUND);
  EXPECT_EQ(groma_layer_count(none, &count), GROMA_NOT_FOUND);
  EXPECT_EQ(groma_layer_time(none, 0, 8, &found), GROMA_NOT_FOUND);
  EXPECT_EQ(groma_layer_between(none, {0, 0}, {0, 1}, &layer), GROMA_NOT_FOUND);
  EXPECT_EQ(groma_network_distance_count(none, &count), GROMA_NOT_FOUND);
  EXPECT_EQ(groma_network_access_ratio(none, 1, &found), GROMA_NOT_FOUND);
  groma_place place{};
  EXPECT_EQ(groma_mapping(none, GROMA_MEMORY_BOUND, 1, 1, &place), GROMA_NOT_FOUND);
  EXPECT_EQ(found.value, 42.0);
  EXPECT_EQ(count, 7U);
  EXPECT_EQ(layer, 3U);
}

TEST_F(Node, TakesFactsOfAnotherFormForNotMeasured) {
  const ProfilePointer odd = parsed(
      R"({"node": {"caches": {"size": 3}, "cores": [{"logical": -1, "physical": 0}, 7], "memory": [1],
      "core_to_core": {"cores": ["a"], "latency": 3}, "numa": "x"}, "network": {"layers": [null],
      "launches": 7, "distance": {"ratio": 5}}})");
  EXPECT_EQ(groma_core_count(odd.get(), &count), GROMA_NOT_FOUND);
  EXPECT_EQ(groma_cache_count(odd.get(), &count), GROMA_NOT_FOUND);
  EXPECT_EQ(groma_memory_latency(odd.get(), &found), GROMA_NOT_FOUND);
  EXPECT_EQ(groma_layer_latency(odd.get(), 0, &found), GROMA_NOT_FOUND);
  EXPECT_EQ(groma_network_distance_ratio(odd.get(), 1, &found), GROMA_NOT_FOUND);
}

class Cluster : public ::testing::Test {
 protected:
  ProfilePointer owner = opened("example-cluster.json");
  const groma_profile* profile = owner.get();
  groma_quantity found{};
  std::size_t layer = 99;
};

TEST_F(Cluster, InterpolatesTheTimeOfAMessage) {
  groma_quantity small{};
  groma_quantity large{};
  ASSERT_EQ(groma_layer_time(profile, 1, 4096, &small), GROMA_OK);
  ASSERT_EQ(groma_layer_time(profile, 1, 32768, &large), GROMA_OK);
  ASSERT_EQ(groma_layer_time(profile, 1, (4096 + 32768) / 2, &found), GROMA_OK);
  EXPECT_DOUBLE_EQ(found.value, (small.value + large.value) / 2);
  EXPECT_DOUBLE_EQ(found.low, (small.low + large.low) / 2);
  ASSERT_EQ(groma_layer_time(profile, 1, 32U << 20U, &found), GROMA_OK);
  EXPECT_NEAR(found.value, 1.9e-6 + (32 << 20) / 2.6e9, 1e-5);
  EXPECT_NE(std::string(found.method).find("extrapolated"), std::string::npos);
  EXPECT_EQ(groma_layer_time(profile, 2, 8, &found), GROMA_BAD_ARGUMENT);
}

TEST_F(Cluster, IsNoSurerOfALongMessageThanOfTheBandwidthOfItsLayer) {
  for (const double sure : {0.0, 0.5, 0.99}) {
    const ProfilePointer some =
        parsed(R"({"network": {"layers": [{"name": "x", "bandwidth": )" + quantity(10, "B/s", sure) +
               R"(, "curve": [{"bytes": 8, "time": )" + quantity(1) + "}]}]}}");
    ASSERT_EQ(groma_layer_time(some.get(), 0, 9, &found), GROMA_OK);
    EXPECT_EQ(found.confidence, std::min(sure, 0.9));
    ASSERT_EQ(groma_layer_time(some.get(), 0, 8, &found), GROMA_OK);
    EXPECT_EQ(found.confidence, 0.9);
  }
}

TEST_F(Cluster, KnowsTheLayerOfTwoPlaces) {
  const char* name = nullptr;
  ASSERT_EQ(groma_layer_between(profile, {0, 3}, {0, 30}, &layer), GROMA_OK);
  ASSERT_EQ(groma_layer_name(profile, layer, &name), GROMA_OK);
  EXPECT_STREQ(name, "same node");
  ASSERT_EQ(groma_layer_between(profile, {1, 3}, {0, 3}, &layer), GROMA_OK);
  ASSERT_EQ(groma_layer_name(profile, layer, &name), GROMA_OK);
  EXPECT_STREQ(name, "between nodes");
  ASSERT_EQ(groma_layer_between(profile, {7, 3}, {100, 3}, &layer), GROMA_OK);
  EXPECT_EQ(layer, 1U);
  ASSERT_EQ(groma_layer_between(profile, {7, 3}, {7, 4}, &layer), GROMA_OK);
  EXPECT_EQ(layer, 0U);
  EXPECT_EQ(groma_layer_between(profile, {0, 3}, {0, 3}, &layer), GROMA_BAD_ARGUMENT);
  EXPECT_EQ(groma_layer_between(profile, {0, -1}, {0, 3}, &layer), GROMA_BAD_ARGUMENT);
}

TEST_F(Cluster, FindsTheLayersOfPairsOfCoresByTheirLogicalNumbers) {
  // Cores 0 and 1 of the kernel are cores 0 and 16 of groma: the fast pair.
  const std::string pair =
      R"({"node": {"cores": [{"logical": 0, "physical": 0}, {"logical": 8, "physical": 2},
      {"logical": 16, "physical": 1}]}, "network": {"layers": [{"name": "near", "latency": null, "pairs": [[0, 1]]},
      {"name": "far", "pairs": [[0, 2], [1, 2]]}], "launches": [{"probes": ["net_pairs"], "launch": {"placement":
      [{"rank": 0, "host": "a", "cpus": [0]}, {"rank": 1, "host": "a", "cpus": [1]},
       {"rank": 2, "host": "a", "cpus": [2]}, {"rank": 900, "host": "b", "cpus": [2]}]}}]}})";
  const ProfilePointer small = parsed(pair);
  ASSERT_EQ(groma_layer_between(small.get(), {0, 0}, {0, 16}, &layer), GROMA_OK);
  EXPECT_EQ(layer, 0U);
  ASSERT_EQ(groma_layer_between(small.get(), {5, 16}, {5, 0}, &layer), GROMA_OK);
  EXPECT_EQ(layer, 0U);
  ASSERT_EQ(groma_layer_between(small.get(), {0, 0}, {0, 8}, &layer), GROMA_OK);
  EXPECT_EQ(layer, 1U);
  EXPECT_EQ(groma_layer_between(small.get(), {0, 0}, {1, 8}, &layer), GROMA_NOT_FOUND);
  EXPECT_EQ(groma_layer_latency(small.get(), 0, &found), GROMA_NOT_FOUND);
}

TEST_F(Cluster, GivesTimeAndBandwidthBetweenPlaces) {
  groma_quantity time{};
  ASSERT_EQ(groma_message_time(profile, {0, 0}, {1, 0}, 2097152, &time), GROMA_OK);
  ASSERT_EQ(groma_message_bandwidth(profile, {0, 0}, {1, 0}, 2097152, &found), GROMA_OK);
  EXPECT_DOUBLE_EQ(found.value, 2097152 / time.value);
  EXPECT_LT(found.low, found.value);
  EXPECT_GT(found.high, found.value);
  EXPECT_EQ(groma_message_bandwidth(profile, {0, 0}, {1, 0}, 0, &found), GROMA_BAD_ARGUMENT);
}

TEST_F(Cluster, TellsHowManyRatiosWereMeasured) {
  std::size_t count = 0;
  ASSERT_EQ(groma_network_distance_count(profile, &count), GROMA_OK);
  EXPECT_EQ(count, 8U);
  ASSERT_EQ(groma_network_access_count(profile, &count), GROMA_OK);
  EXPECT_EQ(count, 32U);
  EXPECT_EQ(groma_network_access_ratio(profile, 3, &found), GROMA_NOT_FOUND);
}

std::vector<groma_place> mapping(const groma_profile* profile, groma_code_class code, std::size_t nodes,
                                 std::size_t processes) {
  std::vector<groma_place> places(processes);
  EXPECT_EQ(groma_mapping(profile, code, nodes, processes, places.data()), GROMA_OK) << groma_last_error();
  return places;
}

/// The largest number of processes that share an instance of `cores` neighbouring cores.
int fullest(const std::vector<groma_place>& places, int cores) {
  std::map<std::pair<int, int>, int> counts;
  int most = 0;
  for (const auto& place : places) most = std::max(most, ++counts[{place.node, place.core / cores}]);
  return most;
}

constexpr int kL2 = 2;
constexpr int kL3 = 8;
constexpr int kPackage = 16;
constexpr int kNode = 32;

TEST_F(Cluster, MapsOneProcessToAPackageThenOneToAnL3AsSection62Says) {
  constexpr std::size_t kNodes = 16;
  const auto first = mapping(profile, GROMA_COMMUNICATION_INTENSIVE, kNodes, 2 * kNodes);
  EXPECT_EQ(fullest(first, kPackage), 1);
  EXPECT_EQ(fullest(first, kNode), 2);
  const auto second = mapping(profile, GROMA_COMMUNICATION_INTENSIVE, kNodes, 4 * kNodes);
  EXPECT_EQ(fullest(second, kL3), 1);
  EXPECT_EQ(fullest(second, kPackage), 2);
  const auto third = mapping(profile, GROMA_COMMUNICATION_INTENSIVE, kNodes, 8 * kNodes);
  EXPECT_EQ(fullest(third, kL2), 1);
  EXPECT_EQ(fullest(third, kL3), 2);
}

TEST_F(Cluster, GivesEachProcessACoreOfItsOwn) {
  for (const auto code : {GROMA_MEMORY_BOUND, GROMA_COMMUNICATION_INTENSIVE}) {
    const auto places = mapping(profile, code, 3, 96);
    EXPECT_EQ(fullest(places, 1), 1);
    EXPECT_EQ(fullest(places, kNode), 32);
  }
}

TEST_F(Cluster, PacksANodeWithoutDisturbanceOnTheNetworkAsTheSchedulerDoes) {
  const ProfilePointer quiet =
      parsed(R"({"node": {"cores": [{"logical": 0, "physical": 0}, {"logical": 1,
      "physical": 1}], "caches": [{"level": 1, "shared_by": [[0, 1]]}]}, "network": {"layers":
      [{"name": "in", "latency": )" +
             quantity(1) + R"(, "pairs": [[0, 1]]}, {"name": "out", "latency": )" + quantity(9) +
             R"(, "pairs": [[0, 2]]}], "access": {"ratio": [)" + quantity(1) + "," + quantity(1.4) +
             R"(]}, "launches": [{"probes": ["net_pairs"], "launch": {"placement": [
      {"rank": 0, "host": "a", "cpus": [0]}, {"rank": 1, "host": "a", "cpus": [1]},
      {"rank": 2, "host": "b", "cpus": [0]}]}}]}})");
  const auto talking = mapping(quiet.get(), GROMA_COMMUNICATION_INTENSIVE, 2, 2);
  EXPECT_EQ(talking[1].node, 0);
  const auto streaming = mapping(quiet.get(), GROMA_MEMORY_BOUND, 2, 2);
  EXPECT_EQ(streaming[1].node, 1);
}

TEST_F(Cluster, RefusesMoreProcessesThanCores) {
  groma_place place{};
  EXPECT_EQ(groma_mapping(profile, GROMA_MEMORY_BOUND, 2, 65, &place), GROMA_BAD_ARGUMENT);
  EXPECT_NE(std::string(groma_last_error()).find("65 processes on 2 nodes of 32 cores"), std::string::npos);
  EXPECT_EQ(groma_mapping(profile, GROMA_MEMORY_BOUND, 0, 1, &place), GROMA_BAD_ARGUMENT);
  EXPECT_EQ(groma_mapping(profile, GROMA_MEMORY_BOUND, 1, 0, &place), GROMA_BAD_ARGUMENT);
}

TEST_F(Cluster, UsesNoMoreMemoryForNodesThatNobodyNeeds) {
  constexpr auto kEndless = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(mapping(profile, GROMA_COMMUNICATION_INTENSIVE, kEndless, 3)[2].node, 1);
}

TEST_F(Cluster, LeavesOutCoresThatTheSurveyMightNotUse) {
  const ProfilePointer few = parsed(R"({"node": {"cores": [{"logical": 0, "physical": 0}, {"logical": 1,
      "physical": 1}, {"logical": 2, "physical": 2}]}, "declared": {"allowed": [2, 1]}})");
  const auto places = mapping(few.get(), GROMA_MEMORY_BOUND, 1, 2);
  EXPECT_EQ(places[0].core, 1);
  EXPECT_EQ(places[1].core, 2);
}

/// Sets variables and puts them back.
class DefaultPath : public ::testing::Test {
 protected:
  void set(const char* name, const std::string& value) {
    const char* before = std::getenv(name);
    if (!before_.contains(name)) before_[name] = before == nullptr ? "" : before;
    ::setenv(name, value.c_str(), 1);
  }
  void SetUp() override {
    for (const char* name : {"GROMA_PROFILE", "XDG_DATA_HOME", "XDG_DATA_DIRS", "HOME"}) set(name, "");
    folder = std::filesystem::path(::testing::TempDir()) / ("groma-default-" + std::to_string(::getpid()));
  }
  void TearDown() override {
    for (const auto& [name, value] : before_) ::setenv(name.c_str(), value.c_str(), 1);
    std::filesystem::remove_all(folder);
  }
  static std::string path() {
    std::vector<char> room(4096);
    EXPECT_EQ(groma_profile_default_path(room.data(), room.size()), GROMA_OK) << groma_last_error();
    return room.data();
  }
  void install(const std::filesystem::path& where) {
    std::filesystem::create_directories(where / "groma");
    std::filesystem::copy_file(GROMA_MADE_DATA "/example-cluster.json", where / "groma/profile.json");
  }
  std::filesystem::path folder;

 private:
  std::map<std::string, std::string> before_;
};

TEST_F(DefaultPath, IsTheVariableThenTheUserThenTheSite) {
  set("HOME", folder / "home");
  EXPECT_EQ(path(), folder / "home/.local/share/groma/profile.json");
  set("XDG_DATA_DIRS", "relative:" + (folder / "site").string());
  install(folder / "site");
  EXPECT_EQ(path(), folder / "site/groma/profile.json");
  set("XDG_DATA_HOME", folder / "data");
  install(folder / "data");
  EXPECT_EQ(path(), folder / "data/groma/profile.json");
  set("GROMA_PROFILE", "here.json");
  EXPECT_EQ(path(), "here.json");
}

TEST_F(DefaultPath, IsOpenedAndOtherwiseTheErrorSaysHowToGetOne) {
  groma_profile* profile = nullptr;
  EXPECT_EQ(groma_profile_open_default(&profile), GROMA_CANNOT_READ);
  EXPECT_NE(std::string(groma_last_error()).find("groma survey --default"), std::string::npos);
  set("XDG_DATA_HOME", folder);
  install(folder);
  ASSERT_EQ(groma_profile_open_default(&profile), GROMA_OK) << groma_last_error();
  groma_profile_close(profile);
  EXPECT_EQ(groma_profile_open_default(nullptr), GROMA_BAD_ARGUMENT);
}

TEST_F(DefaultPath, RefusesAPlaceThatIsTooSmall) {
  set("GROMA_PROFILE", "123456789");
  std::vector<char> room(10);
  EXPECT_EQ(groma_profile_default_path(room.data(), 10), GROMA_OK);
  EXPECT_EQ(groma_profile_default_path(room.data(), 9), GROMA_BAD_ARGUMENT);
  EXPECT_EQ(groma_profile_default_path(nullptr, 9), GROMA_BAD_ARGUMENT);
}

}  // namespace
