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

/// Whether the words from number `from` up to `to` are those that were sent: fast where nothing is wrong.
bool same_words(std::span<const std::byte> message, std::uint64_t first, std::size_t from, std::size_t to) {
  std::uint64_t difference = 0;
  for (std::size_t at = from; at < to; ++at) {
    std::uint64_t word = 0;
    std::memcpy(&word, message.data() + at * kWord, kWord);
    difference |= word ^ (first + at * kStep);
  }
  return difference == 0;
}

/// Bytes of `message` that differ from the first ones of the words from `first` on, one by one.
std::uint64_t different_bytes(std::span<const std::byte> message, std::uint64_t first) {
  std::uint64_t different = 0;
  for (std::size_t at = 0; at < message.size(); ++at) {
    const std::uint64_t word = first + at / kWord * kStep;
    different += message[at] != static_cast<std::byte>(word >> (8 * (at % kWord))) ? 1 : 0;
  }
  return different;
}

/// First and last byte, which carry the iteration instead.
std::uint64_t ends_that_differ(std::span<const std::byte> message, std::uint64_t first) {
  const std::size_t last = message.size() - 1;
  const std::uint64_t word = first + last / kWord * kStep;
  return different_bytes(message.first(1), first) +
         (message.back() != static_cast<std::byte>(word >> (8 * (last % kWord))) ? 1 : 0);
}

}  // namespace

void fill(std::span<std::byte> message, const Origin& origin) {
  std::uint64_t word = first_word(origin);
  const std::size_t whole = message.size() / kWord * kWord;
  std::byte* const data = message.data();
  for (std::size_t at = 0; at < whole; at += kWord, word += kStep) std::memcpy(data + at, &word, kWord);
  std::memcpy(data + whole, &word, message.size() - whole);
}

std::uint64_t wrong_bytes(std::span<const std::byte> message, const Origin& origin) {
  if (message.size() < 3) return 0;
  const std::uint64_t first = first_word(origin);
  const std::uint64_t ends = ends_that_differ(message, first);
  const std::size_t last = message.size() / kWord - 1;  // whole word
  if (message.size() < 3 * kWord || !same_words(message, first, 1, last)) {
    return different_bytes(message, first) - ends;
  }
  return different_bytes(message.first(kWord), first) +
         different_bytes(message.subspan(last * kWord), first + last * kStep) - ends;
}

Result<Messages> Messages::make(std::uint64_t largest, Bytes pool) {
  const Bytes set(4 * reused_stride(largest));
  auto small = Block::map(set, PageMode::kSmall);
  auto huge = Block::map(set, PageMode::kHuge);
  auto rotating = Block::map(pool, PageMode::kSmall);
  for (const auto* block : {&small, &huge, &rotating}) {
    if (!*block) return block->error();
    block->value().touch();
  }
  return Messages(std::move(small).value(), std::move(huge).value(), std::move(rotating).value(), largest);
}

MessageSet Messages::set(BufferState buffers, std::uint64_t bytes, std::uint64_t iteration) const {
  if (buffers != BufferState::kRotating) {
    const Block& block = buffers == BufferState::kReused ? small_ : huge_;
    return set_at(block.data(), reused_stride(largest_), bytes);
  }
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
