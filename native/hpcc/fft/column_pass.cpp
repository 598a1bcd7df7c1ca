#include "hpcc/fft/passes.hpp"

namespace groma::hpcc::fft {
namespace {

constexpr int kFirstTag = 1;
constexpr int kMiddleTag = 2;
constexpr std::uint64_t kAhead = 16;  // rows: enough lines on their way to cover the latency of memory

/// Points of a region: `width` of every row, of one rank's rows for all peers, or of each peer's rows.
std::vector<std::uint64_t> equal_regions(const Layout& layout, int rank, std::uint64_t width) {
  const auto ranks = static_cast<std::size_t>(layout.rows.parts());
  return std::vector<std::uint64_t>(ranks, width * layout.rows.of(rank).count);
}

std::vector<std::uint64_t> regions_by_rows(const Layout& layout, std::uint64_t width) {
  std::vector<std::uint64_t> sizes;
  for (int peer = 0; peer < layout.rows.parts(); ++peer) sizes.push_back(width * layout.rows.of(peer).count);
  return sizes;
}

}  // namespace

ColumnPass::ColumnPass(const PassContext& context, const Layout& layout, const ShortTransform& transform,
                       const Roots& roots)
    : context_(context),
      layout_(layout),
      transform_(transform),
      roots_(roots),
      chunks_{&layout.columns, context.chunk_groups},
      peers_(peers_of(context.all)),
      packed_(context.space.of(Part::kStaging), equal_regions(layout, context.all.rank(), chunks_.width())),
      arrived_(packed_.end(), regions_by_rows(layout, chunks_.width())),
      turned_(arrived_.end(), regions_by_rows(layout, chunks_.width())),
      first_(context.all, kFirstTag),
      middle_(context.all, kMiddleTag) {}

std::uint64_t ColumnPass::staging_points(const Layout& layout, int rank, std::uint64_t chunk_groups) {
  if (layout.rows.parts() == 1) return 0;
  const std::uint64_t width = chunk_groups * kGroup;
  return Staging::points(equal_regions(layout, rank, width)) +
         2 * Staging::points(regions_by_rows(layout, width));
}

void ColumnPass::run(PhaseTimes& times) {
  Stopwatch stopwatch;
  const std::uint64_t count = chunks_.count();
  for (std::uint64_t step = 0; step <= count; ++step) {
    if (step < count) start(step);
    stopwatch.add_to(times.first_exchange);
    if (step == 0) continue;
    const std::uint64_t chunk = step - 1;
    first_.finish_receives(chunk);
    stopwatch.add_to(times.first_exchange);
    middle_.finish_sends(chunk);
    stopwatch.add_to(times.middle_exchange);
    transform(chunk);
    stopwatch.add_to(times.columns);
    send(chunk);
    stopwatch.add_to(times.middle_exchange);
  }
  for (const std::uint64_t parity : {0U, 1U}) {
    first_.finish_sends(parity);
    middle_.finish_sends(parity);
    middle_.finish_receives(parity);
  }
  stopwatch.add_to(times.middle_exchange);
}

void ColumnPass::start(std::uint64_t chunk) {
  const std::uint64_t width = chunks_.of(context_.all.rank(), chunk).count;
  const std::uint64_t rows = own_rows();
  for (const int peer : peers_) {
    first_.receive(chunk, peer, {arrived_.region(chunk, peer), width * layout_.rows.of(peer).count});
    const Range theirs = chunks_.of(peer, chunk);
    middle_.receive(chunk, peer, {context_.middle() + theirs.first * rows, theirs.count * rows});
  }
  first_.finish_sends(chunk);
  pack(chunk);
  for (const int peer : peers_) {
    first_.send(chunk, peer, {packed_.region(chunk, peer), chunks_.of(peer, chunk).count * rows});
  }
}

void ColumnPass::pack(std::uint64_t chunk) {
  const std::vector<Strip> strips = strips_of(chunks_, peers_, chunk, packed_, own_rows());
  const std::uint64_t length = layout_.shape.columns;
  if (strips.empty()) return;
  context_.space.share_out(own_rows(), [&](std::size_t /*member*/, std::uint64_t row) {
    const Complex* points = context_.data() + row * length;
    for (const Strip& strip : strips) {
      prefetch_group(points + kAhead * length + strip.group.first);
      copy_points(strip.region + row * strip.group.count, points + strip.group.first, strip.group.count);
    }
  });
}

void ColumnPass::transform(std::uint64_t chunk) {
  const Range own = chunks_.of(context_.all.rank(), chunk);
  context_.space.share_out(groups_in(own), [&](std::size_t member, std::uint64_t which) {
    transform_group(chunk, group_of(own, which), context_.columns_of(member));
    drain_stores();
  });
}

void ColumnPass::transform_group(std::uint64_t chunk, const Range& group, const Columns& columns) {
  const int rank = context_.all.rank();
  const std::uint64_t before = group.first - chunks_.of(rank, chunk).first;  // columns of the chunk
  for (int peer = 0; peer < layout_.rows.parts(); ++peer) {
    const Range rows = layout_.rows.of(peer);
    const ConstRows from =
        peer == rank ? ConstRows{context_.data() + group.first, layout_.shape.columns, rows.count}
                     : ConstRows{arrived_.region(chunk, peer) + before * rows.count, group.count, rows.count};
    context_.kernels.gather(from, group.count, columns, rows.first);
  }
  for (std::uint64_t c = 0; c < group.count; ++c) transform_.execute(columns.data + c * columns.pitch);
  for (int peer = 0; peer < layout_.rows.parts(); ++peer) {
    const Range rows = layout_.rows.of(peer);
    Complex* to = peer == rank ? context_.middle() + group.first * rows.count
                               : turned_.region(chunk, peer) + before * rows.count;
    context_.kernels.scatter_twiddled(columns, rows.first, group.count, {to, group.count, rows.count},
                                      peer == rank ? context_.stores : Stores::kCached,
                                      {&roots_, rows.first, group.first});
  }
}

void ColumnPass::send(std::uint64_t chunk) {
  const std::uint64_t width = chunks_.of(context_.all.rank(), chunk).count;
  for (const int peer : peers_) {
    middle_.send(chunk, peer, {turned_.region(chunk, peer), width * layout_.rows.of(peer).count});
  }
}

}  // namespace groma::hpcc::fft
