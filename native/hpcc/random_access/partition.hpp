// Who owns which words of the table: consecutive parts, the first (words mod parts) of them one word longer.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace groma::hpcc::random_access {

class Partition {
 public:
  /// `words` is a power of two, words * parts below 2^64.
  Partition(std::uint64_t words, std::uint64_t parts);

  /// The same with every `size` neighbouring parts as one; `size` divides the number of parts.
  [[nodiscard]] Partition grouped(std::uint64_t size) const;

  [[nodiscard]] std::uint64_t words() const { return firsts_.back(); }
  [[nodiscard]] std::uint64_t parts() const { return firsts_.size() - 1; }
  [[nodiscard]] std::uint64_t first(std::uint64_t part) const { return firsts_[part]; }
  [[nodiscard]] std::uint64_t size(std::uint64_t part) const { return firsts_[part + 1] - firsts_[part]; }

  /// Without a division: a multiplication predicts the part, its bounds correct it by at most one where parts
  /// are longer than their number (theorem 4.1 of Aggarwal et al. 2008), by a few where they are not.
  [[nodiscard]] std::uint64_t owner(std::uint64_t index) const {
    std::uint64_t part = (index * parts_) >> bits_;
    while (index < firsts_[part]) --part;
    while (index >= firsts_[part + 1]) ++part;
    return part;
  }

  /// Whether owner(index) is index >> shift(), which is so for powers of two.
  [[nodiscard]] bool is_shift() const { return std::has_single_bit(parts_) && words() >= parts_; }
  [[nodiscard]] unsigned shift() const { return bits_ - static_cast<unsigned>(std::bit_width(parts_) - 1); }

 private:
  Partition(std::vector<std::uint64_t> firsts, unsigned bits);

  std::vector<std::uint64_t> firsts_;  // of every part, and the number of words
  std::uint64_t parts_;
  unsigned bits_;
};

/// How owners are told, chosen outside of loops.
struct OwnerByShift {
  explicit OwnerByShift(const Partition& of) : shift(of.shift()) {}
  std::uint64_t operator()(std::uint64_t index) const { return index >> shift; }
  unsigned shift;
};
struct OwnerByPrediction {
  explicit OwnerByPrediction(const Partition& of) : parts(&of) {}
  std::uint64_t operator()(std::uint64_t index) const { return parts->owner(index); }
  const Partition* parts;
};

/// Calls `use` with what tells owners fastest.
template <class Use>
decltype(auto) with_owner(const Partition& parts, const Use& use) {
  return parts.is_shift() ? use(OwnerByShift(parts)) : use(OwnerByPrediction(parts));
}

}  // namespace groma::hpcc::random_access
