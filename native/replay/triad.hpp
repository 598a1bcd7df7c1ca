// The kernel of a placement for memory: every rank streams through memory of its own, all at the same time.
#pragma once

#include <cstdint>
#include <span>

#include "base/pages.hpp"
#include "base/result.hpp"

namespace groma::replay {

/// a = b + 3 c over vectors that this rank touches first.
class Triad {
 public:
  /// `size` is that of all three vectors. Errors: memory.
  static Result<Triad> make(Bytes size);

  /// One pass.
  void iterate();

  /// Elements of a that are not the sum.
  [[nodiscard]] std::uint64_t wrong_elements() const;

 private:
  explicit Triad(Block memory);
  [[nodiscard]] std::span<double> vector(std::size_t which) const;

  Block memory_;
  std::size_t elements_;
};

}  // namespace groma::replay
