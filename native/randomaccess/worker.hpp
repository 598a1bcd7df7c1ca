// Owner computes: every worker generates its section, passes each update to the worker that owns its word,
// and applies those that reach it. No word has two writers, so that no update is lost without any lock.
#pragma once

#include <cstdint>
#include <span>

#include "randomaccess/activity.hpp"
#include "randomaccess/mailbox.hpp"
#include "randomaccess/partition.hpp"
#include "randomaccess/stream.hpp"

namespace groma::randomaccess {

/// What a worker works on; parts of the partition are workers.
struct WorkerTask {
  Mailboxes boxes;
  const Partition& parts;
  std::uint64_t self;
  std::span<std::uint64_t> table;  ///< its own part
  Generator generator;
  std::uint64_t limit;  ///< updates that it may hold, at least 4
  OwnerRule owner = OwnerRule::kFastest;
};

/// Applies `section` together with all other workers, who do the same with theirs; returns when all updates
/// of all of them that are for this worker are applied. `epoch` counts the calls, from 1. The most
/// updates that it held are those in its window and unread in the boxes it writes.
Activity exchange_updates(const WorkerTask& task, Section section, std::uint64_t epoch);

}  // namespace groma::randomaccess
