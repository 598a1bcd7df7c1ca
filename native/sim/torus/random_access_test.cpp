#include "sim/torus/random_access.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "sim/torus/request.hpp"
#include "testing/one_thread.hpp"

namespace groma::sim::torus {
namespace {

Shape torus(std::vector<std::uint32_t> extents) {
  const std::vector<bool> closed(extents.size(), true);
  return Shape::make(std::move(extents), closed).value();
}

/// Blue Gene/P, as Aggarwal et al. 2008 give it.
RandomAccessPlan blue_gene_p(const Shape& shape, std::uint32_t bucket) {
  RandomAccessPlan plan;
  for (std::size_t d = 0; d < shape.dimensions(); ++d) plan.stages.push_back(shape.extent(d));
  plan.bucket = bucket;
  plan.own = {89.8, 95.4, 97.4, 131.5};
  plan.send = 150.0;
  plan.receive = {600.0, 4, 330.0};
  plan.updates = 2000;
  return plan;
}

Network blue_gene_p_network() {
  Network network;
  network.bytes_per_cycle = 0.5;
  network.injection_packets = 1;
  network.reception_packets = 4;
  network.routing = Routing::kDeterministic;
  return network;
}

Outcome run(const Shape& shape, RandomAccess& processors, std::size_t threads = 1,
            Network network = blue_gene_p_network()) {
  RunOptions options;
  options.threads = threads;
  options.enough_work = processors.enough_work();
  options.work_per_sample = options.enough_work / 100;
  if (threads > 1) options.cached_bytes = 0;  // they load lines ahead: both ways are compared
  return simulate(shape, network, processors, options).value();
}

/// One core for each node on a network so slow that its FIFOs, which have one place each, are always full.
RandomAccessPlan crowded(std::vector<std::uint32_t> stages) {
  RandomAccessPlan plan;
  plan.stages = std::move(stages);
  plan.specialised = false;
  plan.bucket = 2;
  plan.own = {100.0, 50.0, 100.0};
  plan.send = 70.0;
  plan.receive = {190.0, 1, 190.0};
  plan.updates = 100;
  return plan;
}

Network crowded_network() {
  Network network = blue_gene_p_network();
  network.bytes_per_cycle = 0.06;
  network.reception_packets = 1;
  network.routing = Routing::kAdaptive;
  return network;
}

Network slow_network(std::uint32_t reception_packets) {
  Network network = blue_gene_p_network();
  network.bytes_per_cycle = 0.05;
  network.injection_packets = 1;
  network.reception_packets = reception_packets;
  return network;
}

double cycles_per_update(const Outcome& outcome, Node nodes) {
  const Progress& from = outcome.samples[outcome.samples.size() / 2];
  const Progress& to = outcome.samples.back();
  return static_cast<double>(to.time - from.time) * nodes /
         static_cast<double>(to.tally.work - from.tally.work);
}

/// What a core does after the end is not of the run.
TEST(RandomAccess, NoCoreWorksLongerThanTheRun) {
  const Shape shape = torus({2, 2, 2});
  for (const bool specialised : {false, true}) {
    for (std::uint64_t updates = 1; updates <= 64; updates *= 2) {
      RandomAccessPlan plan = blue_gene_p(shape, 1);
      plan.specialised = specialised;
      if (!specialised) plan.own = {46.0, 0.0, 46.0};
      plan.updates = updates;
      RandomAccess processors(plan, shape);
      const Cycles end = run(shape, processors).end.time;
      for (const double cycles : processors.worked(end)) {
        EXPECT_GT(cycles, 0.0);
        EXPECT_LE(cycles, static_cast<double>(end) * shape.nodes()) << updates << " updates";
      }
    }
  }
}

TEST(RandomAccess, CountsTheWorkOfRunsOfYears) {
  const Shape shape = torus({2});
  RandomAccessPlan plan = blue_gene_p(shape, 1);
  plan.specialised = false;
  plan.own = {1e14, 0.0, 0.0};
  plan.updates = 1000;
  RandomAccess processors(plan, shape);
  const auto end = static_cast<double>(run(shape, processors).end.time);
  EXPECT_GT(end, 9e16);
  EXPECT_GT(processors.worked(static_cast<Cycles>(end))[0], 0.9 * end * shape.nodes());
  EXPECT_LE(processors.worked(static_cast<Cycles>(end))[0], end * shape.nodes());
}

TEST(Digits, NameEveryNodeByItsOwnDigits) {
  for (const std::vector<std::uint32_t>& stages :
       {std::vector<std::uint32_t>{4, 3, 5}, {60}, {2, 2, 3, 5}, {1, 60}}) {
    const Digits digits(stages);
    std::set<std::uint32_t> seen;
    for (Node node = 0; node < 60; ++node) {
      seen.insert(digits.of(node));
      Node sum = 0;
      for (std::uint32_t stage = 0; stage < stages.size(); ++stage) {
        sum += digits.digit(digits.of(node), stage) * digits.stride(stage);
      }
      EXPECT_EQ(sum, node);
    }
    EXPECT_EQ(seen.size(), 60U);
  }
}

TEST(Digits, FindTheFirstStageThatDiffers) {
  const Digits digits({4, 3, 5});
  const auto differ = [&](Node one, Node other, std::uint32_t stage) {
    return digits.first_difference(digits.of(one), digits.of(other), stage);
  };
  EXPECT_EQ(differ(0, 1, 0), 0U);
  EXPECT_EQ(differ(0, 1, 1), 3U);
  EXPECT_EQ(differ(0, 4, 0), 1U);
  EXPECT_EQ(differ(0, 12, 0), 2U);
  EXPECT_EQ(differ(0, 16, 0), 1U);
  EXPECT_EQ(differ(0, 16, 2), 2U);
  EXPECT_EQ(differ(7, 7, 0), 3U);
}

TEST(Digits, DrawEveryNodeEquallyOften) {
  const Digits digits({4, 3, 5});
  std::map<std::uint32_t, int> counts;
  RandomStream random(9);
  for (int i = 0; i < 60000; ++i) ++counts[digits.draw(random)];
  EXPECT_EQ(counts.size(), 60U);
  double chi = 0.0;
  for (const auto& [node, count] : counts) chi += (count - 1000.0) * (count - 1000.0) / 1000.0;
  EXPECT_LT(chi, 110.0);  // 59 degrees of freedom: 1 in 10,000
}

TEST_ON_ONE_THREAD(RandomAccess, BringsEveryUpdateToItsNode) {
  for (const std::vector<std::uint32_t>& extents :
       {std::vector<std::uint32_t>{4, 4, 4}, {3, 5}, {7}, {2, 3, 2, 3}}) {
    const Shape shape = torus(extents);
    for (const bool specialised : {true, false}) {
      for (const bool direct : {true, false}) {
        if (specialised && direct) continue;
        RandomAccessPlan plan = blue_gene_p(shape, 5);
        plan.specialised = specialised;
        plan.own.assign(specialised ? plan.stages.size() + 1 : 3, 100.0);
        if (direct) plan.stages = {shape.nodes()};
        RandomAccess processors(plan, shape);
        Network network = blue_gene_p_network();
        if (!specialised) network.reception_packets = 0;
        const Outcome outcome = run(shape, processors, 1, network);
        EXPECT_EQ(outcome.ending, Ending::kDone);
        EXPECT_GE(outcome.end.tally.work, shape.nodes() * 2000U);
        EXPECT_EQ(processors.astray(), 0U);
        const std::uint64_t in_network =
            (outcome.end.tally.injected - outcome.end.tally.received) * plan.bucket;
        EXPECT_EQ(processors.generated(), outcome.end.tally.work + processors.held() + in_network);
      }
    }
  }
}

TEST(RandomAccess, IsBoundByItsSlowestCoreOnASmallMachine) {
  const Shape shape = torus({4, 4, 4});
  RandomAccess processors(blue_gene_p(shape, 29), shape);
  const Outcome outcome = run(shape, processors);
  const double bound = 131.5 + (330.0 / 29.0);  // equation 7: core 3
  EXPECT_NEAR(cycles_per_update(outcome, shape.nodes()), bound, 0.02 * bound);
}

TEST_ON_ONE_THREAD(RandomAccess, NeedsAsManyPacketsAsItsBucketsHold) {
  const Shape shape = torus({4, 4, 4});
  RandomAccessPlan plan = blue_gene_p(shape, 10);
  plan.updates = 10000;
  RandomAccess processors(plan, shape);
  const Outcome outcome = run(shape, processors);
  // Of all updates, 3/4 differ in each dimension, and a packet of a dimension takes one hop in a ring of 4,
  // or two, with the mean of 4/3 where it does not stay.
  const double updates = static_cast<double>(outcome.end.tally.received) * 10.0;
  EXPECT_NEAR(updates / static_cast<double>(outcome.end.tally.work), 3 * 0.75, 0.05);
  EXPECT_NEAR(
      static_cast<double>(outcome.end.tally.packet_hops) / static_cast<double>(outcome.end.tally.injected),
      4.0 / 3.0, 0.02);
}

TEST(RandomAccess, IsTheSameWithTwoThreads) {
  const Shape shape = torus({4, 8, 8});
  std::vector<std::vector<Progress>> samples;
  for (const std::size_t threads : {1U, 2U}) {
    RandomAccessPlan plan = blue_gene_p(shape, 15);
    plan.updates = rounds(2000, 300);
    RandomAccess processors(plan, shape);
    const Outcome outcome = run(shape, processors, threads);
    samples.push_back(outcome.samples);
  }
  ASSERT_EQ(samples[0].size(), samples[1].size());
  for (std::size_t i = 0; i < samples[0].size(); ++i) {
    EXPECT_EQ(samples[0][i].time, samples[1][i].time);
    EXPECT_EQ(samples[0][i].tally.work, samples[1][i].tally.work);
    EXPECT_EQ(samples[0][i].tally.packet_hops, samples[1][i].tally.packet_hops);
  }
}

/// Each of these got stuck when a core that waited to send did not receive.
TEST_ON_ONE_THREAD(RandomAccess, ReceivesWhileItWaitsToSend) {
  using Numbers = std::vector<std::uint32_t>;
  const std::vector<std::pair<Numbers, Numbers>> cases{// extents and stages
                                                       {{64}, {64}},
                                                       {{64, 2}, {64, 2}},
                                                       {{64, 2}, {2, 2, 2, 2, 2, 2, 2}}};
  for (const auto& [extents, stages] : cases) {
    const Shape shape = torus(extents);
    RandomAccess processors(crowded(stages), shape);
    const Outcome outcome = run(shape, processors, 1, crowded_network());
    EXPECT_EQ(outcome.ending, Ending::kDone);
    EXPECT_EQ(processors.astray(), 0U);
    const std::uint64_t in_network = (outcome.end.tally.injected - outcome.end.tally.received) * 2;
    EXPECT_EQ(processors.generated(), outcome.end.tally.work + processors.held() + in_network);
  }
}

/// A core that waits for room in a FIFO, and looks for packets only now and then.
TEST_ON_ONE_THREAD(RandomAccess, SendsWhenThereIsRoomThoughAPacketHasCome) {
  const Shape shape = torus({4, 4});
  const Network network = slow_network(0);
  std::vector<double> times;
  for (const double poll : {0.0, 5000.0}) {
    RandomAccessPlan plan;
    plan.stages = {4, 4};
    plan.specialised = false;
    plan.bucket = 5;
    plan.own = {100.0, 100.0, 100.0};
    plan.send = 150.0;
    plan.receive = {600.0, 4, 330.0};
    plan.poll = poll;
    plan.updates = 2000;
    RandomAccess processors(plan, shape);
    times.push_back(cycles_per_update(run(shape, processors, 1, network), shape.nodes()));
  }
  EXPECT_LT(times[1], 1.05 * times[0]) << "1.11 times as long where it waited until it looked";
}

/// The link of the second stage is slow: a packet of the first one that is dealt with makes room for the next
/// one while the bucket that it filled waits.
TEST_ON_ONE_THREAD(RandomAccess, KeepsNoPlaceOfAPacketThatIsDealtWith) {
  const Shape shape = torus({2, 2});
  const Network network = slow_network(1);
  RandomAccessPlan plan;
  plan.stages = {2, 2};
  plan.own = {10.0, 100.0, 10.0};
  plan.receive = {1.0, 1, 1.0};
  plan.updates = 4000;
  RandomAccess processors(plan, shape);
  EXPECT_LT(cycles_per_update(run(shape, processors, 1, network), shape.nodes()), 605.0)
      << "618 with the place";
}

/// A node of a pair that sends faster than the other one receives goes on without end, unless the other's
/// FIFO is full.
TEST_ON_ONE_THREAD(RandomAccess, CountsTheUpdatesThatWaitAtNodes) {
  const Shape shape = torus({2});
  RandomAccessPlan plan = crowded({2});
  plan.bucket = 1;
  plan.own[0] = 20.0;
  Network network = blue_gene_p_network();
  std::vector<std::uint64_t> waiting;
  for (const std::uint64_t updates : {1000U, 4000U}) {
    for (const std::uint32_t places : {0U, 4U}) {
      plan.updates = updates;
      network.reception_packets = places;
      RandomAccess processors(plan, shape);
      const Outcome outcome = run(shape, processors, 1, network);
      const std::uint64_t left = processors.generated() - outcome.end.tally.work;
      waiting.push_back(processors.waiting(outcome));
      EXPECT_LE(waiting.back(), left);
      EXPECT_GE(waiting.back() + (network.channel_tokens() * shape.ports()) + shape.nodes(), left);
    }
  }
  EXPECT_GT(waiting[0], 100U);
  EXPECT_GT(waiting[2], 3 * waiting[0]);
  EXPECT_LE(waiting[1], 2U * 4);
  EXPECT_LE(waiting[3], 2U * 4);
}

TEST(RandomAccess, ReceivesWhileItWaitsInTheSameOrderOnThreeThreads) {
  const Shape shape = torus({64, 3});
  for (const bool hypercube : {false, true}) {
    std::vector<Progress> ends;
    for (const std::size_t threads : {1U, 2U, 3U}) {
      RandomAccessPlan plan = crowded(hypercube ? std::vector<std::uint32_t>{2, 2, 2, 2, 2, 2, 3}
                                                : std::vector<std::uint32_t>{64, 3});
      plan.updates = rounds(40, 10);
      RandomAccess processors(plan, shape);
      const Outcome outcome = run(shape, processors, threads, crowded_network());
      EXPECT_EQ(outcome.ending, Ending::kDone);
      ends.push_back(outcome.end);
    }
    for (const Progress& end : ends) {
      EXPECT_EQ(end.time, ends[0].time);
      EXPECT_EQ(end.tally.work, ends[0].tally.work);
      EXPECT_EQ(end.tally.packet_hops, ends[0].tally.packet_hops);
    }
  }
}

/// What comes from above and from below waits for the same places; a queue that always came first would let
/// the others wait for three times as long.
TEST_ON_ONE_THREAD(RandomAccess, LetsBothDirectionsWaitEquallyLong) {
  const Shape shape = torus({8, 4, 4});
  RandomAccessPlan plan = blue_gene_p(shape, 20);
  plan.updates = 6000;
  RandomAccess processors(plan, shape);
  const Outcome outcome = run(shape, processors);
  std::array<double, 6> stalled{};
  for (std::size_t i = 0; i < outcome.links.size(); ++i)
    stalled[i % 6] += static_cast<double>(outcome.links[i].stalled);
  for (const std::size_t dimension : {0U, 1U, 2U}) {
    const double ratio = stalled[2 * dimension] / stalled[(2 * dimension) + 1];
    EXPECT_GT(ratio, 1.0 / 1.5);
    EXPECT_LT(ratio, 1.5);
  }
}

/// The bottleneck of the paper's section 5.1: a slower core slows all.
TEST_ON_ONE_THREAD(RandomAccess, SlowsDownByWhatItsBottleneckIsGiven) {
  const Shape shape = torus({4, 4, 2});
  std::vector<double> times;
  for (const double more : {0.0, 50.0}) {
    RandomAccessPlan plan = blue_gene_p(shape, 20);
    plan.own[3] += more;
    RandomAccess processors(plan, shape);
    times.push_back(cycles_per_update(run(shape, processors), shape.nodes()));
  }
  EXPECT_NEAR(times[1] - times[0], 50.0, 5.0);
}

TEST(RandomAccessRequest, NeedsAPacketWithRoomForAnUpdate) {
  const auto request =
      read_request(R"({"shape":[4],"network":{"packet_largest":32,"packet_header":31},"processor":{},)"
                   R"("workload":{"name":"randomaccess","algorithm":"direct","own":[1,0,1]}})");
  ASSERT_FALSE(request);
  EXPECT_EQ(request.error().what, "workload.update_bytes must fit into a packet");
}

}  // namespace
}  // namespace groma::sim::torus
