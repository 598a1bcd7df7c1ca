#include "counters/program_counts.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace groma::counters {
namespace {

const ProgramCount& count_called(const ProgramCounts& counts, std::string_view name) {
  return *std::ranges::find(counts.counts, name, &ProgramCount::event);
}

TEST(ProgramCounts, CountAProgramAndItsChildren) {
  const auto counts =
      count_program({"page-faults", "tsc", "task-clock", "nonsense"}, {"sh", "-c", "/bin/true; exit 3"});
  ASSERT_TRUE(counts) << counts.error().what;
  EXPECT_EQ(counts.value().exit_code, 3);
  EXPECT_GT(counts.value().seconds, 0);
  for (const auto* name : {"page-faults", "tsc", "task-clock"}) {
    const ProgramCount& one = count_called(counts.value(), name);
    ASSERT_TRUE(one.value) << name << ": " << one.remark;
    EXPECT_GT(*one.value, 0) << name;
  }
  EXPECT_FALSE(count_called(counts.value(), "nonsense").value);
  EXPECT_FALSE(count_called(counts.value(), "nonsense").remark.empty());
}

TEST(ProgramCounts, TellTheSignalThatEndedTheProgram) {
  const auto counts = count_program({"tsc"}, {"sh", "-c", "kill -TERM $$"});
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts.value().exit_code, 128 + 15);
}

TEST(ProgramCounts, SayThatTheProgramDoesNotExist) {
  const auto counts = count_program({"tsc"}, {"/absent/program"});
  ASSERT_FALSE(counts);
  EXPECT_NE(counts.error().what.find("/absent/program cannot be started"), std::string::npos);
}

/// Leaves this process so many more descriptors.
class FewDescriptors {
 public:
  explicit FewDescriptors(int more) {
    getrlimit(RLIMIT_NOFILE, &before_);
    const int lowest = dup(STDERR_FILENO);
    close(lowest);
    const rlimit fewer{static_cast<rlim_t>(lowest + more), before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &fewer);
  }
  ~FewDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;

 private:
  rlimit before_{};
};

TEST(ProgramCounts, SayThatTooFewDescriptorsAreLeft) {
  for (const int more : {0, 1, 2, 3}) {
    const FewDescriptors few(more);
    const auto counts = count_program({"tsc"}, {"true"});
    ASSERT_FALSE(counts) << more;
    EXPECT_EQ(counts.error().code, "environment");
    EXPECT_EQ(counts.error().what, "true cannot be started: Too many open files");
  }
}

}  // namespace
}  // namespace groma::counters
