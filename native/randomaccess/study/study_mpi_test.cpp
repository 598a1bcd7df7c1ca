#include <gtest/gtest.h>

#include <algorithm>

#include "randomaccess/study/study.hpp"
#include "randomaccess/verification.hpp"
#include "testing/collecting_sink.hpp"
#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::randomaccess {
namespace {

/// Runs a small plan; what came of it is on the root.
struct Trial {
  explicit Trial(const std::vector<std::string>& arguments)
      : options(parse_study_options(arguments).value()),
        plan(study_plan(options, {site_of(world), Bytes(std::uint64_t{1} << 30U)}).value()) {}

  Result<job::Outcome> run() {
    const Seconds until = clock.now() + Seconds(1.0);
    return run_study({world, clock, cancelled, sink, plan.effort.repetitions, until}, plan);
  }

  const mpi::Communicator world = mpi::Communicator::world();
  StudyOptions options;
  StudyPlan plan;
  const SystemClock clock;
  std::atomic<bool> cancelled = true;  // ends after one repetition
  CollectingSink sink;
};

std::vector<std::string> small(std::vector<std::string> more) {
  more.insert(more.end(), {"--table", "2^10", "--repeat", "1"});
  return more;
}

void expect_valid(const Result<job::Outcome>& outcome, const mpi::Communicator& world,
                  const std::string& what) {
  ASSERT_TRUE(outcome) << what;
  if (!world.is_root()) return;
  for (const job::Check& check : outcome.value().checks) {
    EXPECT_TRUE(check.passed()) << what << ": " << check.name << " " << check.value;
  }
}

TEST(RandomAccessStudy, ValidatesInEveryMappingModeThatRuns) {
  const std::vector<std::pair<std::string, std::string>> combined = {
      {"shared", "5"}, {"shared", "8"},     {"route", "6"},
      {"route", "7"},  {"specialise", "5"}, {"specialise", "8"}};
  for (const auto& [algorithm, mode] : combined) {
    Trial trial(small({"--algorithm", algorithm, "--mapping-mode", mode}));
    expect_valid(trial.run(), trial.world, algorithm + " in mode " + mode);
  }
}

TEST(RandomAccessStudy, SharesALimitOfANodeThatGivesEachRankFewUpdates) {
  const std::vector<std::pair<std::string, std::string>> combined = {
      {"shared", "8"}, {"specialise", "6"}, {"specialise", "8"}};
  for (const auto& [algorithm, mode] : combined) {
    Trial trial(small({"--algorithm", algorithm, "--mapping-mode", mode, "--look-ahead", "20"}));
    expect_valid(trial.run(), trial.world, algorithm + " in mode " + mode);
  }
}

TEST(RandomAccessStudy, DoesAllUpdatesWhoeverGeneratesThem) {
  for (const std::string mode : {"1", "7"}) {
    Trial trial(small({"--mapping-mode", mode, "--updates", "3001"}));
    const auto outcome = trial.run();
    ASSERT_TRUE(outcome);
    EXPECT_NE(outcome.value().facts.json().text().find("\"updates\":3001,"), std::string::npos);
  }
}

TEST(RandomAccessStudy, TellsSamplesOfTheRunAndOfEveryRank) {
  Trial trial(small({"--algorithm", "direct"}));
  ASSERT_TRUE(trial.run());
  if (!trial.world.is_root()) return;
  ASSERT_EQ(trial.sink.values.size(), 2 + 6 * static_cast<std::size_t>(trial.world.size()));
  for (const auto& values : trial.sink.values) EXPECT_EQ(values.size(), 1U);
  EXPECT_NE(trial.sink.labels.back().find("generate, route, update"), std::string::npos);
}

/// Holds every update of its section before it applies one.
class OverLimitUpdater final : public Updater {
 public:
  explicit OverLimitUpdater(const Setup& setup) : setup_(setup) {}
  void apply(Section section) override {
    apply_safely(setup_, section);
    done_.add({.most_pending = section.count});
  }
  [[nodiscard]] Activity activity() const override { return done_; }

 private:
  Setup setup_;
  Activity done_;
};

/// Forgets the last update of the last rank.
class LossyUpdater final : public Updater {
 public:
  explicit LossyUpdater(const Setup& setup) : setup_(setup) {}
  void apply(Section section) override {
    const bool forgets = setup_.world.rank() == setup_.world.size() - 1 && section.count > 0;
    apply_safely(setup_, {section.first, section.count - static_cast<std::uint64_t>(forgets)});
  }
  [[nodiscard]] Activity activity() const override { return {}; }

 private:
  Setup setup_;
};

template <class Kind>
Algorithm algorithm_of() {
  return {.name = "broken",
          .number = 99,
          .what = "",
          .unsupported_reason = [](const Site&) { return std::string(); },
          .priority = [](const Site&) { return 0; },
          .make = [](const Setup& setup) -> Result<std::unique_ptr<Updater>> {
            return std::unique_ptr<Updater>(std::make_unique<Kind>(setup));
          }};
}

bool fails(const job::Outcome& outcome, std::string_view check) {
  const auto found = std::ranges::find(outcome.checks, check, &job::Check::name);
  return found != outcome.checks.end() && !found->passed();
}

TEST(RandomAccessStudy, FailsWhereMoreUpdatesArePendingThanAllowed) {
  const Algorithm over_limit = algorithm_of<OverLimitUpdater>();
  Trial trial(small({"--look-ahead", "16"}));
  trial.plan.algorithm = &over_limit;
  const auto outcome = trial.run();
  ASSERT_TRUE(outcome);
  if (!trial.world.is_root()) return;
  EXPECT_TRUE(fails(outcome.value(), "updates pending"));
  EXPECT_FALSE(fails(outcome.value(), "wrong words"));
}

TEST(RandomAccessStudy, FailsForASingleLostUpdate) {
  const Algorithm forgetful = algorithm_of<LossyUpdater>();
  Trial trial(small({}));
  trial.plan.algorithm = &forgetful;
  const auto outcome = trial.run();
  ASSERT_TRUE(outcome);
  if (!trial.world.is_root()) return;
  EXPECT_TRUE(fails(outcome.value(), "wrong words"));
}

TEST(RandomAccessStudy, StaysWithinTheLookAheadThatIsAllowed) {
  for (const std::string algorithm : {"shared", "hypercube"}) {
    Trial trial(small({"--algorithm", algorithm, "--look-ahead", "256"}));
    expect_valid(trial.run(), trial.world, algorithm);
  }
}

}  // namespace
}  // namespace groma::randomaccess
