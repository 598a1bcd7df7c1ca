#include "base/ending_signals.hpp"

#include <gtest/gtest.h>

namespace groma {
namespace {

void nothing(int /*signal*/) {}

constexpr std::array kAll = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU, SIGQUIT};

using Handler = void (*)(int);

Handler handler_of(int signal) {
  struct sigaction action {};
  sigaction(signal, nullptr, &action);
  return action.sa_handler;
}

class EndingSignals : public ::testing::Test {
 protected:
  void TearDown() override {
    for (const int signal : kAll) std::signal(signal, SIG_DFL);
  }
};

TEST_F(EndingSignals, GoToTheHandlerAndBackToTheDefault) {
  handle_ending_signals(nothing);
  for (const int signal : kAll) EXPECT_EQ(handler_of(signal), nothing);
  handle_ending_signals(SIG_DFL);
  for (const int signal : kAll) EXPECT_EQ(handler_of(signal), SIG_DFL);
}

TEST_F(EndingSignals, LeaveAHangUpIgnoredUnderNohup) {
  std::signal(SIGHUP, SIG_IGN);
  handle_ending_signals(nothing);
  EXPECT_EQ(handler_of(SIGHUP), SIG_IGN);
  EXPECT_EQ(handler_of(SIGTERM), nothing);
}

TEST_F(EndingSignals, LeaveThoseOfBatchSystemsIgnored) {
  std::signal(SIGUSR1, SIG_IGN);
  handle_ending_signals(nothing);
  EXPECT_EQ(handler_of(SIGUSR1), SIG_IGN);
  EXPECT_EQ(handler_of(SIGUSR2), nothing);
}

TEST_F(EndingSignals, HeedAnInterruptThatAShellIgnored) {
  std::signal(SIGINT, SIG_IGN);
  handle_ending_signals(nothing);
  EXPECT_EQ(handler_of(SIGINT), nothing);
}

}  // namespace
}  // namespace groma
