#include "sim/torus/packet.hpp"

#include <new>

namespace groma::sim::torus {

PacketPool::PacketPool(std::size_t payload_bytes)
    : payload_words_((payload_bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t)),
      blocks_(new Block[kMaxBlocks]) {}

void PacketPool::add_block(std::vector<PacketId>& free) {
  const std::scoped_lock lock(growing_);
  if (blocks_used_ == kMaxBlocks) throw std::bad_alloc();
  blocks_[blocks_used_].packets.resize(kBlock);
  blocks_[blocks_used_].payload.resize(kBlock * payload_words_);
  const PacketId first = blocks_used_ * kBlock;
  ++blocks_used_;
  for (PacketId id = first + kBlock; id-- > first;) free.push_back(id);
}

}  // namespace groma::sim::torus
