#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/topology.hpp"
#include "testing/fakes.hpp"

namespace groma {
namespace {

const std::string kCpus = "sys/devices/system/cpu/";
const std::string kNodes = "sys/devices/system/node/";

std::vector<PhysicalCore> cpus(std::initializer_list<std::uint32_t> numbers) {
  return {numbers.begin(), numbers.end()};
}

std::vector<std::uint32_t> numbers(const std::vector<LogicalCore>& cores) {
  std::vector<std::uint32_t> all;
  for (const LogicalCore core : cores) all.push_back(core.number());
  return all;
}

using Numbers = std::vector<std::uint32_t>;

Numbers physical_order(const Topology& topology) {
  Numbers order;
  for (const TopologyCore& core : topology.cores) order.push_back(core.physical.number());
  return order;
}

class Sysfs : public ::testing::Test {
 protected:
  void write_cpu(const std::string& cpu, const std::string& core_cpus, const std::string& package_cpus) {
    tree.write(kCpus + "cpu" + cpu + "/topology/core_cpus_list", core_cpus);
    tree.write(kCpus + "cpu" + cpu + "/topology/package_cpus_list", package_cpus);
  }
  void write_cache(const std::string& cpu, const std::string& index, const std::string& level,
                   const std::string& type, const std::string& size, const std::string& shared) {
    const std::string folder = kCpus + "cpu" + cpu + "/cache/index" + index + "/";
    tree.write(folder + "level", level).write(folder + "type", type).write(folder + "size", size);
    tree.write(folder + "shared_cpu_list", shared);
  }
  [[nodiscard]] Topology read(const std::vector<PhysicalCore>& allowed = {}) const {
    return topology_from_sysfs(tree.root(), allowed);
  }
  fake::Tree tree;
};

TEST_F(Sysfs, HiddenLeavesOneCorePerAllowedCpu) {
  const Topology topology = read(cpus({2, 5}));
  EXPECT_EQ(topology.source, "affinity mask only");
  EXPECT_EQ(physical_order(topology), (Numbers{2, 5}));
  EXPECT_NE(topology.cores[0].core, topology.cores[1].core);
  EXPECT_TRUE(topology.caches.empty());
  ASSERT_EQ(topology.numa.size(), 1U);
  EXPECT_EQ(numbers(topology.numa[0].cores), (Numbers{0, 1}));
  EXPECT_EQ(numbers(topology.allowed), (Numbers{0, 1}));
}

TEST_F(Sysfs, AndHiddenAffinityStillLeaveOneCore) {
  const Topology topology = read();
  EXPECT_EQ(physical_order(topology), (Numbers{0}));
  EXPECT_EQ(numbers(topology.allowed), (Numbers{0}));
}

TEST_F(Sysfs, ThatSpeaksOfOtherCpusIsNotBelieved) {
  tree.write(kCpus + "online", "0-3\n");
  EXPECT_EQ(read(cpus({8})).source, "affinity mask only");
}

TEST_F(Sysfs, NumbersTheThreadsOfACoreNextToEachOther) {
  tree.write(kCpus + "online", "0-3\n");
  write_cpu("0", "0,2", "0-3");
  write_cpu("1", "1,3", "0-3");
  write_cpu("2", "0,2", "0-3");
  write_cpu("3", "1,3", "0-3");
  const Topology topology = read();
  EXPECT_EQ(physical_order(topology), (Numbers{0, 2, 1, 3}));
  EXPECT_EQ(topology.cores[1].core, topology.cores[0].core);
  EXPECT_EQ(topology.cores[2].core, 1U);
  EXPECT_EQ(topology.source, "sysfs");
}

TEST_F(Sysfs, OfOldKernelsNamesSiblingsOtherwise) {
  tree.write(kCpus + "online", "0-1\n");
  for (const char* cpu : {"cpu0", "cpu1"}) {
    tree.write(kCpus + cpu + "/topology/thread_siblings_list", "0-1");
    tree.write(kCpus + cpu + "/topology/core_siblings_list", "0-1");
  }
  const Topology topology = read();
  EXPECT_EQ(topology.cores[0].core, topology.cores[1].core);
}

TEST_F(Sysfs, WithoutListsIsReadFromMasks) {
  tree.write(kCpus + "online", "0-1,32-33\n");
  for (const std::string cpu : {"0", "1", "32", "33"}) {
    const std::string pair = cpu.size() == 1 ? "00000003\n" : "00000003,00000000\n";
    tree.write(kCpus + "cpu" + cpu + "/topology/thread_siblings", pair);
    write_cache(cpu, "0", "1", "Data", "32K", "");
    tree.write(kCpus + "cpu" + cpu + "/cache/index0/shared_cpu_map", pair);
  }
  tree.write(kNodes + "node0/cpumap", "00000003").write(kNodes + "node8/cpumap", "3,00000000");
  const Topology topology = read();
  ASSERT_EQ(topology.caches.size(), 2U);
  EXPECT_EQ(numbers(topology.caches[1].cores), (Numbers{2, 3}));
  EXPECT_EQ(topology.cores[1].core, topology.cores[0].core);
  ASSERT_EQ(topology.numa.size(), 2U);
  EXPECT_EQ(numbers(topology.numa[1].cores), (Numbers{2, 3}));
}

TEST_F(Sysfs, MasksThatAreNoneAreNotDeclared) {
  tree.write(kCpus + "online", "0-3\n");
  for (const char* const nonsense : {"", ",", "xyz", "1ffffffff", "f,", "-1", "3;4"}) {
    write_cache("0", "0", "1", "Data", "32K", "");
    tree.write(kCpus + "cpu0/cache/index0/shared_cpu_map", nonsense);
    EXPECT_EQ(numbers(read().caches.at(0).cores), (Numbers{0})) << nonsense;
  }
}

TEST_F(Sysfs, OrdersDieBeforeCoreAndPackageBeforeDie) {
  tree.write(kCpus + "online", "0-7\n");
  const auto write = [&](const std::string& cpu, const std::string& die, const std::string& package) {
    write_cpu(cpu, cpu, package);
    tree.write(kCpus + "cpu" + cpu + "/topology/die_cpus_list", die);
  };
  for (const char* cpu : {"0", "4"}) write(cpu, "0,4", "0,2,4,6");
  for (const char* cpu : {"2", "6"}) write(cpu, "2,6", "0,2,4,6");
  for (const char* cpu : {"1", "5"}) write(cpu, "1,5", "1,3,5,7");
  for (const char* cpu : {"3", "7"}) write(cpu, "3,7", "1,3,5,7");
  EXPECT_EQ(physical_order(read()), (Numbers{0, 4, 2, 6, 1, 5, 3, 7}));
}

TEST_F(Sysfs, LeavesOutCoresThatAreOffline) {
  tree.write(kCpus + "online", "0,2-3\n");
  for (const char* cpu : {"0", "1", "2", "3"}) write_cpu(cpu, cpu, "0-3");
  const Topology topology = read(cpus({0, 1, 2}));
  EXPECT_EQ(physical_order(topology), (Numbers{0, 2, 3}));
  EXPECT_EQ(numbers(topology.allowed), (Numbers{0, 1}));
}

TEST_F(Sysfs, CountsFoldersWhereTheListOfOnlineCpusIsMissing) {
  for (const char* cpu : {"0", "1", "2"}) write_cpu(cpu, cpu, "0-2");
  tree.write(kCpus + "cpufreq/boost", "1").write(kCpus + "cpuidle/current_driver", "none");
  EXPECT_EQ(physical_order(read()), (Numbers{0, 1, 2}));
}

TEST_F(Sysfs, MayHaveNoTopologyFolders) {
  tree.write(kCpus + "online", "0-1\n");
  const Topology topology = read();
  EXPECT_NE(topology.cores[0].core, topology.cores[1].core);
  EXPECT_EQ(topology.cores[0].package, topology.cores[1].package);
}

TEST_F(Sysfs, DescribesCoresOfTwoKinds) {
  // Two fast cores with two threads each, four slow ones that share a cache.
  tree.write(kCpus + "online", "0-7\n");
  for (const char* cpu : {"0", "1"}) write_cpu(cpu, "0-1", "0-7");
  for (const char* cpu : {"2", "3"}) write_cpu(cpu, "2-3", "0-7");
  for (const char* cpu : {"4", "5", "6", "7"}) write_cpu(cpu, cpu, "0-7");
  for (const char* cpu : {"0", "1"}) write_cache(cpu, "2", "2", "Unified", "2048K", "0-1");
  for (const char* cpu : {"2", "3"}) write_cache(cpu, "2", "2", "Unified", "2048K", "2-3");
  for (const char* cpu : {"4", "5", "6", "7"}) write_cache(cpu, "2", "2", "Unified", "4M", "4-7");
  const Topology topology = read();
  EXPECT_EQ(topology.cores.back().core, 5U);
  ASSERT_EQ(topology.caches.size(), 3U);
  EXPECT_EQ(topology.caches[1].size, 2_MiB);
  EXPECT_EQ(topology.caches[2].size, 4_MiB);
  EXPECT_EQ(numbers(topology.caches[2].cores), (Numbers{4, 5, 6, 7}));
}

TEST_F(Sysfs, KeepsCachesWhoseSizeIsNotDeclared) {
  tree.write(kCpus + "online", "0\n");
  write_cache("0", "0", "1", "Data", "", "0");
  write_cache("0", "1", "1", "Instruction", "0K", "0");
  const Topology topology = read();
  ASSERT_EQ(topology.caches.size(), 2U);
  EXPECT_EQ(topology.caches[0].size, std::nullopt);
  EXPECT_EQ(topology.caches[1].size, std::nullopt);
  EXPECT_EQ(topology.last_level_cache(), std::nullopt);
}

TEST_F(Sysfs, MultipliesTheFactorsOfASizeThatIsMissing) {
  tree.write(kCpus + "online", "0\n");
  write_cache("0", "0", "1", "Data", "", "0");
  const std::string folder = kCpus + "cpu0/cache/index0/";
  tree.write(folder + "number_of_sets", "64").write(folder + "ways_of_associativity", "8");
  tree.write(folder + "coherency_line_size", "64");
  const Topology topology = read();
  EXPECT_EQ(topology.caches[0].size, 32_KiB);
  EXPECT_EQ(topology.caches[0].ways, 8U);
  EXPECT_EQ(topology.caches[0].line, Bytes(64));
}

TEST_F(Sysfs, PutsMemoryWithoutCpusBehindTheOtherNodes) {
  tree.write(kCpus + "online", "0-3\n");
  for (const char* cpu : {"0", "1", "2", "3"}) write_cpu(cpu, cpu, "0-3");
  tree.write(kNodes + "node0/cpulist", "\n").write(kNodes + "node0/distance", "10 20 30\n");
  tree.write(kNodes + "node1/cpulist", "2-3\n").write(kNodes + "node1/distance", "20 10 25\n");
  tree.write(kNodes + "node4/cpulist", "0-1\n").write(kNodes + "node4/distance", "30 25 10\n");
  tree.write(kNodes + "node4/meminfo", "Node 4 MemTotal:  2048 kB\nNode 4 MemFree: 1 kB\n");
  const Topology topology = read();
  ASSERT_EQ(topology.numa.size(), 3U);
  EXPECT_EQ(topology.numa[0].physical, 4U);
  EXPECT_EQ(topology.numa[0].memory, 2_MiB);
  EXPECT_EQ(topology.numa[1].physical, 1U);
  EXPECT_EQ(topology.numa[1].memory, std::nullopt);
  EXPECT_EQ(topology.numa[2].physical, 0U);
  EXPECT_TRUE(topology.numa[2].cores.empty());
  EXPECT_EQ(topology.distances, (std::vector<std::vector<double>>{{10, 25, 30}, {25, 10, 20}, {30, 20, 10}}));
  EXPECT_EQ(topology.cores[2].numa, NumaNode(1));
}

TEST_F(Sysfs, HasNoDistancesUnlessTheyAreWhole) {
  tree.write(kCpus + "online", "0-1\n");
  tree.write(kNodes + "node0/cpulist", "0\n").write(kNodes + "node0/distance", "10 20\n");
  tree.write(kNodes + "node1/cpulist", "1\n");
  EXPECT_TRUE(read().distances.empty());
}

TEST_F(Sysfs, GivesCpusThatNoNodeClaimsAHomeWithoutCallingItLocal) {
  tree.write(kCpus + "online", "0-2\n").write(kNodes + "node0/cpulist", "1\n");
  const Topology topology = read();
  EXPECT_EQ(numbers(topology.numa[0].cores), (Numbers{1}));
  for (const TopologyCore& core : topology.cores) EXPECT_EQ(core.numa, NumaNode(0));
}

TEST_F(Sysfs, TakesTheFirstNodeForTheOnlyOneWhereNoneClaimsACpu) {
  tree.write(kCpus + "online", "0-2\n")
      .write(kNodes + "node0/cpulist", "")
      .write(kNodes + "node1/cpulist", "");
  EXPECT_EQ(numbers(read().numa[0].cores), (Numbers{0, 1, 2}));
}

TEST_F(Sysfs, NamesTheCpusThatTheControlGroupForbids) {
  tree.write(kCpus + "online", "0-3\n");
  EXPECT_TRUE(read().forbidden.empty()) << "there are no groups";
  tree.write("proc/self/mountinfo",
             "25 1 0:22 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
             "32 1 0:29 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n");
  tree.write("proc/self/cgroup", "4:cpuset:/job\n0::/job/step\n");
  tree.write("sys/fs/cgroup/cpuset/job/cpuset.cpus", "1-3\n");
  EXPECT_EQ(numbers(read().forbidden), (Numbers{0})) << "version 1";
  tree.write("sys/fs/cgroup/job/cpuset.cpus.effective", "1,3\n");
  EXPECT_EQ(numbers(read(cpus({3})).forbidden), (Numbers{0, 2})) << "version 2, of the job around the step";
}

TEST_F(Sysfs, WithoutNodesHasOneWithAllMemory) {
  tree.write(kCpus + "online", "0-1\n").write("proc/meminfo", "MemTotal:  1024 kB\nMemFree:  512 kB\n");
  const Topology topology = read();
  ASSERT_EQ(topology.numa.size(), 1U);
  EXPECT_EQ(topology.numa[0].memory, 1_MiB);
  EXPECT_EQ(numbers(topology.numa[0].cores), (Numbers{0, 1}));
}

TEST_F(Sysfs, TellsTheHugePageSizeOfTheKernel) {
  tree.write("proc/meminfo", "MemTotal:  4826000 kB\nHugePages_Total:  0\nHugepagesize:  16384 kB\n");
  EXPECT_EQ(read().huge_page, 16_MiB);
  tree.write("proc/meminfo", "MemTotal:  4826000 kB\n");
  EXPECT_EQ(read().huge_page, std::nullopt);
}

}  // namespace
}  // namespace groma
