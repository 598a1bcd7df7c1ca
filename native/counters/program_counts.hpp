// Counts of a whole program with all of its threads and children, as it runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "counters/event.hpp"
#include "counters/program_signals.hpp"

namespace groma::counters {

struct ProgramCount {
  std::string event;
  std::optional<double> value;
  double share = 1;    // of the time in which it was counted; the value is scaled where counters were shared
  std::string remark;  // what restricts it, or why there is no value
};

struct ProgramCounts {
  double seconds = 0;
  int exit_code = 0;  // as a shell has it: 128 and the signal for a program that one ended
  std::vector<ProgramCount> counts;
};

/// Runs the program with its own input and output. Where events do not fit together, the kernel gives each of
/// them slices of time. `signals` are left to the program. The error is that it cannot be started, as what it
/// is (code usage) or for want of descriptors or processes (environment).
Result<ProgramCounts> count_program(const std::vector<std::string>& events,
                                    const std::vector<std::string>& command,
                                    const ProgramSignals& signals = {});

}  // namespace groma::counters
