#include "counters/program_signals.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <span>
#include <string>

#include "counters/program_counts.hpp"

namespace groma::counters {
namespace {

constexpr int kHandedOn[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU};
constexpr int kOfTerminal[] = {SIGINT, SIGQUIT};

int code_of_script(const std::string& script, const ProgramSignals& signals = {}) {
  const auto counts = count_program({"tsc"}, {"sh", "-c", script}, signals);
  EXPECT_TRUE(counts) << counts.error().what;
  return counts ? counts.value().exit_code : -1;
}

/// Ends with 9 when it gets the signal that it sends its parent.
std::string that_signals_its_parent(int number) {
  const std::string signal = std::to_string(number);
  return "trap 'exit 9' " + signal + "; kill -" + signal + " $PPID; while :; do sleep 0.01; done";
}

/// Until it goes out of scope.
class Ignored {
 public:
  explicit Ignored(int number) : number_(number), before_(signal(number, SIG_IGN)) {}
  ~Ignored() { signal(number_, before_); }
  Ignored(const Ignored&) = delete;
  Ignored& operator=(const Ignored&) = delete;

 private:
  int number_;
  void (*before_)(int);
};

TEST(ProgramSignals, AreHandedOnToTheProgram) {
  for (const int number : kHandedOn) EXPECT_EQ(code_of_script(that_signals_its_parent(number)), 9) << number;
}

TEST(ProgramSignals, ThatCameBeforeTheProgramAreHandedOnToIt) {
  for (const auto& numbers : {std::span<const int>(kHandedOn), std::span<const int>(kOfTerminal)}) {
    for (const int number : numbers) {
      const ProgramSignals signals;
      raise(number);
      EXPECT_EQ(code_of_script("ulimit -c 0; exec sleep 60", signals), 128 + number);
    }
  }
}

TEST(ProgramSignals, OfTheTerminalAreLeftToTheProgram) {
  for (const int number : kOfTerminal) {
    const std::string signal = std::to_string(number);
    EXPECT_EQ(code_of_script("kill -" + signal + " $PPID; trap 'exit 9' " + signal + "; kill -" + signal +
                             " $$; exit 3"),
              9)
        << number;
  }
}

TEST(ProgramSignals, StayIgnoredInTheProgramWhereTheCallerIgnoredThem) {
  for (const auto& numbers : {std::span<const int>(kHandedOn), std::span<const int>(kOfTerminal)}) {
    for (const int number : numbers) {
      const Ignored ignored(number);
      const std::string signal = std::to_string(number);
      EXPECT_EQ(code_of_script("kill -" + signal + " $PPID; kill -" + signal + " $$; exit 3"), 3) << number;
    }
  }
}

TEST(ProgramSignals, LetTheProgramEndWithItsCodeWhereTheCallerIgnoresTheEndOfChildren) {
  const Ignored ignored(SIGCHLD);
  EXPECT_EQ(code_of_script("exit 3"), 3);
}

TEST(ProgramSignals, HaveNoEffectBetweenTheEndOfTheProgramAndTheirOwn) {
  const ProgramSignals signals;
  EXPECT_EQ(code_of_script("exit 3", signals), 3);
  for (const int number : kHandedOn) raise(number);
  for (const int number : kOfTerminal) raise(number);
}

TEST(ProgramSignals, AreThoseOfTheCallerAgainAtTheirEnd) {
  code_of_script("exit 3");
  for (const int number : kHandedOn) {
    const auto before = signal(number, SIG_DFL);
    EXPECT_EQ(before, SIG_DFL) << number;
  }
}

}  // namespace
}  // namespace groma::counters
