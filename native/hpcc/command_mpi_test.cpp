// A whole run with benchmarks of its own: what it writes and with which code it ends.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "hpcc/benchmark.hpp"
#include "hpcc/command.hpp"
#include "job/repetition.hpp"

namespace groma::hpcc {
namespace {

namespace fs = std::filesystem;
using mpi::Communicator;

Outcome outcome_of(double residual) {
  return {{.checks = {{"residual", residual, 1.0}}}, {entry("PTRANS_GBs", 1.5)}};
}

Result<Outcome> run_well(const Context& context) {
  const std::vector<job::Series> series = {{"good", "mpi", "B/s"}};
  job::repeat(context, series, [] { return std::vector<double>{1.5e9}; });
  return outcome_of(0.5);
}

Result<Outcome> run_badly(const Context& /*context*/) {
  return outcome_of(2.0);
}

Result<Outcome> run_not(const Context& context) {
  const Status own = context.world.is_root() ? Status(Error{"environment", "the test breaks off", "nothing"})
                                             : Status(Done{});
  return context.world.agree(own).error();
}

int signal_to_last_rank = SIGTERM;
int signal_to_others = 0;

/// As if the user, a limit or the batch system ended the run, on one rank or on all of them.
Result<Outcome> run_into_signal(const Context& context) {
  const bool is_last = context.world.rank() == context.world.size() - 1;
  if (const int signal = is_last ? signal_to_last_rank : signal_to_others; signal != 0) raise(signal);
  // The signal is handled by a thread: wait until it is known.
  while (context.world.reduce_to_all(std::int32_t{context.cancelled}, mpi::Reduction::kMax) == 0) {
  }
  return outcome_of(0.5);
}

// Behind all others, so that the tests of a run can name them and nothing else meets them.
BenchmarkInfo info(std::string_view name, std::uint32_t order) {
  return {.name = name,
          .title = name,
          .measures = "",
          .formula = "",
          .validation = "",
          .reference = "",
          .order = order};
}

const CostModel kLittle = {[](const Plan& /*plan*/) { return 1.0; },
                           [](const Plan& /*plan*/, Seconds /*left*/) { return Seconds(0.01); }};

const Registration good(info("test_good", 1001), run_well, kLittle);
const Registration bad(info("test_bad", 1002), run_badly, kLittle);
const Registration failing(info("test_failing", 1003), run_not, kLittle);
const Registration signalled(info("test_signalled", 1004), run_into_signal, kLittle);

/// Cannot run on any ranks, and knows so beforehand.
Status admits_none(const Plan& /*plan*/, const Communicator* world) {
  return world == nullptr ? Status(Done{}) : Status(Error{"usage", "the test suits no ranks", "nothing"});
}
const Registration unwilling(info("test_unwilling", 1005), run_well, kLittle, admits_none);

// Given: to measure them would take longer than the tests.
constexpr const char* kRates =
    "multiply=1e9,solve=1e9,bandwidth=1e9,transpose=1e9,transform=1e9,shared_transform=1e9,updates=1e9,"
    "shared_updates=1e9";

class CommandTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string name = world_.broadcast_text("groma-command-" + std::to_string(getpid()));
    folder_ = fs::temp_directory_path() / name;
    if (world_.is_root()) fs::create_directories(folder_);
    world_.barrier();
  }
  void TearDown() override {
    world_.barrier();
    if (world_.is_root()) fs::remove_all(folder_);
  }

  int run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"-N", "64", "--nb", "16", "--rates", kRates, "--output", output()});
    std::atomic<bool> cancelled = false;
    const job::Process process{
        .out = out_, .errors = errors_, .cancelled = cancelled, .give_up = [] { _exit(99); }};
    return run_command(world_, parse_options(arguments), process);
  }

  [[nodiscard]] std::string output() const { return (folder_ / "hpccoutf.txt").string(); }
  [[nodiscard]] bool wrote(const std::string& line) const {
    std::ostringstream text;
    text << std::ifstream(output()).rdbuf();
    return text.str().find("\n" + line + "\n") != std::string::npos;
  }

  /// Every rank knows the code, only the root has spoken.
  void expect_one_line(const std::string& line) const {
    if (!world_.is_root()) {
      EXPECT_EQ(errors_.str() + out_.str(), "");
    } else {
      EXPECT_EQ(errors_.str().substr(0, errors_.str().find('\n')), line);
    }
  }

  Communicator world_ = Communicator::world();
  fs::path folder_;
  std::ostringstream out_;
  std::ostringstream errors_;
};

TEST_F(CommandTest, EndsWithZeroAndSuccessWhereAllIsWell) {
  EXPECT_EQ(run({"--only", "test_good"}), 0);
  if (!world_.is_root()) return;
  EXPECT_TRUE(wrote("Success=1"));
  EXPECT_TRUE(wrote("PTRANS_GBs=1.5"));
  EXPECT_NE(out_.str().find("1.5 GB/s"), std::string::npos);
}

TEST_F(CommandTest, EndsWithThreeWhereACheckFails) {
  EXPECT_EQ(run({"--only", "test_good,test_bad"}), 3);
  if (!world_.is_root()) return;
  EXPECT_TRUE(wrote("Success=0"));
  EXPECT_NE(out_.str().find("FAILED"), std::string::npos);
}

TEST_F(CommandTest, KeepsWhatWasMeasuredBeforeAFailure) {
  EXPECT_EQ(run({"--only", "test_good,test_failing"}), 4);
  expect_one_line("groma-hpcc: the test breaks off");
  if (!world_.is_root()) return;
  EXPECT_TRUE(wrote("Success=0"));
  EXPECT_TRUE(wrote("PTRANS_GBs=1.5"));
}

