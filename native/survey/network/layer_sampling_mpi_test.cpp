#include <gtest/gtest.h>

#include "survey/network/layer_sampling.hpp"
#include "testing/network_probe_harness.hpp"
#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::survey::network {
namespace {

const ProbeInfo kSometimesMissing{.name = "test_layers",
                                  .title = "",
                                  .measures = "",
                                  .method = "",
                                  .traffic = "",
                                  .reference = "",
                                  .order = 4'000'000'001,
                                  .parameters = {kLayersParameter,
                                                 {"largest", "1", "1", "1", ""},
                                                 {"pairs", "1", "1", "1", ""},
                                                 {"budget", "60", "60", "60", ""},
                                                 {"rounds", "4", "4", "4", ""}}};

/// One of its two times is missing in every second round.
Result<Outcome> run(const Context& context) {
  const auto take = [](const PingPong& /*ping_pong*/, std::uint32_t number) {
    LayerSample sample;
    sample.times = {Seconds(number), std::nullopt};
    if (number % 2 == 0) sample.times[1] = Seconds(number);
    return sample;
  };
  return sample_layers(context, {.sizes_up_to = [](std::uint64_t largest) { return std::vector{largest}; },
                                 .whats = {"always", "sometimes"},
                                 .take = take});
}

const Registration kRegistered(kSometimesMissing, {run, check_layers});

TEST(LayerSampling, LeavesOutTimesThatAreMissing) {
  if (mpi::Communicator::world().size() < 2) return;
  const ProbeRun probe = run_probe("test_layers", {"layers=one:0-1"});
  ASSERT_TRUE(probe.outcome);
  if (!mpi::Communicator::world().is_root()) return;
  ASSERT_EQ(probe.sink.values.size(), 2U);
  EXPECT_EQ(probe.sink.values[0], (std::vector<double>{2, 3, 4, 5}));  // the first only warms up
  EXPECT_EQ(probe.sink.values[1], (std::vector<double>{2, 4}));
}

}  // namespace
}  // namespace groma::survey::network
