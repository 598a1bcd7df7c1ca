#include "hpcc/fft/transform.hpp"

#include <algorithm>

namespace groma::hpcc::fft {
namespace {

/// Where a rank has more points than this, what is written will not be in cache any more when it is read.
constexpr Bytes kCached = 2_MiB;

/// Vectors lie on lines, and begin in different sets of a cache although their length is a power of two.
std::uint64_t pitch_for(const Shape& shape) {
  const std::uint64_t longest = std::max(shape.rows, shape.columns);
  return (longest + kLine - 1) / kLine * kLine + kLine;
}

/// Groups that travel together: few enough to overlap, enough to fill messages and to occupy the threads.
std::uint64_t chunk_groups_for(const Layout& layout, const Tuning& tuning, std::size_t members) {
  const auto ranks = static_cast<std::uint64_t>(layout.rows.parts());
  const std::uint64_t most =
      (std::max(layout.rows.largest(), layout.columns.largest()) + kGroup - 1) / kGroup;
  if (ranks == 1) return most;
  constexpr std::uint64_t kMinChunks = 8;
  const std::uint64_t group = kGroup * sizeof(Complex) * std::max<std::uint64_t>(1, layout.rows.largest());
  const std::uint64_t wanted = std::max<std::uint64_t>(members, tuning.message.value() / group);
  return std::clamp<std::uint64_t>(wanted, 1, (most + kMinChunks - 1) / kMinChunks);
}

/// Real and imaginary parts, each by its factor.
void scale_parts(Workspace& space, std::span<Complex> points, double real, double imaginary) {
  constexpr std::uint64_t kPiece = 4096;
  space.share_out((points.size() + kPiece - 1) / kPiece, [&](std::size_t /*member*/, std::uint64_t piece) {
    const std::size_t first = piece * kPiece;
    for (Complex& point : points.subspan(first, std::min(kPiece, points.size() - first))) {
      point = {real * point.real(), imaginary * point.imag()};
    }
  });
}

}  // namespace

Result<Transform> Transform::make(const mpi::Communicator& all, std::uint64_t n, const Tuning& tuning,
                                  Workspace& space) {
  Transform made(all.duplicate(), n, tuning, space);
  if (const Status agreed = all.agree(made.take_memory()); !agreed) return agreed.error();
  return made;
}

Transform::Transform(mpi::Communicator all, std::uint64_t n, const Tuning& tuning, Workspace& space)
    : all_(std::move(all)),
      tuning_(tuning),
      forward_(squarest_shape(n), all_.size()),
      backward_(forward_.shape.transposed(), all_.size()),
      roots_(n, forward_.shape.columns),
      space_(&space),
      chunk_groups_(chunk_groups_for(forward_, tuning, space.members())) {
  shorts_.emplace_back(forward_.shape.rows, tuning.planning);
  if (forward_.shape.rows != forward_.shape.columns) {
    shorts_.emplace_back(forward_.shape.columns, tuning.planning);
  }
}

Status Transform::take_memory() {
  const std::uint64_t own = std::max(input().count, output().count);
  std::uint64_t staging = 0;
  for (const Layout* layout : {&forward_, &backward_}) {
    staging = std::max({staging, ColumnPass::staging_points(*layout, all_.rank(), chunk_groups_),
                        RowPass::staging_points(*layout, all_.rank(), chunk_groups_)});
  }
  const std::uint64_t columns = space_->members() * kGroup * pitch_for(forward_.shape);
  return space_->reserve({.data = own, .middle = own, .staging = staging, .columns = columns});
}

std::span<Complex> Transform::data() const {
  return {space_->of(Part::kData), std::max(input().count, output().count)};
}

void Transform::run(const Layout& layout, const ShortTransform& columns, const ShortTransform& rows) {
  const Bytes own(data().size_bytes());
  const PassContext context{
      .all = all_,
      .space = *space_,
      .kernels = tuning_.kernels != nullptr ? *tuning_.kernels : *tile_kernels().back(),
      .pitch = pitch_for(layout.shape),
      .stores = tuning_.stores.value_or(own > kCached ? Stores::kBypassing : Stores::kCached),
      .chunk_groups = chunk_groups_};
  times_ = {};
  ColumnPass(context, layout, columns, roots_).run(times_);
  RowPass(context, layout, rows).run(times_);
}

void Transform::backward() {
  // The conjugate of the transform of the conjugates.
  scale_parts(*space_, data(), 1.0, -1.0);
  run(backward_, shorts_.back(), shorts_.front());
  const double whole = 1.0 / static_cast<double>(forward_.shape.points());
  scale_parts(*space_, data(), whole, -whole);
}

}  // namespace groma::hpcc::fft
