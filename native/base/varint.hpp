// Whole numbers in as many bytes as they need: LEB128, seven bits a byte, lowest first. Signed ones become
// unsigned by zigzag, which keeps small ones small.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace groma {

constexpr std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63U);
}
constexpr std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1U) ^ -static_cast<std::int64_t>(value & 1U);
}

constexpr std::size_t kLongestVarint = 10;

/// Where there is room for kLongestVarint bytes. The end of what it wrote.
[[gnu::always_inline]] inline std::uint8_t* put_varint(std::uint8_t* at, std::uint64_t value) {
  while (value >= 0x80U) {
    *at++ = static_cast<std::uint8_t>(value | 0x80U);
    value >>= 7U;
  }
  *at++ = static_cast<std::uint8_t>(value);
  return at;
}

/// Grows with what is put into it.
class VarintWriter {
 public:
  void put(std::uint64_t value) {
    if (bytes_.size() - used_ < kLongestVarint) bytes_.resize(2 * bytes_.size() + 8 * kLongestVarint);
    used_ = static_cast<std::size_t>(put_varint(bytes_.data() + used_, value) - bytes_.data());
  }
  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return {bytes_.data(), used_}; }
  void clear() { used_ = 0; }

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t used_ = 0;
};

/// Reads such numbers; good() tells whether all of them were there.
class VarintReader {
 public:
  VarintReader() = default;
  explicit VarintReader(std::span<const std::uint8_t> bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  std::uint64_t next() {
    if (at_ != end_ && *at_ < 0x80U) return *at_++;
    constexpr std::uint64_t tops = 0x8080808080808080ULL;
    if (left() >= sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, at_, sizeof word);
      const std::uint64_t ends = ~word & tops;
      if (ends != 0) {
        const auto bits = static_cast<unsigned>(std::countr_zero(ends)) + 1U;  // of its bytes
        at_ += bits / 8;
        return joined(word & (~std::uint64_t{0} >> (64U - bits)) & ~tops);
      }
    }
    return next_by_bytes();
  }
  std::span<const std::uint8_t> next_bytes(std::uint64_t count) {
    if (count > left()) {
      good_ = false;
      return {};
    }
    const std::uint8_t* const from = at_;
    at_ += count;
    return {from, count};
  }
  [[nodiscard]] std::uint64_t left() const { return static_cast<std::uint64_t>(end_ - at_); }
  [[nodiscard]] bool good() const { return good_; }

 private:
  /// Eight groups of seven bits, each in a byte: pairs, then fours, then all.
  static constexpr std::uint64_t joined(std::uint64_t groups) {
    groups = (groups & 0x007f007f007f007fULL) | (groups & 0x7f007f007f007f00ULL) >> 1U;
    groups = (groups & 0x00003fff00003fffULL) | (groups & 0x3fff00003fff0000ULL) >> 2U;
    return (groups & 0x000000000fffffffULL) | (groups & 0x0fffffff00000000ULL) >> 4U;
  }
  std::uint64_t next_by_bytes() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; at_ != end_ && shift < 64; shift += 7) {
      const std::uint8_t byte = *at_++;
      value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if (byte < 0x80U) return value;
    }
    good_ = false;
    return 0;
  }

  const std::uint8_t* at_ = nullptr;
  const std::uint8_t* end_ = nullptr;
  bool good_ = true;
};

}  // namespace groma
