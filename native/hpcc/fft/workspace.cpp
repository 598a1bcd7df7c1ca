#include "hpcc/fft/workspace.hpp"

#include <algorithm>

namespace groma::hpcc::fft {

Status Workspace::reserve(const Needs& needs) {
  const std::array<std::uint64_t, kParts> points = {needs.data, needs.middle, needs.staging, needs.columns};
  for (std::size_t part = 0; part < kParts; ++part) {
    const Bytes size(std::max<std::uint64_t>(1, points[part]) * sizeof(Complex));
    if (blocks_[part] && blocks_[part]->size() >= size.value()) continue;
    blocks_[part].reset();
    auto block = Block::map(size, PageMode::kHuge);
    if (!block) return block.error();
    blocks_[part] = std::make_unique<Block>(std::move(block).value());
  }
  return Done{};
}

Complex* Workspace::of(Part part) const {
  return blocks_[static_cast<std::size_t>(part)]->as<Complex>().data();
}

void Workspace::share_out(std::uint64_t items, const std::function<void(std::size_t, std::uint64_t)>& work) {
  pool_->run([&](std::size_t member) {
    const auto [first, end] = part_of(items, 1, member, pool_->size());
    for (std::uint64_t item = first; item < end; ++item) work(member, item);
  });
}

}  // namespace groma::hpcc::fft
