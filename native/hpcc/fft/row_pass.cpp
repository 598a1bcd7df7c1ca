#include "hpcc/fft/passes.hpp"

namespace groma::hpcc::fft {
namespace {

constexpr int kLastTag = 3;
constexpr std::uint64_t kAhead = 4;  // groups of columns: a block of each is kGroup lines and more

std::vector<std::uint64_t> regions_by_columns(const Layout& layout, std::uint64_t width) {
  std::vector<std::uint64_t> sizes;
  for (int peer = 0; peer < layout.columns.parts(); ++peer) {
    sizes.push_back(width * layout.columns.of(peer).count);
  }
  return sizes;
}

std::vector<std::uint64_t> equal_regions(const Layout& layout, int rank, std::uint64_t width) {
  const auto ranks = static_cast<std::size_t>(layout.columns.parts());
  return std::vector<std::uint64_t>(ranks, width * layout.columns.of(rank).count);
}

}  // namespace

RowPass::RowPass(const PassContext& context, const Layout& layout, const ShortTransform& transform)
    : context_(context),
      layout_(layout),
      transform_(transform),
      chunks_{&layout.rows, context.chunk_groups},
      peers_(peers_of(context.all)),
      turned_(context.space.of(Part::kStaging), regions_by_columns(layout, chunks_.width())),
      arrived_(turned_.end(), equal_regions(layout, context.all.rank(), chunks_.width())),
      last_(context.all, kLastTag) {}

std::uint64_t RowPass::staging_points(const Layout& layout, int rank, std::uint64_t chunk_groups) {
  if (layout.rows.parts() == 1) return 0;
  const std::uint64_t width = chunk_groups * kGroup;
  return Staging::points(regions_by_columns(layout, width)) +
         Staging::points(equal_regions(layout, rank, width));
}

void RowPass::run(PhaseTimes& times) {
  Stopwatch stopwatch;
  const std::uint64_t count = chunks_.count();
  for (std::uint64_t step = 0; step <= count; ++step) {
    if (step < count) {
      start(step);
      stopwatch.add_to(times.last_exchange);
      transform(step);
      stopwatch.add_to(times.rows);
      send(step);
    }
    if (step > 0) {
      last_.finish_receives(step - 1);
      unpack(step - 1);
    }
    stopwatch.add_to(times.last_exchange);
  }
  for (const std::uint64_t parity : {0U, 1U}) last_.finish_sends(parity);
  stopwatch.add_to(times.last_exchange);
}

void RowPass::start(std::uint64_t chunk) {
  for (const int peer : peers_) {
    const std::uint64_t theirs = chunks_.of(peer, chunk).count;
    last_.receive(chunk, peer, {arrived_.region(chunk, peer), theirs * own_columns()});
  }
  last_.finish_sends(chunk);
}

void RowPass::transform(std::uint64_t chunk) {
  const Range own = chunks_.of(context_.all.rank(), chunk);
  context_.space.share_out(groups_in(own), [&](std::size_t member, std::uint64_t which) {
    transform_group(chunk, group_of(own, which), context_.columns_of(member));
    drain_stores();
  });
}

void RowPass::transform_group(std::uint64_t chunk, const Range& group, const Columns& columns) {
  const int rank = context_.all.rank();
  gather_blocks(group, columns);
  for (std::uint64_t r = 0; r < group.count; ++r) transform_.execute(columns.data + r * columns.pitch);
  const std::uint64_t before = group.first - chunks_.of(rank, chunk).first;
  for (int peer = 0; peer < layout_.columns.parts(); ++peer) {
    const Range target = layout_.columns.of(peer);
    const Rows to =
        peer == rank ? Rows{context_.data() + group.first, layout_.shape.rows, target.count}
                     : Rows{turned_.region(chunk, peer) + before * target.count, group.count, target.count};
    context_.kernels.scatter(columns, target.first, group.count, to,
                             peer == rank ? context_.stores : Stores::kCached);
  }
}

void RowPass::gather_blocks(const Range& group, const Columns& columns) const {
  const Range own = layout_.rows.of(context_.all.rank());
  for (const Range& part : layout_.column_groups) {
    const Complex* block =
        context_.middle() + part.first * own.count + (group.first - own.first) * part.count;
    for (std::uint64_t r = 0; r < group.count; ++r) {
      prefetch_group(block + kAhead * kGroup * own.count + r * part.count);
      copy_points(columns.data + r * columns.pitch + part.first, block + r * part.count, part.count);
    }
  }
}

void RowPass::send(std::uint64_t chunk) {
  const std::uint64_t width = chunks_.of(context_.all.rank(), chunk).count;
  for (const int peer : peers_) {
    last_.send(chunk, peer, {turned_.region(chunk, peer), width * layout_.columns.of(peer).count});
  }
}

void RowPass::unpack(std::uint64_t chunk) {
  const std::vector<Strip> strips = strips_of(chunks_, peers_, chunk, arrived_, own_columns());
  if (strips.empty()) return;
  context_.space.share_out(own_columns(), [&](std::size_t /*member*/, std::uint64_t row) {
    Complex* points = context_.data() + row * layout_.shape.rows;
    for (const Strip& strip : strips) {
      copy_points(points + strip.group.first, strip.region + row * strip.group.count, strip.group.count);
    }
  });
}

}  // namespace groma::hpcc::fft
