// Whatever /sys says, reading it ends, and what comes out is consistent.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/topology.hpp"
#include "testing/fakes.hpp"
#include "testing/topology_fakes.hpp"

namespace groma {
namespace {

namespace fs = std::filesystem;

/// Two packages with two nodes of two cores with two threads; every kind of file is there.
Topology small_machine() {
  Topology machine;
  for (std::uint32_t i = 0; i < 16; ++i) {
    const std::uint32_t core = i / 2;
    machine.cores.push_back(
        {LogicalCore(i), PhysicalCore(core + (i % 2) * 8), core, core / 4, NumaNode(core / 2)});
  }
  for (std::uint32_t node = 0; node < 4; ++node) {
    std::vector<LogicalCore> cores;
    for (std::uint32_t i = 0; i < 4; ++i) cores.emplace_back(node * 4 + i);
    machine.caches.push_back({3, "unified", 8_MiB, Bytes(64), 16, cores});
    machine.numa.push_back({NumaNode(node), node, Bytes(1024_MiB), Bytes(16_MiB), cores});
    machine.distances.push_back({20, 20, 20, 20});
    machine.distances.back()[node] = 10;
  }
  return machine;
}

void expect_ids_in_range(const std::vector<LogicalCore>& cores, const Topology& topology) {
  for (const LogicalCore core : cores) EXPECT_LT(core.number(), topology.cores.size());
}

void expect_consistent(const Topology& topology) {
  ASSERT_FALSE(topology.cores.empty());
  ASSERT_FALSE(topology.numa.empty());
  ASSERT_FALSE(topology.allowed.empty());
  std::set<PhysicalCore> physical;
  for (std::size_t i = 0; i < topology.cores.size(); ++i) {
    EXPECT_EQ(topology.cores[i].logical.number(), i);
    EXPECT_TRUE(physical.insert(topology.cores[i].physical).second) << "a CPU stands there twice";
    EXPECT_LT(topology.cores[i].numa.number(), topology.numa.size());
  }
  std::set<LogicalCore> local;
  for (const TopologyNuma& node : topology.numa) {
    expect_ids_in_range(node.cores, topology);
    for (const LogicalCore core : node.cores) {
      EXPECT_TRUE(local.insert(core).second) << "every core has one home";
      EXPECT_EQ(topology.cores[core.number()].numa, node.logical);
    }
  }
  EXPECT_FALSE(local.empty());
  for (const TopologyCore& core : topology.cores) {
    EXPECT_TRUE(local.contains(core.logical) || core.numa == NumaNode(0));
  }
  for (const TopologyCache& cache : topology.caches) {
    EXPECT_FALSE(cache.cores.empty());
    EXPECT_LE(cache.level, 8U);
    expect_ids_in_range(cache.cores, topology);
  }
  expect_ids_in_range(topology.allowed, topology);
  expect_ids_in_range(topology.forbidden, topology);
  for (const auto& row : topology.distances) EXPECT_EQ(row.size(), topology.numa.size());
  EXPECT_FALSE(to_json(topology).text().empty());
}

std::vector<fs::path> files_of(const fake::Tree& tree) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(tree.root())) {
    if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), tree.root()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

void expect_consistent_with(const fake::Tree& tree) {
  expect_consistent(topology_from_sysfs(tree.root(), {}));
  expect_consistent(topology_from_sysfs(tree.root(), {PhysicalCore(0), PhysicalCore(9)}));
}

constexpr std::array kGarbage = {"",
                                 "\n",
                                 "0",
                                 "-1",
                                 "4294967295",
                                 "99999999999999999999",
                                 "0-65535",
                                 "3-1",
                                 "0-",
                                 "-",
                                 ",",
                                 ",,,0",
                                 "0x10",
                                 "1e9",
                                 "K",
                                 "0K",
                                 "18446744073709551615G",
                                 "Unified",
                                 "MemTotal:",
                                 "MemTotal: kB",
                                 "MemTotal: -5 kB",
                                 "1 2 3 4",
                                 "0,0,0,1-1",
                                 "\xff\xfe"};

TEST(SysfsRobustness, EveryFileMayHoldGarbage) {
  for (const char* const text : kGarbage) {
    SCOPED_TRACE(text);
    const fake::Tree tree;
    fake::write_sysfs(tree, small_machine());
    for (const fs::path& file : files_of(tree)) tree.write(file, text);
    expect_consistent_with(tree);
  }
}

TEST(SysfsRobustness, AnyFileMayBeMissingOrAFolder) {
  const fake::Tree tree;
  fake::write_sysfs(tree, small_machine());
  for (const fs::path& file : files_of(tree)) {
    const std::string name = file.string();
    if (name.find("cpu0/") == std::string::npos && name.find("cpu") != std::string::npos) continue;
    const std::string content = (std::ostringstream() << std::ifstream(tree.root() + name).rdbuf()).str();
    tree.remove(file);
    expect_consistent_with(tree);
    fs::create_directory(tree.root() + name);
    expect_consistent_with(tree);
    tree.remove(file).write(file, content);
  }
}

std::string random_text(RandomStream& random) {
  static const std::string alphabet = "0123456789-,-, \nKMG:xaU\xff";
  std::string text;
  for (std::uint64_t left = random.below(12); left > 0; --left) {
    const char letter = alphabet[random.below(alphabet.size())];
    text += random.below(8) == 0 ? static_cast<char>(random.below(256)) : letter;
  }
  return text;
}

constexpr std::uint64_t kSeeds = 40;

TEST(SysfsRobustness, SomeFilesMayHoldRandomBytes) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed);
    const fake::Tree tree;
    fake::write_sysfs(tree, small_machine());
    for (const fs::path& file : files_of(tree)) {
      if (random.below(4) == 0) tree.write(file, random_text(random));
    }
    expect_consistent_with(tree);
  }
}

TEST(SysfsRobustness, ListsOfCpusMayContradictEachOther) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed);
    const fake::Tree tree;
    fake::write_sysfs(tree, small_machine());
    for (const fs::path& file : files_of(tree)) {
      const std::string low = std::to_string(random.below(16));
      if (file.string().ends_with("list")) tree.write(file, low + "," + std::to_string(random.below(20)));
    }
    expect_consistent_with(tree);
  }
}

}  // namespace
}  // namespace groma
