// From the logs of a run to one trace. The logs are read twice: first to find communicators, messages and the
// length of the run, then to write all records in the order of their times. Memory does not grow with the
// logs.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "trace/merge/groups.hpp"
#include "trace/merge/host_clocks.hpp"
#include "trace/merge/log_reader.hpp"
#include "trace/merge/site_names.hpp"
#include "trace/model/trace.hpp"

namespace groma::trace {

/// What the calls of one kind took in a thread.
struct CallTotal {
  std::uint64_t count = 0;
  Nanoseconds time = 0;
};

/// A counter of a thread, and what of each call it counts because the call is recorded.
struct CounterSummary {
  std::string event;
  double inside = 0;
  double outside = 0;
};

/// A thread of the run and what it did.
struct ThreadSummary {
  Object object;
  std::string host;
  bool finished = false;          ///< it reached the end of MPI_Finalize
  std::string in_call;            ///< what it was in when it ended without
  std::uint64_t lost = 0;         ///< records that did not fit
  std::uint64_t overwritten = 0;  ///< chunks that newer ones replaced
  std::uint64_t damaged = 0;      ///< chunks that end within a record
  Nanoseconds begin = 0;
  Nanoseconds end = 0;
  double cost = 0;               ///< of a recorded call, ns
  double cost_inside = 0;        ///< the part of it that is within the call's time, ns
  std::vector<CallTotal> calls;  ///< by number in log::kCalls
  std::vector<CounterSummary> counters;
  std::string no_counters;          ///< why it counted nothing, though it was asked to
  std::uint64_t unnamed = 0;        ///< regions and values whose names were too many
  std::uint64_t no_logs = 0;        ///< of thread 0: threads of its process without a log
  std::uint64_t unknown_comms = 0;  ///< of thread 0: communicators that could not be told apart
};

struct Traffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

struct MergeSummary {
  Nanoseconds duration = 0;
  std::uint64_t logs = 0;
  std::uint64_t log_bytes = 0;
  std::uint64_t calls = 0;
  std::uint64_t matched = 0;
  std::uint64_t early = 0;  ///< of these: they arrive before they are sent, beyond the error of the clocks
  std::uint64_t unmatched_sends = 0;
  std::uint64_t unmatched_receives = 0;
  std::uint64_t undetermined = 0;    ///< receives of which nothing tells what they got
  std::uint64_t left_out = 0;        ///< messages and receives without a partner where logs have gaps
  std::string library;               ///< the MPI
  std::string program;               ///< that of the first rank, and the names of further ones
  std::vector<std::uint32_t> ranks;  ///< of each application
  std::vector<std::pair<std::uint32_t, std::uint32_t>> missing;  ///< application and rank without a log
  std::uint64_t untraced = 0;  ///< of these at least: ranks that had no tracer, as the others found
  std::vector<ThreadSummary> threads;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Traffic>
      matrix;  ///< by sender and receiver of application 0
  struct Host {
    std::string name;
    Alignment alignment;
    double error;
    std::uint64_t comparisons;  ///< with the clock of rank 0
  };
  std::vector<Host> hosts;
  std::vector<Error> refused;  ///< files that are no logs of this run
};

class Merge {
 public:
  /// Reads the headers of all logs of a folder. An error if none can be used.
  static Result<Merge> open(const std::filesystem::path& folder);
  Merge(Merge&&) noexcept;
  Merge& operator=(Merge&&) = delete;
  Merge(const Merge&) = delete;
  Merge& operator=(const Merge&) = delete;
  ~Merge();

  /// Both passes. `scratch` is a folder for sorted runs of messages that do not fit into memory.
  Result<MergeSummary> run(Sink& sink, const std::filesystem::path& scratch,
                           const SymbolSource& symbols = no_symbols);

 private:
  class Work;
  explicit Merge(std::unique_ptr<Work> work);
  std::unique_ptr<Work> work_;
};

}  // namespace groma::trace
