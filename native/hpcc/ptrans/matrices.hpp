// The matrices of PTRANS in one rank: memory for the largest case, filled again for every repetition and
// checked element by element after it.
#pragma once

#include <optional>
#include <vector>

#include "base/pages.hpp"
#include "base/random.hpp"
#include "base/thread_pool.hpp"
#include "hpcc/ptrans/layout.hpp"
#include "job/worst_deviation.hpp"
#include "mpi/shared_parts.hpp"

namespace groma::hpcc {

/// Start values of row i, column j. In [-1/2, 1/2) with 32 bits after the point: sums of two are exact, so
/// the result must be exact as well. Different factors of both keep a wrong pair of elements from adding up
/// right.
class Elements {
 public:
  explicit Elements(std::uint64_t seed) : seed_(RandomStream(seed).next()) {}
  [[nodiscard]] double a(std::uint64_t i, std::uint64_t j) const {
    return value(seed_ + i * 0x9e3779b97f4a7c15U + j * 0xd1342543de82ef95U);
  }
  [[nodiscard]] double c(std::uint64_t i, std::uint64_t j) const {
    return value(~seed_ + i * 0xbf58476d1ce4e5b9U + j * 0x94d049bb133111ebU);
  }

 private:
  static double value(std::uint64_t bits) {
    return static_cast<double>(static_cast<std::int32_t>(bits >> 32U)) * 0x1p-32;
  }
  std::uint64_t seed_;
};

/// Which ranks read each other's A.
enum class Sharing { kNodes, kNone };

class PtransMatrices {
 public:
  /// Collective over `world`, whose first ranks are those of every layout. Memory that suffices for each of
  /// the layouts in turn. Where a node has no memory to share its ranks do without. Errors are the same on
  /// all ranks.
  static Result<PtransMatrices> make(const mpi::Communicator& world, const std::vector<Layout>& layouts,
                                     Sharing sharing, ThreadPool& pool);

  /// A of each rank of the world where this one can read it, else null.
  [[nodiscard]] const std::vector<const double*>& readable() const { return readable_; }
  [[nodiscard]] std::span<double> a() const { return a_; }
  [[nodiscard]] std::span<double> c() const { return c_->as<double>(); }
  /// For messages: what the rank exchanges with others that it cannot read.
  [[nodiscard]] std::span<double> buffer() const { return buffer_->as<double>(); }

  /// Start values of this rank's part. Others see A after a barrier.
  void fill(const Layout& layout, int rank, const Elements& elements);

  /// What is wrong with C after C := A^T + C.
  struct WrongElements {
    std::uint64_t elements = 0;    ///< wrong ones
    job::WorstDeviation farthest;  ///< from the right value
    void add(double distance);
    void add(const WrongElements& others);
  };
  [[nodiscard]] WrongElements mistakes(const Layout& layout, int rank, const Elements& elements) const;

 private:
  explicit PtransMatrices(ThreadPool& pool) : pool_(&pool) {}
  Status place(const mpi::Communicator& world, const std::vector<Layout>& layouts, Sharing sharing);
  Status place_a(const mpi::Communicator& world, Bytes size, Sharing sharing);

  std::optional<mpi::SharedParts> shared_;
  std::optional<Block> own_;
  std::span<double> a_;  ///< in one of the two
  std::optional<Block> c_;
  std::optional<Block> buffer_;
  std::vector<const double*> readable_;
  ThreadPool* pool_;
};

}  // namespace groma::hpcc
