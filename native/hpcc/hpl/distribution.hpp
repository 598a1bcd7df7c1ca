// Blocks of one dimension dealt out in turn: where a global index lies, and which ones a part holds.
#pragma once

#include <algorithm>
#include <cstdint>

namespace groma::hpcc::hpl {

/// Indices 0 ... n - 1 in blocks of `block`, block b in part b mod `parts`. A part keeps its own in order.
struct BlockCyclic {
  std::int64_t n;
  std::int64_t block;
  std::int64_t parts;

  [[nodiscard]] std::int64_t owner(std::int64_t global) const { return global / block % parts; }
  /// Place of `global` in its owner.
  [[nodiscard]] std::int64_t local(std::int64_t global) const {
    return global / (block * parts) * block + global % block;
  }
  [[nodiscard]] std::int64_t global(std::int64_t local, std::int64_t part) const {
    return (local / block * parts + part) * block + local % block;
  }
  /// Indices below `global` that `part` holds: the place of its first one from there on.
  [[nodiscard]] std::int64_t before(std::int64_t global, std::int64_t part) const {
    const std::int64_t rounds = global / (block * parts);
    const std::int64_t rest = global % (block * parts) - part * block;
    return rounds * block + std::clamp<std::int64_t>(rest, 0, block);
  }
  [[nodiscard]] std::int64_t count(std::int64_t part) const { return before(n, part); }
};

}  // namespace groma::hpcc::hpl
