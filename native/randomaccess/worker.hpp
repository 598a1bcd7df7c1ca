// Owner computes: every worker generates its section, passes each update to the worker that owns its word,
// and applies those that reach it. No word has two writers, so that no update is lost without any lock.
#pragma once

#include <cstdint>
#include <span>

#include "randomaccess/activity.hpp"
#include "randomaccess/pair_queues.hpp"
#include "randomaccess/partition.hpp"
#include "randomaccess/stream.hpp"

namespace groma::randomaccess {

/// What a worker works on; parts of the partition are workers.
struct WorkerTask {
  PairQueues queues;
  const Partition& parts;
  std::uint64_t self;
  std::span<std::uint64_t> table;  ///< its own part
  Generator generator;
  std::uint64_t limit;  ///< updates that it may hold, at least kMinLookAhead; 2 for one that brings none
  OwnerRule owner = OwnerRule::kFastest;
};

/// Applies `section`, while all other workers do the same with theirs. Returns when all updates of all
/// workers for this worker's words are applied. `use` counts the calls, from 1. The updates that it held are
/// those in its window and those unread in the queues that it writes.
Activity exchange_updates(const WorkerTask& task, Section section, std::uint64_t use);

}  // namespace groma::randomaccess
