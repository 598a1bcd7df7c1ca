#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "randomaccess/specialised/specialised.hpp"
#include "randomaccess/study/bottleneck.hpp"
#include "randomaccess/study/study.hpp"
#include "randomaccess/table_memory.hpp"
#include "randomaccess/verification.hpp"
#include "testing/collecting_sink.hpp"
#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::randomaccess {
namespace {

using Kind = Intervention::Kind;

/// The experiment on a small table; what came of it is on the root.
struct Trial {
  explicit Trial(const std::string& mode)
      : plan(study_plan(parse_study_options({"--experiment", "bottleneck", "--algorithm", "specialise",
                                             "--mapping-mode", mode, "--table", "2^10", "--repeat", "2"})
                            .value(),
                        {site_of(world), Bytes(std::uint64_t{1} << 30U)})
                 .value()) {}

  Result<job::Outcome> run() { return run_study({world, clock, cancelled, sink, 2, clock.now()}, plan); }

  const mpi::Communicator world = mpi::Communicator::world();
  const StudyPlan plan;
  const SystemClock clock;
  std::atomic<bool> cancelled = false;
  CollectingSink sink;
};

bool has(const std::vector<std::string>& labels, const std::string& text) {
  return std::ranges::any_of(labels, [&](const std::string& one) { return one.find(text) != one.npos; });
}

TEST(Bottleneck, TimesEveryInterventionAndVerifiesThoseThatDropNothing) {
  for (const std::string mode : {"5", "8"}) {
    if (mpi::Communicator::world().size() < 2) return;
    Trial trial(mode);
    const auto outcome = trial.run();
    ASSERT_TRUE(outcome);
    if (!trial.world.is_root()) continue;
    for (const job::Check& check : outcome.value().checks) EXPECT_TRUE(check.passed()) << check.name;
    // One node: the run alone, updates dropped, both roles delayed; the two delays as well.
    EXPECT_EQ(trial.sink.labels.size(), 6U);
    EXPECT_TRUE(has(trial.sink.labels, R"("intervention":"none")"));
    EXPECT_TRUE(has(trial.sink.labels, R"("intervention":"discard","role":"update")"));
    EXPECT_TRUE(has(trial.sink.labels, R"("intervention":"delay","role":"generate")"));
    for (const auto& values : trial.sink.values) {
      EXPECT_EQ(values.size(), 2U);
      for (const double value : values) EXPECT_GT(value, 0.0);
    }
  }
}

TEST(Bottleneck, RefusesRanksWithoutRoles) {
  const auto refused = [](const std::string& algorithm, int ranks, int nodes) {
    const auto options =
        parse_study_options({"--experiment=bottleneck", "--mapping-mode=5", "--algorithm=" + algorithm});
    const auto plan = study_plan(options.value(), assumed_machine(ranks, nodes, Bytes(1U << 30U)));
    return plan ? "accepted" : plan.error().what;
  };
  EXPECT_EQ(refused("specialise", 4, 2), "accepted");
  EXPECT_NE(refused("specialise", 4, 4).find("that rank has all of them"), std::string::npos);
  EXPECT_NE(refused("route", 4, 2).find("'route' do the same"), std::string::npos);
  EXPECT_FALSE(parse_study_options({"--experiment=luck"}));
}

TEST(Bottleneck, AdvisesWhatItsOnlyAlgorithmNeeds) {
  const auto advice = [](std::initializer_list<std::string> more) {
    std::vector<std::string> words = {"--experiment=bottleneck", "--algorithm=specialise"};
    words.insert(words.end(), more);
    const auto plan = study_plan(parse_study_options(words).value(), assumed_machine(4, 1, Bytes(1U << 30U)));
    return plan ? "accepted" : plan.error().next;
  };
  EXPECT_EQ(advice({"--mapping-mode=8"}), "accepted");
  EXPECT_EQ(advice({"--mapping-mode=1"}), "give --mapping-mode 5, 6, 7 or 8");
  EXPECT_EQ(advice({"--mapping-mode=8", "--routers=4"}), "give fewer --routers, or more --look-ahead");
}

TEST(Interventions, DropRolesFromTheLastToTheSecondAndDelayEach) {
  const auto all = interventions_on(Roles(4, 3, 3));
  std::vector<std::string> dropped;
  std::vector<std::string> delayed;
  for (const Intervention& one : all) {
    if (one.kind == Kind::kDiscard) dropped.push_back(one.role);
    if (one.kind != Kind::kDiscard && one.kind != Kind::kNone) delayed.push_back(one.role);
  }
  EXPECT_EQ(all.front().kind, Kind::kNone);
  EXPECT_EQ(dropped, (std::vector<std::string>{"update", "route 3", "route 2"}));
  EXPECT_EQ(delayed, (std::vector<std::string>{"generate, route 1", "route 2", "route 3", "update", "send",
                                               "receive"}));
}

TEST(Interventions, PerturbTheRanksOfTheRoleOnly) {
  const Roles roles(8, 6, 3);
  for (const Intervention& one : interventions_on(roles)) {
    std::set<int> discarding;
    std::set<int> working;
    for (int rank = 0; rank < roles.ranks(); ++rank) {
      const Perturbation perturbation = perturbation_for(one, roles, rank, Seconds(1e-9));
      if (perturbation.discards) discarding.insert(rank);
      if (perturbation.each_worked > Seconds(0.0)) working.insert(rank);
    }
    EXPECT_EQ(discarding.contains(0), false) << one.role << ": generating always goes on";
    EXPECT_EQ(!discarding.empty(), one.kind == Kind::kDiscard);
    EXPECT_EQ(static_cast<int>(working.size()), one.kind == Kind::kWork ? one.ranks : 0) << one.role;
  }
}

/// Updates of a whole small run on one node, with a perturbation for each rank.
struct PerturbedRun {
  explicit PerturbedRun(const std::function<Perturbation(int rank)>& of_rank)
      : parts(1U << 10U, static_cast<std::uint64_t>(world.size())),
        memory(TableMemory::allocate(world, world, parts.size(own()), true).value()),
        setup{.world = world,
              .workers = parts,
              .table = memory.words(),
              .generator = Generator::kPolynomial,
              .node_table = memory.of_node()} {
    fill(setup.table, parts.first(own()));
    auto made = make_specialised(setup, {world.duplicate(), 1, {}, of_rank(world.rank())}).value();
    made->apply({4 * parts.first(own()), 4 * setup.table.size()});
    done = made->activity();
    wrong = world.reduce_to_all(count_wrong_words(setup, {4 * parts.first(own()), 4 * setup.table.size()}),
                                mpi::Reduction::kSum);
  }
  [[nodiscard]] std::uint64_t own() const { return static_cast<std::uint64_t>(world.rank()); }

  const mpi::Communicator world = mpi::Communicator::world();
  Partition parts;
  TableMemory memory;
  Setup setup;
  Activity done;
  std::uint64_t wrong = 0;
};

TEST(Perturbation, OfARankThatDropsUpdatesLeavesWrongWords) {
  if (mpi::Communicator::world().size() < 2) return;
  EXPECT_GT(PerturbedRun([](int rank) { return Perturbation{.discards = rank == 1}; }).wrong, 0U);
}

TEST(Perturbation, OfARankThatIsDelayedTakesTheTimeAndLeavesTheTableRight) {
  if (mpi::Communicator::world().size() < 2) return;
  const Seconds each(1e-6);
  const PerturbedRun run(
      [&](int rank) { return Perturbation{.each_worked = rank == 0 ? each : Seconds(0.0)}; });
  EXPECT_EQ(run.wrong, 0U);
  const double expected = run.world.is_root() ? 4 * static_cast<double>(run.parts.words()) * each.value() : 0;
  EXPECT_GE(run.done.delayed.value(), expected);
  EXPECT_EQ(run.done.delayed > Seconds(0.0), run.world.is_root());
}

}  // namespace
}  // namespace groma::randomaccess
