// Signals that end a run in good order.
#pragma once

#include <csignal>

namespace groma {

/// Gives SIGINT, SIGTERM and SIGHUP to `handler` with these flags of sigaction. SIGHUP stays ignored where it
/// was, for that is what nohup is for.
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
