#include "survey/stream_team.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <optional>
#include <thread>

namespace groma::survey {
namespace {

/// Small rings on the cores of this machine.
class StreamTeam : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<StreamMemory> placed =
        StreamMemory::place(topology, topology.allowed, 1_MiB, 64_MiB * topology.allowed.size());
    ASSERT_TRUE(placed);
    memory.emplace(std::move(placed).value());
  }
  std::vector<Streamer> streamers(std::size_t count) {
    return memory->streamers(std::span(topology.allowed).first(count), topology);
  }
  static KernelPass pass_of(const StreamKernel& kernel) { return {kernel, kernel.variants.back().pass}; }

  Topology topology = this_topology();
  std::optional<StreamMemory> memory;
  const StreamKernel& copy = *find_stream_kernel("copy");
};

TEST_F(StreamTeam, counts_whole_lines_of_every_stream) {
  EXPECT_EQ(counted_bytes(1_MiB, copy).value() % 128, 0U);
  EXPECT_LE(counted_bytes(1_MiB, copy), 1_MiB);
  EXPECT_GT(counted_bytes(1_MiB, copy), 1_MiB - 20_KiB);
}

TEST_F(StreamTeam, gives_one_time_per_pass) {
  const auto times = time_passes(streamers(topology.allowed.size()), {pass_of(copy), 128_KiB, 5});
  ASSERT_TRUE(times);
  ASSERT_EQ(times.value().size(), 5U);
  for (const PassTime& one : times.value()) EXPECT_GT(one.elapsed.value(), 0.0);
}

TEST_F(StreamTeam, says_why_a_core_cannot_be_used) {
  std::vector<Streamer> nowhere = streamers(1);
  nowhere.front().cpu = PhysicalCore(1'000'000);
  EXPECT_FALSE(time_passes(nowhere, {pass_of(copy), 128_KiB, 1}));
}

TEST_F(StreamTeam, chooses_a_variant_of_each_kernel) {
  const std::array kernels = {&copy, find_stream_kernel("read")};
  const auto chosen = choose_variants(kernels, "auto", streamers(1).front());
  ASSERT_TRUE(chosen);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    ASSERT_NE(chosen.value()[i], nullptr);
    EXPECT_GE(chosen.value()[i], kernels[i]->variants.data());
    EXPECT_LE(chosen.value()[i], &kernels[i]->variants.back());
  }
}

TEST_F(StreamTeam, chooses_only_the_instruction_set_asked_for) {
  const std::array kernels = {&copy};
  const auto portable = choose_variants(kernels, "portable", streamers(1).front());
  ASSERT_TRUE(portable);
  EXPECT_EQ(portable.value().front()->isa, Isa::kPortable);
  const auto unknown = choose_variants(kernels, "abacus", streamers(1).front());
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown.value().front(), nullptr);
}

TEST_F(StreamTeam, background_streams_until_it_is_stopped_and_counts) {
  std::atomic<bool> stop = false;
  StreamProgress progress;
  {
    const std::jthread background([&] {
      stream_until(stop, *streamers(1).front().ring, pass_of(copy), {64, 10}, progress);
    });
    while (progress.pieces < 5000) std::this_thread::yield();
    stop = true;
  }
  EXPECT_GE(progress.pieces, 5000U);
}

TEST_F(StreamTeam, background_is_stopped_in_the_midst_of_a_long_pause) {
  constexpr std::uint64_t kManySeconds = std::uint64_t{1} << 36U;
  const SystemClock clock;
  const Seconds start = clock.now();
  std::atomic<bool> stop = false;
  StreamProgress progress;
  {
    const std::jthread background([&] {
      stream_until(stop, *streamers(1).front().ring, pass_of(copy), {64, kManySeconds}, progress);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    stop = true;
  }
  EXPECT_LT(clock.now() - start, Seconds(8.0));
}

TEST_F(StreamTeam, background_does_nothing_where_it_is_stopped_before) {
  const std::atomic<bool> stop = true;
  StreamProgress progress;
  stream_until(stop, *streamers(1).front().ring, pass_of(copy), kFullPace, progress);
  EXPECT_EQ(progress.pieces, 0U);
}

/// As of a kernel that counts time in ticks.
class ClockOfTicks final : public Clock {
 public:
  [[nodiscard]] Seconds now() const override { return kTick * std::floor(system_.now() / kTick); }
  [[nodiscard]] Seconds thread_cpu() const override { return system_.thread_cpu(); }

 private:
  static constexpr Seconds kTick{4e-3};
  SystemClock system_;
};

TEST(TimeOfTurn, is_found_with_a_clock_of_any_resolution) {
  const SystemClock fine;
  const ClockOfTicks coarse;
  for (const Clock* const clock : {static_cast<const Clock*>(&fine), static_cast<const Clock*>(&coarse)}) {
    const Seconds found = time_of_turn(*clock);
    EXPECT_GT(found, Seconds(1e-11));
    EXPECT_LT(found, Seconds(1e-6));
  }
}

}  // namespace
}  // namespace groma::survey
