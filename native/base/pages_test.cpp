#include "base/pages.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "testing/fakes.hpp"

namespace groma {
namespace {

class AvailableMemory : public ::testing::Test {
 protected:
  static constexpr Bytes kNoLimit{std::numeric_limits<std::uint64_t>::max()};

  void SetUp() override {
    tree.write("proc/meminfo", "MemTotal: 9000 kB\nMemAvailable:    4096 kB\n");
    tree.write("proc/self/mountinfo",
               "25 1 0:22 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
               "32 1 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  }
  [[nodiscard]] Bytes read(const MappingLimits& limits = {kNoLimit, kNoLimit}) const {
    return available_memory(tree.root(), limits);
  }
  void limit_in_container(const std::string& group, const std::string& limited);
  fake::Tree tree;
  const std::string groups = "sys/fs/cgroup/";
};

TEST_F(AvailableMemory, IsWhatTheKernelSaysWhereNoGroupLimitsIt) {
  EXPECT_EQ(read(), 4_MiB);
}

TEST_F(AvailableMemory, IsModestWhereTheKernelSaysNothing) {
  tree.remove("proc/meminfo");
  EXPECT_EQ(read(), 1024_MiB);
  tree.write("proc/meminfo", "MemAvailable: 18446744073709551615 kB\n");
  EXPECT_EQ(read(), 1024_MiB);
  tree.write("proc/meminfo", "MemAvailable: lots\n");
  EXPECT_EQ(read(), 1024_MiB);
}

TEST_F(AvailableMemory, IsLimitedByTheOwnGroup) {
  tree.write("proc/self/cgroup", "0::/job/step\n");
  tree.write(groups + "job/step/memory.max", "3145728\n")
      .write(groups + "job/step/memory.current", "1048576\n");
  EXPECT_EQ(read(), 2_MiB);
}

TEST_F(AvailableMemory, IsLimitedByEveryAncestor) {
  tree.write("proc/self/cgroup", "0::/job/step\n").write(groups + "job/step/memory.max", "max\n");
  tree.write(groups + "job/memory.max", "1048576\n").write(groups + "job/memory.current", "0\n");
  EXPECT_EQ(read(), 1_MiB);
}

TEST_F(AvailableMemory, IsLimitedByTheGroupThatAContainerSeesAsTheRoot) {
  tree.write("proc/self/cgroup", "0::/\n");
  tree.write(groups + "memory.max", "1048576\n").write(groups + "memory.current", "524288\n");
  EXPECT_EQ(read(), 512_KiB);
}

TEST_F(AvailableMemory, CountsFilesInMemoryAsFreeForTheyMakeRoom) {
  tree.write("proc/self/cgroup", "0::/job\n");
  tree.write(groups + "job/memory.max", "3145728\n").write(groups + "job/memory.current", "3145728\n");
  tree.write(groups + "job/memory.stat", "anon 1048576\nfile 2097152\ninactive_file 1048576\n");
  EXPECT_EQ(read(), 1_MiB);
}

TEST_F(AvailableMemory, IsNothingWhereAGroupIsOverItsLimit) {
  tree.write("proc/self/cgroup", "0::/job\n");
  tree.write(groups + "job/memory.max", "1048576\n").write(groups + "job/memory.current", "2097152\n");
  EXPECT_EQ(read(), Bytes(0));
}

TEST_F(AvailableMemory, IsLimitedByNestedGroupsOfVersion1) {
  tree.write("proc/self/cgroup", "11:cpuset:/\n9:memory:/slurm/job_7\n0::/init.scope\n");
  tree.write(groups + "memory/memory.limit_in_bytes", "9223372036854771712\n");
  tree.write(groups + "memory/memory.usage_in_bytes", "8388608\n");
  tree.write(groups + "memory/slurm/job_7/memory.limit_in_bytes", "2097152\n");
  tree.write(groups + "memory/slurm/job_7/memory.usage_in_bytes", "1572864\n");
  tree.write(groups + "memory/slurm/job_7/memory.stat", "inactive_file 1\ntotal_inactive_file 524288\n");
  EXPECT_EQ(read(), 1_MiB);
}

/// A container mounts its group /docker/1 alone, in which `limited` may use 1 MiB; the process is in `group`.
void AvailableMemory::limit_in_container(const std::string& group, const std::string& limited) {
  tree.write("proc/self/mountinfo",
             "32 1 0:29 /docker/1 /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  tree.write("proc/self/cgroup", "4:memory:" + group + "\n");
  tree.write(groups + "memory/" + limited + "/memory.limit_in_bytes", "1048576\n")
      .write(groups + "memory/" + limited + "/memory.usage_in_bytes", "0\n");
}

TEST_F(AvailableMemory, IsLimitedByTheGroupInsideAContainerThatMountsItsOwnOnly) {
  limit_in_container("/docker/1/inner", "inner");
  EXPECT_EQ(read(), 1_MiB);
}

TEST_F(AvailableMemory, IsLimitedWhereverTheGroupsAreMounted) {
  tree.write("proc/self/mountinfo", "25 1 0:22 / /run/groups rw shared:4 - cgroup2 none rw\n");
  tree.write("proc/self/cgroup", "0::/job\n").write("run/groups/job/memory.max", "2097152\n");
  EXPECT_EQ(read(), 2_MiB);
}

/// The kernel writes a blank as \040.
TEST_F(AvailableMemory, IsLimitedWhereNamesHaveBlanks) {
  tree.write("proc/self/mountinfo", "25 1 0:22 /my\\040job /run/my\\040groups rw - cgroup2 none rw\n");
  tree.write("proc/self/cgroup", "0::/my job/step\n");
  tree.write("run/my groups/step/memory.max", "2097152\n");
  EXPECT_EQ(read(), 2_MiB);
}

TEST_F(AvailableMemory, IsNotLimitedByAGroupWhoseNameOnlyBeginsAlike) {
  limit_in_container("/docker/12", "2");
  EXPECT_EQ(read(), 4_MiB);
}

TEST_F(AvailableMemory, EndsWhereAGroupIsSlowedDown) {
  tree.write("proc/self/cgroup", "0::/job\n").write(groups + "job/memory.max", "3145728\n");
  tree.write(groups + "job/memory.high", "2097152\n").write(groups + "job/memory.current", "1048576\n");
  EXPECT_EQ(read(), 1_MiB);
}

TEST_F(AvailableMemory, IsWhatTheLimitOfTheAddressSpaceLeaves) {
  tree.write("proc/self/status", "Name:\tprobe\nVmSize:\t    1024 kB\nVmData:\t     512 kB\n");
  EXPECT_EQ(read({3_MiB, kNoLimit}), 2_MiB);
  EXPECT_EQ(read({kNoLimit, 1_MiB}), 512_KiB);
  EXPECT_EQ(read({512_KiB, kNoLimit}), Bytes(0));
}

TEST_F(AvailableMemory, SurvivesGarbageInGroups) {
  tree.write("proc/self/cgroup", "0::no/slash/../..\n:::\n\n").write(groups + "memory.max", "-1\n");
  EXPECT_EQ(read(), 4_MiB);
}

TEST(Block, IsAlignedToAHugePageAndAsLargeAsAsked) {
  const Result<Block> block = Block::map(Bytes(5000), PageMode::kHuge);
  ASSERT_TRUE(block);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.value().data()) % (2_MiB).value(), 0U);
  EXPECT_EQ(block.value().size(), 5000U);
  EXPECT_EQ(block.value().as<std::uint64_t>().size(), 625U);
}

/// End of the kernel's mapping that holds an address.
std::uintptr_t end_of_mapping_around(std::uintptr_t address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const auto dash = line.find('-');
    const std::uintptr_t end = std::stoull(line.substr(dash + 1), nullptr, 16);
    if (std::stoull(line.substr(0, dash), nullptr, 16) <= address && address < end) return end;
  }
  return 0;
}

TEST(Block, LeavesRoomForItsLastHugePage) {
  const Block block = Block::map(2_MiB + Bytes(1), PageMode::kHuge).value();
  const auto start = reinterpret_cast<std::uintptr_t>(block.data());
  EXPECT_GE(end_of_mapping_around(start) - start, (4_MiB).value());
}

TEST(Block, IsZeroAtFirstAndWritableToItsEnd) {
  const Block block = Block::map(64_KiB, PageMode::kSmall).value();
  const std::span<std::byte> bytes = block.as<std::byte>();
  EXPECT_EQ(bytes.front(), std::byte{0});
  bytes.back() = std::byte{7};
  block.touch();
  EXPECT_EQ(bytes.front(), std::byte{1});
  EXPECT_EQ(bytes[4096], std::byte{1});
  EXPECT_EQ(bytes.back(), std::byte{7});
}

TEST(Block, TouchesThePagesThatBeginBetweenTwoBytes) {
  const Block block = Block::map(20_KiB, PageMode::kSmall).value();
  const std::span<std::byte> bytes = block.as<std::byte>();
  block.touch(4096, 8192);
  block.touch(8193, 12289);
  const auto touched = [&](std::size_t page) { return bytes[page * 4096] == std::byte{1}; };
  EXPECT_EQ((std::vector<bool>{touched(0), touched(1), touched(2), touched(3), touched(4)}),
            (std::vector<bool>{false, true, false, true, false}));
}

TEST(Block, MovesWithItsMemory) {
  Block first = Block::map(4_KiB, PageMode::kSmall).value();
  std::byte* const data = first.data();
  Block second = std::move(first);
  EXPECT_EQ(second.data(), data);
  Block third = Block::map(4_KiB, PageMode::kSmall).value();
  third = std::move(second);
  EXPECT_EQ(third.data(), data);
  third.touch();
}

TEST(Block, RefusesWhatNoMachineHas) {
  for (const Bytes size : {Bytes(std::numeric_limits<std::uint64_t>::max()), Bytes(std::uint64_t{1} << 63U),
                           Bytes(std::uint64_t{1} << 60U)}) {
    const Result<Block> block = Block::map(size, PageMode::kHuge);
    ASSERT_FALSE(block);
    EXPECT_EQ(block.error().code, "memory.refused");
    EXPECT_NE(block.error().what.find(std::to_string(size.value())), std::string::npos);
  }
}

}  // namespace
}  // namespace groma
