// The figure that a validation compares with its limit: the farthest of all deviations.
#pragma once

#include <limits>

#include "mpi/communicator.hpp"

namespace groma::job {

/// The largest magnitude that was taken in; infinite, and so beyond every limit, as soon as one was no finite
/// number. No comparison with NaN holds: std::max would pass over it, and what MPI_MAX makes of it is not
/// defined (MPI 4.0, section 6.9.2).
class WorstDeviation {
 public:
  WorstDeviation() = default;
  explicit WorstDeviation(double first) { take(first); }

  void take(double deviation) {
    const double size = deviation < 0.0 ? -deviation : deviation;
    if (!(size <= worst_)) worst_ = size <= kLargest ? size : kInfinite;
  }
  void take(const WorstDeviation& other) { take(other.worst_); }

  [[nodiscard]] double value() const { return worst_; }

  /// Of all ranks, on every rank. Collective.
  [[nodiscard]] double over(const mpi::Communicator& ranks) const {
    return ranks.reduce_to_all(worst_, mpi::Reduction::kMax);
  }

 private:
  static constexpr double kLargest = std::numeric_limits<double>::max();
  static constexpr double kInfinite = std::numeric_limits<double>::infinity();
  double worst_ = 0.0;
};

}  // namespace groma::job
