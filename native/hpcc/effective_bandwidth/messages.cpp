#include "hpcc/effective_bandwidth/messages.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace groma::hpcc {
namespace {

constexpr std::uint64_t kLine = 64;
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kWord = sizeof(std::uint64_t);
constexpr std::uint64_t kRotations = 4;  ///< times that a pool holds the largest set, at least
constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15U;

std::uint64_t round_up(std::uint64_t value, std::uint64_t to) {
  return (value + to - 1) / to * to;
}

/// Distance of reused buffers. The odd lines keep them from sharing the low address bits, by which loads
/// would wait for stores to another buffer.
std::uint64_t reused_stride(std::uint64_t largest) {
  return round_up(largest, kPage) + 17 * kLine;
}

/// Distance of rotating buffers: beyond the neighbouring lines that prefetchers bring along.
std::uint64_t rotating_stride(std::uint64_t bytes) {
  return round_up(bytes, 4 * kLine);
}

std::uint64_t first_word(const Origin& origin) {
  const auto sender = static_cast<std::uint64_t>(origin.sender);
  return RandomStream(origin.sample).fork(2 * sender + origin.direction).next();
}

MessageSet set_at(std::byte* start, std::uint64_t stride, std::uint64_t bytes) {
  const auto message = [&](std::uint64_t number) { return std::span(start + number * stride, bytes); };
  return {.out = {message(0), message(2)}, .in = {message(1), message(3)}};
}

std::uint64_t different_bytes(std::uint64_t a, std::uint64_t b, std::uint64_t bytes) {
  std::uint64_t different = 0;
  for (std::uint64_t at = 0; at < bytes; ++at) different += (((a ^ b) >> (8 * at)) & 0xffU) != 0 ? 1 : 0;
  return different;
}

}  // namespace

void fill(std::span<std::byte> message, const Origin& origin) {
  std::uint64_t word = first_word(origin);
  for (std::size_t at = 0; at < message.size(); at += kWord, word += kStep) {
    std::memcpy(&message[at], &word, std::min<std::size_t>(kWord, message.size() - at));
  }
}

std::uint64_t wrong_bytes(std::span<const std::byte> message, const Origin& origin) {
  if (message.size() < 3) return 0;
  std::uint64_t wrong = 0;
  std::uint64_t word = first_word(origin);
  for (std::size_t at = 0; at < message.size(); at += kWord, word += kStep) {
    const std::size_t bytes = std::min<std::size_t>(kWord, message.size() - at);
    std::uint64_t arrived = 0;
    std::memcpy(&arrived, &message[at], bytes);
    std::uint64_t expected = word;
    if (at == 0) std::memcpy(&expected, message.data(), 1);  // first and last byte carry the iteration
    if (at + bytes == message.size()) {
      std::memcpy(reinterpret_cast<std::byte*>(&expected) + bytes - 1, &message.back(), 1);
    }
    wrong += different_bytes(arrived, expected, bytes);
  }
  return wrong;
}

Result<Messages> Messages::make(std::uint64_t largest, Bytes pool) {
  auto reused = Block::map(Bytes(4 * reused_stride(largest)), PageMode::kHuge);
  if (!reused) return reused.error();
  auto rotating = Block::map(pool, PageMode::kHuge);
  if (!rotating) return rotating.error();
  reused.value().touch();
  rotating.value().touch();
  return Messages(std::move(reused).value(), std::move(rotating).value(), largest);
}

MessageSet Messages::set(BufferState buffers, std::uint64_t bytes, std::uint64_t iteration) const {
  if (buffers == BufferState::kReused) return set_at(reused_.data(), reused_stride(largest_), bytes);
  const std::uint64_t stride = rotating_stride(bytes);
  const std::uint64_t sets = std::bit_floor(pool_.size() / (4 * stride));
  const std::uint64_t number = (iteration * kStep) & (sets - 1);  // odd: visits all before it repeats
  return set_at(pool_.data() + number * 4 * stride, stride, bytes);
}

Bytes rotating_pool(std::uint64_t largest, Bytes last_level_cache, std::uint64_t cores_around_it) {
  constexpr std::uint64_t kCaches = 4;
  const std::uint64_t share =
      kCaches * last_level_cache.value() / std::max<std::uint64_t>(1, cores_around_it);
  return Bytes(std::max(share, kRotations * 4 * rotating_stride(largest)));
}

}  // namespace groma::hpcc
