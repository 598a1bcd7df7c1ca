// The transform of n points that the ranks of a communicator share: natural order in, natural order out, in
// place (docs/hpcc/fft.md#decomposition).
#pragma once

#include <optional>
#include <span>

#include "base/result.hpp"
#include "hpcc/fft/passes.hpp"

namespace groma::hpcc::fft {

/// Settings that change the speed, never the result.
struct Tuning {
  Planning planning = Planning::kMeasure;
  const TileKernels* kernels = nullptr;  ///< null: the best
  std::optional<Stores> stores;          ///< to memory; none: by the size
  Bytes message = 512_KiB;               ///< what a message of the exchanges should hold
};

class Transform {
 public:
  /// Collective; n and tuning are the same on all ranks, n is at least 1. Errors, the same on all ranks:
  /// memory that is not to be had.
  static Result<Transform> make(const mpi::Communicator& all, std::uint64_t n, const Tuning& tuning,
                                Workspace& space);

  /// Which of the n points lie in data() before a forward transform, and which of the spectrum after it.
  [[nodiscard]] Range input() const { return forward_.input(all_.rank()); }
  [[nodiscard]] Range output() const { return forward_.output(all_.rank()); }
  /// As long as the longer of both; the workspace's, until another transform is run in it.
  [[nodiscard]] std::span<Complex> data() const;

  /// Collective. X[k] = sum of x[j] exp(-2 pi i j k / n).
  void forward() { run(forward_, shorts_.front(), shorts_.back()); }
  /// Collective. From output() to input(): x[j] = sum of X[k] exp(+2 pi i j k / n) / n.
  void backward();

  /// Of the last transform.
  [[nodiscard]] const PhaseTimes& phases() const { return times_; }
  [[nodiscard]] Workspace& space() const { return *space_; }
  [[nodiscard]] Shape shape() const { return forward_.shape; }
  [[nodiscard]] const mpi::Communicator& ranks() const { return all_; }

 private:
  Transform(mpi::Communicator all, std::uint64_t n, const Tuning& tuning, Workspace& space);
  Status take_memory();
  void run(const Layout& layout, const ShortTransform& columns, const ShortTransform& rows);

  mpi::Communicator all_;
  Tuning tuning_;
  Layout forward_;
  Layout backward_;
  std::vector<ShortTransform> shorts_;  ///< of the length of forward columns, and of rows where it differs
  Roots roots_;
  Workspace* space_;
  std::uint64_t chunk_groups_;
  PhaseTimes times_;
};

}  // namespace groma::hpcc::fft
