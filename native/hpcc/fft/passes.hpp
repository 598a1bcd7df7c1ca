// The two halves of a shared transform. Each moves groups of vectors into cache, transforms them there, and
// writes them to where the next step reads them. Meanwhile chunks of the points of other ranks are in flight.
#pragma once

#include <vector>

#include "base/clock.hpp"
#include "hpcc/fft/exchange.hpp"
#include "hpcc/fft/layout.hpp"
#include "hpcc/fft/roots.hpp"
#include "hpcc/fft/short_transform.hpp"
#include "hpcc/fft/tiles.hpp"
#include "hpcc/fft/workspace.hpp"
#include "mpi/communicator.hpp"

namespace groma::hpcc::fft {

/// Where the time of a transform went on this rank.
struct PhaseTimes {
  Seconds first_exchange;   ///< rows to columns, with packing
  Seconds columns;          ///< the first short transforms, twiddled
  Seconds middle_exchange;  ///< columns to rows
  Seconds rows;             ///< the second short transforms
  Seconds last_exchange;    ///< to natural order, with unpacking
};

/// What both passes work with.
struct PassContext {
  const mpi::Communicator& all;
  Workspace& space;  ///< data: natural order; middle: groups of columns, each as its rows on this rank
  const TileKernels& kernels;
  std::uint64_t pitch;         ///< of columns in cache
  Stores stores;               ///< to data and middle
  std::uint64_t chunk_groups;  ///< groups of a chunk

  [[nodiscard]] Complex* data() const { return space.of(Part::kData); }
  [[nodiscard]] Complex* middle() const { return space.of(Part::kMiddle); }
  /// In which `member` of the pool transforms a group.
  [[nodiscard]] Columns columns_of(std::size_t member) const {
    return {space.of(Part::kColumns) + member * kGroup * pitch, pitch};
  }
};

/// From points in natural order to the twiddled spectra of columns in `middle`.
class ColumnPass {
 public:
  ColumnPass(const PassContext& context, const Layout& layout, const ShortTransform& transform,
             const Roots& roots);
  static std::uint64_t staging_points(const Layout& layout, int rank, std::uint64_t chunk_groups);

  /// Collective.
  void run(PhaseTimes& times);

 private:
  [[nodiscard]] std::uint64_t own_rows() const { return layout_.rows.of(context_.all.rank()).count; }
  void start(std::uint64_t chunk);
  void pack(std::uint64_t chunk);
  void transform(std::uint64_t chunk);
  void transform_group(std::uint64_t chunk, const Range& group, const Columns& columns);
  void send(std::uint64_t chunk);

  const PassContext& context_;
  const Layout& layout_;
  const ShortTransform& transform_;
  const Roots& roots_;
  Chunks chunks_;
  std::vector<int> peers_;
  Staging packed_;
  Staging arrived_;
  Staging turned_;
  Traffic first_;
  Traffic middle_;
};

/// From `middle` to the spectrum in natural order.
class RowPass {
 public:
  RowPass(const PassContext& context, const Layout& layout, const ShortTransform& transform);
  static std::uint64_t staging_points(const Layout& layout, int rank, std::uint64_t chunk_groups);

  /// Collective.
  void run(PhaseTimes& times);

 private:
  [[nodiscard]] std::uint64_t own_columns() const { return layout_.columns.of(context_.all.rank()).count; }
  void start(std::uint64_t chunk);
  void transform(std::uint64_t chunk);
  void transform_group(std::uint64_t chunk, const Range& group, const Columns& columns);
  void gather_blocks(const Range& group, const Columns& columns) const;
  void send(std::uint64_t chunk);
  void unpack(std::uint64_t chunk);

  const PassContext& context_;
  const Layout& layout_;
  const ShortTransform& transform_;
  Chunks chunks_;
  std::vector<int> peers_;
  Staging turned_;
  Staging arrived_;
  Traffic last_;
};

/// A group of a chunk in its peer's region: rows of `group.count` points.
struct Strip {
  Complex* region;
  Range group;
};
/// Of all peers; `rows` is the number of rows of every strip.
std::vector<Strip> strips_of(const Chunks& chunks, const std::vector<int>& peers, std::uint64_t chunk,
                             const Staging& staging, std::uint64_t rows);

/// Adds the time since its making, or the last addition, to a sum.
class Stopwatch {
 public:
  Stopwatch() : since_(monotonic_ns()) {}
  void add_to(Seconds& sum) {
    const std::int64_t now = monotonic_ns();
    sum = sum + between(since_, now);
    since_ = now;
  }

 private:
  std::int64_t since_;
};

}  // namespace groma::hpcc::fft
