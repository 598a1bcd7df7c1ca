// What every network probe promises on any number of ranks. Sizes are small: nothing here is a figure.
#include <gtest/gtest.h>

#include <algorithm>

#include "testing/collecting_sink.hpp"
#include "testing/network_probe_harness.hpp"
#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::survey::network {
namespace {

int ranks() {
  return mpi::Communicator::world().size();
}

bool is_root() {
  return mpi::Communicator::world().is_root();
}

/// Cases whose labels hold `text`.
std::size_t count_of(const CollectingSink& sink, const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(sink.labels.begin(), sink.labels.end(),
                    [&](const std::string& one) { return one.find(text) != std::string::npos; }));
}

/// There is no gap where a pause fell into each single message of a round.
bool may_be_missing(const std::string& label) {
  return label.find(R"("what":"gap")") != std::string::npos;
}

/// Every case was sampled in each of `rounds`, as far as none may be missing, with times.
void expect_times(const CollectingSink& sink, std::size_t rounds, double least = 0.0) {
  for (std::size_t i = 0; i < sink.values.size(); ++i) {
    EXPECT_LE(sink.values[i].size(), rounds) << sink.labels[i];
    if (!may_be_missing(sink.labels[i])) {
      EXPECT_EQ(sink.values[i].size(), rounds) << sink.labels[i];
    }
    for (const double value : sink.values[i]) EXPECT_GE(value, least) << sink.labels[i];
  }
}

/// Ranks as if those of even and of odd number lay on two machines.
mpi::Nodes two_nodes() {
  std::vector<std::string> machines;
  for (int rank = 0; rank < ranks(); ++rank) machines.emplace_back(rank % 2 == 0 ? "even" : "odd");
  return mpi::nodes_by_name(machines);
}

constexpr double kSomeTime = 1e-9;

TEST(NetworkPairs, OfFewRanksAreAllMeasured) {
  const ProbeRun run = run_probe("net_pairs", {"rounds=3", "budget=1"});
  ASSERT_EQ(static_cast<bool>(run.outcome), ranks() > 1);
  if (ranks() == 1 || !is_root()) return;
  const auto count = static_cast<std::size_t>(ranks() * (ranks() - 1) / 2);
  EXPECT_EQ(run.sink.labels.size(), count);
  EXPECT_EQ(run.sink.labels.back(), R"({"unit":"s","from":)" + std::to_string(ranks() - 2) + R"(,"to":)" +
                                        std::to_string(ranks() - 1) + R"(,"bytes":8})");
  expect_times(run.sink, 3, kSomeTime);
  EXPECT_EQ(run.outcome.value().facts.json().text(), R"({"design":"all","pairs":)" + std::to_string(count) +
                                                         R"(,"pairs_total":)" + std::to_string(count) + "}");
}

TEST(NetworkPairs, OfManyRanksAreADesignWithPairsWithinAndBetweenNodes) {
  if (ranks() < 4) return;
  const ProbeRun run = run_probe("net_pairs", {"pairs=4", "rounds=3", "budget=1"}, two_nodes());
  ASSERT_TRUE(run.outcome);
  if (!is_root()) return;
  ASSERT_EQ(run.sink.labels.size(), 4U);
  expect_times(run.sink, 3, kSomeTime);
  EXPECT_NE(run.outcome.value().facts.json().text().find(R"("design":"sampled","pairs":4)"),
            std::string::npos);
  const auto first_node = count_of(run.sink, R"("from":0,"to":2)");
  EXPECT_EQ(first_node, ranks() == 4 ? 1U : first_node);  // the only pair of its class
}

TEST(NetworkNodePairs, AreAllMeasuredAtOnceAndSomeAlone) {
  const ProbeRun run = run_probe("net_node_pairs", {"alone=2", "rounds=3", "budget=1"});
  ASSERT_EQ(static_cast<bool>(run.outcome), ranks() > 1);
  if (ranks() == 1 || !is_root()) return;
  const auto all = static_cast<std::size_t>(ranks() * (ranks() - 1) / 2);
  const std::size_t alone = ranks() > 3 ? 2 : 0;
  const std::string at_once = std::to_string(ranks() / 2);
  EXPECT_EQ(run.sink.labels.size(), all + alone);
  EXPECT_EQ(run.sink.labels[all - 1], R"({"unit":"s","from":)" + std::to_string(ranks() - 2) + R"(,"to":)" +
                                          std::to_string(ranks() - 1) + R"(,"bytes":8,"at_once":)" + at_once +
                                          "}");
  EXPECT_EQ(count_of(run.sink, R"("at_once":1})"), alone > 0 ? alone : all);
  expect_times(run.sink, 3, kSomeTime);
}

