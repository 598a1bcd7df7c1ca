// Signals while a program runs in place of this process: they are for the program, and this process waits.
#pragma once

#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction
#include <sys/types.h>

#include <vector>

namespace groma::counters {

/// Lives until what is known of the program is saved: from its end on the signals do nothing. What the caller
/// ignores stays ignored, here and in the program. For one program at a time.
class ProgramSignals {
 public:
  /// Holds back what would end this process, until there is a program that can have it.
  ProgramSignals();
  ~ProgramSignals();
  ProgramSignals(const ProgramSignals&) = delete;
  ProgramSignals& operator=(const ProgramSignals&) = delete;

  /// In the forked child, before it becomes the program: as the caller had them.
  void restore() const;
  /// From now on it gets them, those that were held back as well. But for Ctrl-C and its like: a terminal
  /// sends them to the program itself.
  void begin(pid_t program) const;
  /// It has ended; nobody else has its number yet.
  void end() const;

 private:
  struct Handled {
    int number;
    struct sigaction before;
  };
  std::vector<Handled> handled_;
  struct sigaction child_before_ {};
  sigset_t mask_before_{};
};

}  // namespace groma::counters
