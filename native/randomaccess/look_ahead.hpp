// How many updates a rank holds that are not applied yet: what the rules limit (HPC Challenge: 1,024).
#pragma once

#include <algorithm>
#include <cstdint>

namespace groma::randomaccess {

constexpr std::uint64_t kLookAhead = 1024;

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
