// Packets in memory that is taken in blocks and never moves.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "base/huge_page_allocator.hpp"
#include "sim/torus/network.hpp"
#include "sim/torus/shape.hpp"

namespace groma::sim::torus {

using PacketId = std::uint32_t;

inline constexpr PacketId kNoPacket = 0xFFFFFFFF;

/// What routers look at; two share a cache line.
struct alignas(32) Packet {
  Hops hops{};
  PacketId next = kNoPacket;  ///< behind it in a queue
  std::uint8_t steps = 1;
  std::uint8_t reception = 0;  ///< the reception FIFO for which it is meant
  Routing routing = Routing::kAdaptive;
  std::uint8_t tag = 0;  ///< the sender's
  Cycles injected = 0;
};
static_assert(sizeof(Packet) == 32);

/// The first dimension that is left, or the number of dimensions. Which one is hard to predict: there is no
/// loop.
inline std::uint32_t first_dimension(const Hops& hops) {
  static_assert(std::endian::native == std::endian::little && sizeof(Hops) == 12);
  std::uint64_t first_four = 0;
  std::memcpy(&first_four, hops.data(), sizeof first_four);
  if (first_four != 0) return static_cast<std::uint32_t>(std::countr_zero(first_four)) / 16;
  return hops[4] != 0 ? 4 : (hops[5] != 0 ? 5 : 6);
}

inline std::uint16_t port_towards(std::int16_t hops, std::size_t dimension) {
  return static_cast<std::uint16_t>(1U << ((2 * dimension) + (hops < 0 ? 1 : 0)));
}

/// The ports on minimal ways; with deterministic routing, that of the first dimension which is left.
inline std::uint16_t ports_wanted(const Packet& packet) {
  if (packet.routing == Routing::kDeterministic) {
    const std::uint32_t d = first_dimension(packet.hops);
    return d == packet.hops.size() ? std::uint16_t{0} : port_towards(packet.hops[d], d);
  }
  std::uint16_t wanted = 0;
  for (std::size_t d = 0; d < packet.hops.size(); ++d) {
    if (packet.hops[d] != 0) wanted |= port_towards(packet.hops[d], d);
  }
  return wanted;
}

/// Any thread may look packets up. Packets are taken and returned by the list of a thread.
class PacketPool {
 public:
  /// Each packet has room for `payload_bytes` of the workload's own.
  explicit PacketPool(std::size_t payload_bytes);

  Packet& operator[](PacketId id) { return blocks_[id / kBlock].packets[id % kBlock]; }
  template <class T>
  T* payload(PacketId id) {
    return reinterpret_cast<T*>(&blocks_[id / kBlock].payload[id % kBlock * payload_words_]);
  }

  /// Packets that one thread may take.
  class List {
   public:
    explicit List(PacketPool& pool) : pool_(&pool) {}
    PacketId take() {
      if (free_.empty()) pool_->add_block(free_);
      const PacketId id = free_.back();
      free_.pop_back();
      return id;
    }
    void give_back(PacketId id) { free_.push_back(id); }

   private:
    PacketPool* pool_;
    std::vector<PacketId> free_;
  };

  [[nodiscard]] std::size_t bytes() const { return std::size_t{blocks_used_} * kBlock * packet_bytes(); }
  [[nodiscard]] std::size_t packet_bytes() const {
    return sizeof(Packet) + (payload_words_ * sizeof(std::uint64_t));
  }

 private:
  static constexpr std::uint32_t kBlock = 1U << 16U;
  static constexpr std::uint32_t kMaxBlocks = 1U << 15U;

  struct Block {
    HugeVector<Packet> packets;
    HugeVector<std::uint64_t> payload;
  };

  void add_block(std::vector<PacketId>& free);

  std::size_t payload_words_;
  std::unique_ptr<Block[]> blocks_;  // NOLINT(modernize-avoid-c-arrays)
  std::uint32_t blocks_used_ = 0;
  std::mutex growing_;
};

}  // namespace groma::sim::torus
