// Signals that end a run after it has saved its results.
#pragma once

#include <array>
#include <csignal>

namespace groma {

/// By which a batch system announces the end of a job: Slurm sends SIGUSR1 by --signal, LSF SIGUSR2, and the
/// system SIGXCPU where CPU time is limited. SIGQUIT comes from a terminal and from container runtimes. By
/// default each ends a program before it has saved anything.
constexpr std::array kBatchSignals = {SIGUSR1, SIGUSR2, SIGXCPU, SIGQUIT};

/// Installs `handler` for SIGINT, SIGTERM, SIGHUP and those of batch systems with these flags of sigaction.
/// If SIGHUP is ignored, as under nohup, it stays ignored; so do those of batch systems.
inline void handle_ending_signals(void (*handler)(int), int flags = 0) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  const auto handle = [&](int signal) { sigaction(signal, &action, nullptr); };
  const auto handle_unless_ignored = [&](int signal) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) handle(signal);
  };
  handle(SIGINT);
  handle(SIGTERM);
  handle_unless_ignored(SIGHUP);
  for (const int signal : kBatchSignals) handle_unless_ignored(signal);
}

}  // namespace groma
