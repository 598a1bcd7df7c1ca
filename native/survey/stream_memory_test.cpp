#include "survey/stream_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <numeric>

#include "survey/beyond_cache.hpp"

namespace groma::survey {
namespace {

/// `packages` packages of two NUMA nodes, each with two last-level caches over two cores of two hardware
/// threads.
Topology machine(std::uint32_t packages) {
  Topology topology;
  for (std::uint32_t i = 0; i < packages * 16; ++i) {
    TopologyCore core;
    core.logical = LogicalCore(i);
    core.physical = PhysicalCore(i);
    core.core = i / 2;
    core.package = i / 16;
    core.numa = NumaNode(i / 8);
    topology.cores.push_back(core);
    topology.allowed.emplace_back(i);
  }
  for (std::uint32_t first = 0; first < packages * 16; first += 4) {
    TopologyCache cache;
    cache.level = 3;
    cache.kind = "unified";
    cache.size = 16_MiB;
    for (std::uint32_t i = 0; i < 4; ++i) cache.cores.emplace_back(first + i);
    topology.caches.push_back(cache);
  }
  return topology;
}

std::vector<std::uint32_t> numbers(const std::vector<LogicalCore>& cores) {
  std::vector<std::uint32_t> plain;
  for (const LogicalCore core : cores) plain.push_back(core.number());
  return plain;
}

TEST(thread_counts, double_up_to_all) {
  EXPECT_EQ(thread_counts(1), (std::vector<std::size_t>{1}));
  EXPECT_EQ(thread_counts(6), (std::vector<std::size_t>{1, 2, 4, 6}));
  EXPECT_EQ(thread_counts(8), (std::vector<std::size_t>{1, 2, 4, 8}));
  EXPECT_TRUE(thread_counts(0).empty());
}

TEST(last_level, is_the_highest_cache_around_a_core) {
  const CacheShare cache = last_level_of(LogicalCore(5), machine(1));
  EXPECT_EQ(cache.size, 16_MiB);
  EXPECT_EQ(numbers(cache.cores), (std::vector<std::uint32_t>{4, 5, 6, 7}));
}

TEST(last_level, is_assumed_where_none_is_declared) {
  Topology topology = machine(2);
  topology.caches.clear();
  const CacheShare cache = last_level_of(LogicalCore(17), topology);
  EXPECT_EQ(cache.size, 32_MiB);
  EXPECT_EQ(cache.cores.size(), 16U);
}

TEST(last_level, counts_allowed_sharers_only) {
  Topology topology = machine(1);
  topology.allowed = {LogicalCore(4), LogicalCore(9)};
  EXPECT_EQ(numbers(last_level_of(LogicalCore(4), topology).cores), (std::vector<std::uint32_t>{4}));
}

TEST(stream_ring, gives_windows_that_follow_each_other_and_start_again) {
  std::vector<double> memory(1024);
  StreamRing ring{memory};
  EXPECT_EQ(ring.next(400).data(), memory.data());
  EXPECT_EQ(ring.next(400).data(), memory.data() + 400);
  EXPECT_EQ(ring.next(400).data(), memory.data());
}

TEST(stream_ring, begins_windows_at_cache_lines) {
  std::vector<double> memory(1024);
  StreamRing ring{memory};
  EXPECT_EQ(ring.next(3).size(), 3U);
  EXPECT_EQ(ring.next(3).data(), memory.data() + 8);
}

TEST(stream_ring, gives_no_more_than_it_has) {
  std::vector<double> memory(64);
  StreamRing ring{memory};
  EXPECT_EQ(ring.next(1000).size(), 64U);
}

TEST(stream_length, leaves_every_stream_on_a_line_and_inside_the_window) {
  for (const StreamKernel& kernel : stream_kernels()) {
    for (const std::size_t elements : {64UL, 1000UL, 4096UL, 100'000UL, 1'048'576UL}) {
      const std::size_t length = stream_length(elements, kernel);
      EXPECT_EQ(length % 8, 0U);
      EXPECT_LE(length * kernel.streams(), elements);
      EXPECT_GT(length, 0U);
    }
  }
}

TEST(stream_length, keeps_streams_off_each_others_place_in_the_page) {
  const StreamKernel& triad = *find_stream_kernel("triad");
  const std::size_t length = stream_length(1'048'576, triad);
  EXPECT_NE(length % 512, 0U);
  EXPECT_NE(2 * length % 512, 0U);
}

TEST(stream_window, hands_out_first_and_second_input_as_the_kernel_wants_them) {
  const StreamKernel& triad = *find_stream_kernel("triad");
  std::unique_ptr<double[], void (*)(double*)> memory(
      static_cast<double*>(std::aligned_alloc(64, 3000 * sizeof(double))), [](double* at) { std::free(at); });
  const StreamWindow window({memory.get(), 3000}, triad);
  const std::size_t length = window.length();
  for (std::size_t i = 0; i < 3 * length; ++i) memory[i] = i < length ? -1.0 : i < 2 * length ? 5.0 : 7.0;
  window.pass(triad.variants.front().pass, 8, 16);
  EXPECT_EQ(memory[7], -1.0);
  EXPECT_EQ(memory[8], 5.0 + 3.0 * 7.0);
  EXPECT_EQ(memory[23], 26.0);
  EXPECT_EQ(memory[24], -1.0);
}

class Here : public ::testing::Test {
 protected:
  Topology topology = this_topology();
  std::vector<LogicalCore> cores = topology.allowed;
};

TEST_F(Here, rings_no_larger_than_the_cache_are_refused) {
  topology.caches.clear();
  const Bytes available = 100_MiB * cores.size();
  const Result<StreamMemory> memory = StreamMemory::place(topology, cores, Bytes(0), available);
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().code, "probe.no_memory");
  EXPECT_NE(memory.error().what.find(in_mib(128_MiB * cores.size())), std::string::npos)
      << memory.error().what;
}

TEST_F(Here, rings_take_up_to_half_of_the_memory_before_they_are_refused) {
  topology.caches.clear();
  const Bytes available = 130_MiB * cores.size();
  const Result<StreamMemory> memory = StreamMemory::place(topology, cores, Bytes(0), available);
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory.value().ring_size(), 64_MiB);
}

TEST_F(Here, rings_keep_below_the_bound_and_are_filled) {
  Result<StreamMemory> memory = StreamMemory::place(topology, cores, 8_MiB, 16_MiB * cores.size());
  ASSERT_TRUE(memory);
  EXPECT_LE(memory.value().ring_size(), 4_MiB);
  for (const Streamer& streamer : memory.value().streamers(cores, topology)) {
    const std::span<double> all = streamer.ring->next(streamer.ring->size().value() / sizeof(double));
    EXPECT_EQ(std::accumulate(all.begin(), all.end(), 0.0), static_cast<double>(all.size()));
  }
}

TEST_F(Here, warm_up_is_the_part_of_the_cache_that_each_thread_has) {
  Topology two = machine(1);
  const std::vector<LogicalCore> sharing = {LogicalCore(0), LogicalCore(1)};
  two.cores[0].physical = two.cores[1].physical = topology.physical(cores.front());
  Result<StreamMemory> memory = StreamMemory::place(two, sharing, 64_MiB, 1024_MiB);
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory.value().streamers(sharing, two).front().warm_up, 8_MiB);
  EXPECT_EQ(memory.value().streamers(std::span(sharing).first(1), two).front().warm_up, 16_MiB);
}

}  // namespace
}  // namespace groma::survey
