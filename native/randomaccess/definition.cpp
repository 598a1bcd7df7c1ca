#include "randomaccess/definition.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace groma::randomaccess {
namespace {

constexpr std::uint64_t kBlock = 1024;  ///< values at a time: 8 KiB of them, and as many words in the cache

// HPCC_starts and HPCC_starts_LCG are the jumps of HPC Challenge's utility.c.

constexpr std::uint64_t kPoly = 7;
constexpr std::uint64_t kPeriod = 1317624576693539401;

constexpr std::uint64_t next_plain(std::uint64_t x) {
  return (x << 1U) ^ ((x >> 63U) != 0 ? kPoly : 0);
}

std::uint64_t start_plain(std::uint64_t steps) {
  steps %= kPeriod;
  if (steps == 0) return 1;
  std::array<std::uint64_t, 64> squares{};
  std::uint64_t x = 1;
  for (std::uint64_t& square : squares) {
    square = x;
    x = next_plain(next_plain(x));
  }
  std::uint64_t value = 2;
  for (int bit = static_cast<int>(std::bit_width(steps)) - 2; bit >= 0; --bit) {
    std::uint64_t sum = 0;
    for (unsigned at = 0; at < 64; ++at) {
      if ((value >> at & 1U) != 0) sum ^= squares[at];
    }
    value = (steps >> static_cast<unsigned>(bit) & 1U) != 0 ? next_plain(sum) : sum;
  }
  return value;
}

constexpr std::uint64_t kMultiplier = 6364136223846793005U;

constexpr std::uint64_t next_lcg(std::uint64_t x) {
  return kMultiplier * x + 1;
}

std::uint64_t start_lcg(std::uint64_t steps) {
  std::uint64_t value = 1;
  std::uint64_t multiplier = kMultiplier;
  std::uint64_t added = 1;
  for (; steps != 0; steps >>= 1U) {
    if ((steps & 1U) != 0) value = multiplier * value + added;
    added *= multiplier + 1;
    multiplier *= multiplier;
  }
  return value;
}

}  // namespace

DefinedStream::DefinedStream(Generator generator, std::uint64_t first)
    : generator_(generator),
      value_(generator == Generator::kPolynomial ? start_plain(first) : start_lcg(first)) {}

void DefinedStream::fill(std::span<std::uint64_t> values) {
  std::uint64_t x = value_;
  if (generator_ == Generator::kPolynomial) {
    for (std::uint64_t& value : values) value = x = next_plain(x);
  } else {
    for (std::uint64_t& value : values) value = x = next_lcg(x);
  }
  value_ = x;
}

void defined_indices(Generator generator, std::uint64_t words, std::span<const std::uint64_t> values,
                     std::span<std::uint64_t> indices) {
  if (generator == Generator::kPolynomial) {
    for (std::size_t i = 0; i < values.size(); ++i) indices[i] = values[i] & (words - 1);
  } else {
    const auto bits = static_cast<unsigned>(std::bit_width(words) - 1);
    // A table of one word would shift by 64, which C++ does not define.
    for (std::size_t i = 0; i < values.size(); ++i) indices[i] = bits == 0 ? 0 : values[i] >> (64U - bits);
  }
}

std::uint64_t DefinedLayout::first(std::uint64_t part) const {
  return part * (words / parts) + std::min(part, words % parts);
}

std::uint64_t DefinedLayout::owner(std::uint64_t index) const {
  const std::uint64_t shorter = words / parts;
  const std::uint64_t longer = words % parts;
  return index < longer * (shorter + 1) ? index / (shorter + 1) : (index - longer) / shorter;
}

void DefinedUpdates::apply(std::span<const std::uint64_t> values) {
  indices_.resize(kBlock);
  for (; !values.empty(); values = values.subspan(std::min<std::size_t>(kBlock, values.size()))) {
    const auto block = values.first(std::min<std::size_t>(kBlock, values.size()));
    defined_indices(generator_, words_, block, indices_);
    // Without this loop a check takes two to three times as long as what it checks.
    for (std::size_t i = 0; i < block.size(); ++i) {
      const std::uint64_t word = indices_[i] -= first_;
      if (word < table_.size()) __builtin_prefetch(&table_[word], 1, 2);
    }
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (indices_[i] < table_.size()) table_[indices_[i]] ^= block[i];
    }
  }
}

void apply_as_defined(std::span<std::uint64_t> table, Generator generator, Section section) {
  DefinedStream stream(generator, section.first);
  DefinedUpdates updates(table, 0, table.size(), generator);
  std::array<std::uint64_t, kBlock> values{};
  for (std::uint64_t left = section.count; left != 0;) {
    const auto block = std::span(values).first(std::min<std::uint64_t>(left, kBlock));
    stream.fill(block);
    updates.apply(block);
    left -= block.size();
  }
}

}  // namespace groma::randomaccess
