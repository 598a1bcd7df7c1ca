// How many updates a rank holds that are not applied yet: what the rules limit (HPC Challenge: 1,024).
#pragma once

#include <algorithm>
#include <cstdint>

namespace groma::randomaccess {

constexpr std::uint64_t kLookAhead = 1024;

/// Of one that shares a table with others by queues: a window, and a block on its way.
constexpr std::uint64_t kMinLookAhead = 4;

/// Threads of a rank that may share a table, and its look-ahead.
constexpr std::uint64_t kMaxThreads = kLookAhead / kMinLookAhead;

/// The limit on look-ahead: that of every rank, or that of all ranks of a node together.
struct Allowance {
  std::uint64_t updates = kLookAhead;
  bool of_node = false;
};

/// Where a rank stands: generated, received or on their way from it, but not applied.
class LookAhead {
 public:
  void note(std::uint64_t pending) { most_ = std::max(most_, pending); }
  [[nodiscard]] std::uint64_t most() const { return most_; }

 private:
  std::uint64_t most_ = 0;
};

}  // namespace groma::randomaccess
