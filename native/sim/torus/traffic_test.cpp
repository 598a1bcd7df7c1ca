#include "sim/torus/traffic.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "testing/one_thread.hpp"
#include "testing/torus_run.hpp"

namespace groma::sim::torus {
namespace {

using test::TorusRun;

struct Case {
  std::vector<std::uint32_t> extents;
  std::vector<bool> closed;
};

Shape shape_of(const Case& one) {
  return Shape::make(one.extents, one.closed).value();
}

Network network_of(Routing routing, std::uint32_t channel_bytes = 1024) {
  Network network;
  network.routing = routing;
  network.channel_bytes = channel_bytes;
  return network;
}

TrafficPlan limited(Pattern pattern, std::uint64_t packets) {
  TrafficPlan plan;
  plan.pattern = std::move(pattern);
  plan.packets = packets;
  return plan;
}

Outcome run(const Shape& shape, const Network& network, Traffic& traffic, std::size_t threads = 1) {
  RunOptions options;
  options.threads = threads;
  options.enough_work = traffic.enough_work();
  return simulate(shape, network, traffic, options).value();
}

double number(const std::string& text, const std::string& name) {
  const auto at = text.find("\"" + name + "\":");
  return at == std::string::npos ? -1.0 : std::stod(text.substr(at + name.size() + 3));
}

TEST(Traffic, GivesTheRateOfTheTimeThatItRan) {
  const Shape shape = shape_of({{4, 4}, {true, true}});
  TrafficPlan plan;
  plan.pattern = uniform_pattern(shape);
  plan.warm_up = 10'000;
  std::vector<double> rates;
  for (const Cycles window : {100'000, 100'000'000}) {
    plan.window = window;
    Traffic traffic(plan, shape);
    RunOptions options;
    options.enough_work = traffic.enough_work();
    options.stop = [](const Progress& now) { return now.time > 100'000; };
    const Outcome outcome = simulate(shape, Network{}, traffic, options).value();
    JsonObject result;
    traffic.report(outcome, result);
    rates.push_back(number(result.json().text(), "accepted"));
  }
  EXPECT_GT(rates[0], 0.1);
  EXPECT_NEAR(rates[1], rates[0], 0.05 * rates[0]) << "stopped long before the end of its window";
}

TEST(Traffic, HasNoRateWhereItWasStoppedInTheWarmUp) {
  const Shape shape = shape_of({{4, 4}, {true, true}});
  TrafficPlan plan;
  plan.pattern = uniform_pattern(shape);
  plan.warm_up = plan.window = 1'000'000;
  Traffic traffic(plan, shape);
  RunOptions options;
  options.stop = [](const Progress& now) { return now.time > 10'000; };
  const Outcome outcome = simulate(shape, Network{}, traffic, options).value();
  JsonObject result;
  traffic.report(outcome, result);
  EXPECT_EQ(number(result.json().text(), "accepted"), -1.0);
}

/// A packet leaves when the processor has spent what it costs.
TEST(Traffic, InjectsWhatItsProcessorHasPaidFor) {
  const Shape shape = shape_of({{8}, {true}});
  std::vector<Cycles> longest;
  for (const double cost : {0.0, 7000.0}) {
    TrafficPlan plan = limited(shift_pattern(shape, {1}), 1);
    plan.costs.send = cost;
    Traffic traffic(std::move(plan), shape);
    run(shape, Network{}, traffic);
    longest.push_back(traffic.counted().longest);
  }
  EXPECT_EQ(longest[1], longest[0] + 7000);
}

/// Odd extents, extents of two, meshes, five dimensions.
const std::vector<Case>& odd_shapes() {
  static const std::vector<Case> shapes = {{{2}, {true}},
                                           {{5, 3}, {true, true}},
                                           {{2, 2, 2}, {true, true, true}},
                                           {{4, 3, 2}, {false, true, true}},
                                           {{6, 5}, {false, false}},
                                           {{3, 2, 2, 2, 2}, {true, true, true, false, true}}};
  return shapes;
}

TEST_ON_ONE_THREAD(Traffic, BringsEachPacketOnceAndReturnsAllTokensWithTheLeastBuffers) {
  for (const Case& one : odd_shapes()) {
    for (const Routing routing : {Routing::kAdaptive, Routing::kDeterministic}) {
      for (const std::uint32_t places : {0U, 1U}) {
        const Shape shape = shape_of(one);
        Network network = network_of(routing, 512);
        network.injection_packets = 1;
        network.reception_packets = places;
        Traffic traffic(limited(uniform_pattern(shape), 300), shape);
        const Outcome outcome = run(shape, network, traffic);
        EXPECT_EQ(outcome.ending, Ending::kDone);
        EXPECT_TRUE(traffic.all_arrived_once());
        EXPECT_EQ(outcome.end.tally.received, 300U * shape.nodes());
        EXPECT_EQ(outcome.tokens_out, 0);
      }
    }
  }
}

/// With odd extents there is one shortest way.
TEST_ON_ONE_THREAD(Traffic, KeepsTheOrderOnDeterministicWays) {
  const Shape shape = shape_of({{5, 5, 3}, {true, true, true}});
  Traffic in_order(limited(uniform_pattern(shape), 200), shape);
  run(shape, network_of(Routing::kDeterministic), in_order);
  EXPECT_EQ(in_order.counted().overtaken, 0U);
  Traffic adaptive(limited(uniform_pattern(shape), 200), shape);
  run(shape, network_of(Routing::kAdaptive), adaptive);
  EXPECT_GT(adaptive.counted().overtaken, 0U);
}

TEST(Traffic, IsTheSameWithTwoThreads) {
  const Shape shape = shape_of({{8, 4, 4}, {true, true, true}});
  std::vector<Cycles> times;
  std::vector<Cycles> latencies;
  for (const std::size_t threads : {1U, 2U}) {
    TrafficPlan plan = limited(uniform_pattern(shape), 100);
    plan.costs.send = 100.5;
    plan.costs.receive_each = 150.25;
    Traffic traffic(std::move(plan), shape);
    times.push_back(run(shape, network_of(Routing::kAdaptive), traffic, threads).end.time);
    latencies.push_back(traffic.counted().latency);
  }
  EXPECT_EQ(times[0], times[1]);
  EXPECT_EQ(latencies[0], latencies[1]);
}

TEST(Traffic, IsAcceptedAsOfferedBelowSaturation) {
  const TorusRun run(
      R"({"shape": [4, 4, 4], "workload": {"name": "uniform", "load": 0.5, "window": 200000}})");
  EXPECT_NEAR(run.number("accepted") / run.number("bound"), 0.5, 0.02);
  EXPECT_NEAR(run.number("offered") / run.number("bound"), 0.5, 1e-9);
}

/// The head of a packet of 256 bytes takes 64 cycles for each hop, its tail comes 1080 cycles later.
TEST(Traffic, HasTheLatencyOfAnEmptyNetworkAtLittleLoad) {
  const TorusRun run(R"({"shape": [8], "workload": {"name": "shift", "offsets": [3], "load": 0.001,
                        "warm_up": 0, "window": 4000000}})");
  EXPECT_NEAR(run.number("latency_of_window.mean"), (3 * 64) + 1080, 20);
}

TEST(Traffic, IsBoundByTheProcessorThatReceives) {
  const TorusRun run(R"({"shape": [8], "processor": {"receive": {"single": 4320}},
                        "workload": {"name": "shift", "offsets": [1], "warm_up": 100000, "window": 432000}})");
  EXPECT_NEAR(run.number("accepted"), 256.0 / 4320, 0.001);
}

TEST(Traffic, ToAHotSpotIsBoundByItsReceivingLinks) {
  const TorusRun run(
      R"({"shape": [5, 5], "workload": {"name": "hot-spot", "hot": 12, "share": 1.0, "window": 500000}})");
  const double links = 4 * 256.0 / 1080;
  EXPECT_LE(run.number("accepted") * 25, 2 * links * 1.001);  // the hot node itself sends to the others
  EXPECT_GT(run.number("accepted") * 25, 2 * links * 0.9);
}

/// However long packets are pushed into the network.
TEST_ON_ONE_THREAD(Traffic, SaturatesAtTheBoundOfUniformTrafficOnSymmetricTori) {
  for (const char* shape : {"[4, 4, 4]", "[8, 8]", "[5, 5]"}) {
    const TorusRun run(std::string(R"({"shape": )") + shape +
                       R"(, "workload": {"name": "uniform", "warm_up": 500000, "window": 300000}})");
    EXPECT_GT(run.number("accepted") / run.number("bound"), 0.95) << shape;
    EXPECT_LT(run.number("accepted") / run.number("bound"), 1.02) << shape;
  }
}

TEST(Request, RefusesATorusThatIsNotSaidOfEachDimension) {
  const auto error = [](const std::string& torus) {
    return TorusRun(R"({"shape": [4, 4], "torus": )" + torus +
                    R"(, "workload": {"name": "uniform", "packets": 1}})")
        .error();
  };
  for (const char* torus : {"false", "[0, 0]", "[true]", "[true, null]", "[]", "{}"}) {
    EXPECT_EQ(error(torus), "torus must be true or false for each dimension") << torus;
  }
  for (const char* torus : {"null", "[true, false]"}) EXPECT_EQ(error(torus), "") << torus;
}

TEST(Traffic, RefusesWhatItCannotDo) {
  const auto error = [](const std::string& workload) {
    return TorusRun(R"({"shape": [4, 6], "workload": )" + workload + "}").error();
  };
  EXPECT_NE(error(R"({"name": "transpose"})").find("equal extents"), std::string::npos);
  EXPECT_NE(error(R"({"name": "bit-reverse"})").find("power of two"), std::string::npos);
  EXPECT_NE(error(R"({"name": "shift", "offsets": [4, 1]})").find("workload.offsets"), std::string::npos);
  EXPECT_NE(error(R"({"name": "shift", "offsets": [1]})").find("workload.offsets"), std::string::npos);
  EXPECT_NE(error(R"({"name": "uniform", "packet": 100})").find("multiple of 32"), std::string::npos);
  EXPECT_NE(error(R"({"name": "uniform", "lode": 0.5})").find("lode"), std::string::npos);
  for (const char* load : {"1e-12", "-1", "101", "1e300"}) {
    EXPECT_NE(error(std::string(R"({"name": "uniform", "load": )") + load + "}").find("workload.load"),
              std::string::npos)
        << load;
  }
  EXPECT_NE(error(R"({"name": "uniform", "rate": 1e-12})").find("workload.rate"), std::string::npos);
  EXPECT_NE(error(R"({"name": "hot-spot", "share": 2})").find("workload.share"), std::string::npos);
}

}  // namespace
}  // namespace groma::sim::torus
