#include "sim/torus/packet.hpp"

#include <new>

namespace groma::sim::torus {

PacketPool::PacketPool(std::size_t payload_bytes)
    : payload_bytes_((payload_bytes + 7) / 8 * 8), blocks_(new std::unique_ptr<Block>[kMostBlocks]) {}

void PacketPool::add_block(std::vector<PacketId>& free) {
  const std::scoped_lock lock(growing_);
  if (blocks_used_ == kMostBlocks) throw std::bad_alloc();
  auto block = std::make_unique<Block>();
  block->payload.reset(new std::byte[kBlock * payload_bytes_]);
  blocks_[blocks_used_] = std::move(block);
  const PacketId first = blocks_used_ * kBlock;
  ++blocks_used_;
  for (PacketId id = first + kBlock; id-- > first;) free.push_back(id);
}

}  // namespace groma::sim::torus
