#include <gtest/gtest.h>
#include <unistd.h>

#include <sstream>

#include "randomaccess/study/command.hpp"

namespace groma::randomaccess {
namespace {

/// A small run, all of whose ranks are this job's.
struct Trial {
  int run(const std::string& events) {
    const job::Process process{
        .out = out, .errors = errors, .cancelled = cancelled, .give_up = [] { _exit(99); }};
    return run_study_command(
        world, parse_study_options({"--table", "2^10", "--repeat", "1", "--budget", "0", "--events", events}),
        process);
  }

  const mpi::Communicator world = mpi::Communicator::world();
  std::atomic<bool> cancelled = false;
  std::ostringstream out;
  std::ostringstream errors;
};

TEST(StudyCommand, EndsWellOnEveryRankOnceItsEventsAreWritten) {
  Trial trial;
  EXPECT_EQ(trial.run("-"), kOk);
  EXPECT_EQ(trial.errors.str(), "");
  EXPECT_EQ(trial.out.str().find("{\"event\":\"run\"") == 0, trial.world.is_root());
}

TEST(StudyCommand, FailsOnEveryRankWhereEventsCannotBeWritten) {
  Trial trial;
  EXPECT_EQ(trial.run("/dev/full"), kEnvironment);
  const std::string line = "groma-randomaccess: the events cannot be written to /dev/full\n";
  EXPECT_EQ(trial.errors.str().substr(0, line.size()), trial.world.is_root() ? line : "");
}

}  // namespace
}  // namespace groma::randomaccess
