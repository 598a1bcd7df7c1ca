// RandomAccess on a table that one process has for itself.
#pragma once

#include <span>
#include <vector>

#include "randomaccess/pair_queues.hpp"
#include "randomaccess/partition.hpp"
#include "randomaccess/worker.hpp"

namespace groma::randomaccess {

/// Applies a section to a table of which `table` is the part that begins with `first`; every update of the
/// section must fall there. Returns the most updates held.
LookAhead update_alone(std::span<std::uint64_t> table, std::uint64_t first, std::uint64_t words,
                       Generator generator, Section section, std::uint64_t limit = kLookAhead);

/// Workers of this process: `count` of them from `first` on, one thread each; the calling one is the first.
struct WorkerGroup {
  const PairQueues& queues;
  const Partition& parts;
  std::uint64_t first;
  std::uint64_t count;
  std::span<std::uint64_t> table;
  Generator generator;
  std::uint64_t limit;  ///< updates that they may hold together
  OwnerRule owner = OwnerRule::kFastest;
};

/// Each has its part of `section` and of the limit. Sums over the workers.
Activity run_workers(const WorkerGroup& group, Section section, std::uint64_t use);

/// A table of this process with the threads that update it, at most kMaxThreads. Not thread-safe.
class LocalTable {
 public:
  /// `table` has a power of two of words and outlives this. Threads beyond kMaxThreads have no part in it.
  LocalTable(std::span<std::uint64_t> table, std::uint64_t threads);

  void apply(Generator generator, Section section);
  [[nodiscard]] std::uint64_t most_pending() const { return held_.most(); }

 private:
  std::span<std::uint64_t> table_;
  std::uint64_t threads_;
  Partition parts_;
  std::vector<std::byte> memory_;
  std::uint64_t uses_ = 0;
  LookAhead held_;
};

}  // namespace groma::randomaccess
