// Signals that end a run after it has saved its results.
#pragma once

#include <csignal>

namespace groma {

/// Installs `handler` for SIGINT, SIGTERM and SIGHUP with these flags of sigaction. If SIGHUP is ignored, as
/// under nohup, it stays ignored.
inline void handle_ending_signals(void (*handler)(int), int flags = 0) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
}

}  // namespace groma