TEST_F(CommandTest, KeepsWhatWasMeasuredBeforeASignal) {
  EXPECT_EQ(run({"--only", "test_good,test_signalled"}), 130);
  if (!world_.is_root()) return;
  EXPECT_TRUE(wrote("Success=0"));
  EXPECT_TRUE(wrote("PTRANS_GBs=1.5"));
  EXPECT_TRUE(wrote("HPL_Tflops=-1"));
}

/// Ended by one of those that batch systems send.
class BatchSignalTest : public CommandTest, public ::testing::WithParamInterface<int> {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    signal_to_last_rank = signal_to_others = GetParam();
  }
  void TearDown() override {
    signal_to_last_rank = SIGTERM;
    signal_to_others = 0;
    CommandTest::TearDown();
  }
};

INSTANTIATE_TEST_SUITE_P(Of, BatchSignalTest, ::testing::Values(SIGUSR1, SIGUSR2, SIGXCPU, SIGQUIT));

TEST_P(BatchSignalTest, KeepsWhatWasMeasuredAndIsNamed) {
  EXPECT_EQ(run({"--only", "test_good,test_signalled"}), 130);
  expect_one_line("groma-hpcc: note: interrupted by signal " + std::to_string(GetParam()) + " (" +
                  strsignal(GetParam()) + ")");
  if (!world_.is_root()) return;
  EXPECT_TRUE(wrote("PTRANS_GBs=1.5"));
}

TEST_P(BatchSignalTest, NamesTheRankThatGotItAlone) {
  signal_to_others = 0;
  EXPECT_EQ(run({"--only", "test_signalled"}), 130);
  if (world_.size() == 1) return;
  expect_one_line("groma-hpcc: rank " + std::to_string(world_.size() - 1) + " received signal " +
                  std::to_string(GetParam()) + " (" + strsignal(GetParam()) + ")");
}

TEST_F(CommandTest, NamesTheRankThatWasToldToEndAlone) {
  EXPECT_EQ(run({"--only", "test_signalled"}), 130);
  if (world_.size() == 1) return expect_one_line("");
  expect_one_line("groma-hpcc: rank " + std::to_string(world_.size() - 1) +
                  " received signal 15 (Terminated)");
}

TEST_F(CommandTest, AsksEveryTestBeforeTheFirstRuns) {
  EXPECT_EQ(run({"--only", "test_good,test_unwilling"}), 2);
  expect_one_line("groma-hpcc: the test suits no ranks");
  EXPECT_FALSE(fs::exists(output()));
}

TEST_F(CommandTest, AsksOnlyTheTestsThatRun) {
  EXPECT_EQ(run({"--only", "test_good"}), 0);
}

TEST_F(CommandTest, EndsWithTwoForAnUnknownAlgorithmBeforeAnyTestRuns) {
  for (const char* tests : {"test_good,random_access", "random_access", "test_good"}) {
    errors_.str("");
    EXPECT_EQ(run({"--only", tests, "--random-access", "foo"}), 2);
    expect_one_line("groma-hpcc: no algorithm of RandomAccess is called 'foo'");
    EXPECT_FALSE(fs::exists(output()));
  }
}

TEST_F(CommandTest, AppendsWhereAsked) {
  EXPECT_EQ(run({"--only", "test_good"}), 0);
  EXPECT_EQ(run({"--only", "test_bad", "--append"}), 3);
  if (!world_.is_root()) return;
  EXPECT_TRUE(wrote("Success=1"));
  EXPECT_TRUE(wrote("Success=0"));
}

TEST_F(CommandTest, EndsWithTwoForAnUnknownTestOrOption) {
  EXPECT_EQ(run({"--only", "linpakc"}), 2);
  expect_one_line("groma-hpcc: no test is called 'linpakc'");
}

TEST_F(CommandTest, EndsWithTwoForAnUnknownOption) {
  EXPECT_EQ(run({"--fast"}), 2);
  expect_one_line("groma-hpcc: unknown option or verb '--fast'");
}

TEST_F(CommandTest, EndsWithTwoForABrokenInput) {
  const std::string input = (folder_ / "input.txt").string();
  if (world_.is_root()) std::ofstream(input) << "no input\n";
  EXPECT_EQ(run({"--input", input}), 2);
  expect_one_line("groma-hpcc: " + input +
                  ": it ends after line 1; expected 36 lines, or the 31 lines of an HPL.dat");
}

TEST_F(CommandTest, EndsWithTwoForAGridOfMoreRanksThanThereAre) {
  EXPECT_EQ(run({"--only", "test_good", "--grid", "7x7"}), 2);
  expect_one_line("groma-hpcc: a grid of 7 x 7 needs 49 ranks, but there are " +
                  std::to_string(world_.size()));
}

TEST_F(CommandTest, EndsWithFourWhereNothingCanBeWritten) {
  EXPECT_EQ(run({"--only", "test_good", "--output", "/nowhere/out.txt"}), 4);
  expect_one_line("groma-hpcc: /nowhere/out.txt cannot be written: No such file or directory");
  errors_.str("");
  EXPECT_EQ(run({"--only", "test_good", "--events", "/nowhere/events"}), 4);
  expect_one_line("groma-hpcc: the events cannot be written to /nowhere/events");
}

}  // namespace
}  // namespace groma::hpcc