TEST(NetworkNodePairs, OfManyNodesAreThoseOfSomeNodes) {
  if (ranks() < 4) return;
  const ProbeRun run = run_probe("net_node_pairs", {"nodes=3", "rounds=3", "budget=1"});
  ASSERT_TRUE(run.outcome);
  if (!is_root()) return;
  EXPECT_EQ(run.sink.labels.size(), 3U);
  EXPECT_EQ(count_of(run.sink, R"("at_once":1})"), 3U);
  expect_times(run.sink, 3, kSomeTime);
  EXPECT_EQ(run.outcome.value().facts.json().text(),
            R"({"nodes":3,"nodes_total":)" + std::to_string(ranks()) + R"(,"at_once":1})");
}

TEST(NetworkCurve, HasAllSizesOfEachPair) {
  if (ranks() < 2) return;
  const std::string far = "0-" + std::to_string(ranks() - 1);
  const ProbeRun run =
      run_probe("net_curve", {"layers=near:0-1;far:" + far, "largest=64", "rounds=3", "budget=1"});
  ASSERT_TRUE(run.outcome);
  if (!is_root()) return;
  EXPECT_EQ(run.sink.labels.size(), 2 * 13U);  // empty, 1, 2, 3, 4, 6 … 48, 64
  EXPECT_EQ(count_of(run.sink, R"("layer":"far")"), 13U);
  EXPECT_EQ(count_of(run.sink, R"("bytes":0})"), 2U);
  expect_times(run.sink, 3, kSomeTime);
}

TEST(NetworkLogGp, HasFourTimesOfEachSize) {
  if (ranks() < 2) return;
  const ProbeRun run = run_probe("net_loggp", {"layers=one:1-0", "largest=256", "rounds=3", "budget=1"});
  ASSERT_TRUE(run.outcome);
  if (!is_root()) return;
  EXPECT_EQ(run.sink.labels.size(), 5 * 4U);
  for (const char* what : {"round_trip", "send_overhead", "receive_overhead", "gap"}) {
    EXPECT_EQ(count_of(run.sink, std::string(R"("what":")") + what), 5U);
  }
  expect_times(run.sink, 3);
}

TEST(NetworkConcurrency, TellsEveryMessageOfOneTwoAndAllPairs) {
  if (ranks() < 6) return;
  const ProbeRun run =
      run_probe("net_concurrency", {"layers=all:0-1,2-3,5-4", "bytes=4096", "rounds=3", "budget=1"});
  ASSERT_TRUE(run.outcome);
  if (!is_root()) return;
  EXPECT_EQ(run.sink.labels.size(), 1U + 2U + 3U);
  EXPECT_EQ(count_of(run.sink, R"("messages":3,)"), 3U);
  expect_times(run.sink, 3, kSomeTime);
}

TEST(NetworkLayers, OfRanksThatDoNotExistAreRefusedOnAllRanks) {
  for (const char* probe : {"net_curve", "net_loggp", "net_concurrency"}) {
    const ProbeRun run = run_probe(probe, {"layers=far:0-1000"});
    ASSERT_FALSE(run.outcome);
    EXPECT_EQ(run.outcome.error().code, "usage");
  }
}

TEST(NetworkReceiver, TellsReceiverSendersAndTargetsOfEveryPhase) {
  const ProbeRun run = run_probe(
      "net_receiver", {"senders=3", "targets=2", "bytes=4096", "messages=3", "rounds=3", "budget=1"});
  ASSERT_EQ(static_cast<bool>(run.outcome), ranks() > 1);
  if (ranks() == 1 || !is_root()) return;
  const auto senders = static_cast<std::size_t>(std::min(3, ranks() - 1));
  const auto targets = static_cast<std::size_t>(std::min(2, ranks() - 1));
  EXPECT_EQ(count_of(run.sink, R"("role":"receiver")"), senders * (targets + 1));
  EXPECT_EQ(count_of(run.sink, R"("role":"sender")"), (targets + 1) * senders * (senders + 1) / 2);
  EXPECT_EQ(count_of(run.sink, R"("role":"target")"), senders * targets * (targets + 1) / 2);
  EXPECT_EQ(count_of(run.sink, R"("rank":)" + std::to_string(ranks() / 2) + R"(,"role":"receiver")"),
            senders * (targets + 1));
  expect_times(run.sink, 3, kSomeTime);
}

TEST(NetworkAccess, SendsToTheNextNodeAndTellsEveryRank) {
  if (ranks() % 2 != 0) return;
  const ProbeRun run = run_probe("net_access", {"bytes=65536", "rounds=3", "budget=1"}, two_nodes());
  ASSERT_TRUE(run.outcome);
  if (!is_root()) return;
  EXPECT_EQ(run.sink.labels.size(), static_cast<std::size_t>(ranks()));
  EXPECT_EQ(count_of(run.sink, R"("per_node":)" + std::to_string(ranks() / 2) + ","), run.sink.labels.size());
  expect_times(run.sink, 3, kSomeTime);
}

TEST(NetworkAccess, OfOneNodeIsRefused) {
  const ProbeRun run = run_probe("net_access", {});
  ASSERT_FALSE(run.outcome);
  EXPECT_EQ(run.outcome.error().code, "environment");
}

}  // namespace
}  // namespace groma::survey::network
