// The owners of the words of the table: consecutive parts, the first (words mod parts) of them one word
// longer.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "randomaccess/stream.hpp"

namespace groma::randomaccess {

/// floor(index * parts / 2^bits), if a Product holds index * parts: where an even partition of 2^bits words
/// has word `index`, up to the correction of theorem 4.1. Not pre-shifted, which would cost exactness.
template <class Product>
constexpr std::uint64_t predicted_part(std::uint64_t index, std::uint64_t parts, unsigned bits) {
  return static_cast<std::uint64_t>((Product{index} * parts) >> bits);
}

/// Whether 64 bits hold the product of every index below 2^bits and `parts`.
constexpr bool is_narrow(std::uint64_t parts, unsigned bits) {
  return bits + static_cast<unsigned>(std::bit_width(parts)) <= 64;
}

class Partition {
 public:
  /// `words` is a power of two up to 2^63.
  Partition(std::uint64_t words, std::uint64_t parts);

  /// The same with every `size` neighbouring parts as one; `size` divides the number of parts.
  [[nodiscard]] Partition grouped(std::uint64_t size) const;

  [[nodiscard]] std::uint64_t words() const { return firsts_.back(); }
  [[nodiscard]] std::uint64_t parts() const { return firsts_.size() - 1; }
  [[nodiscard]] std::uint64_t first(std::uint64_t part) const { return firsts_[part]; }
  [[nodiscard]] std::uint64_t size(std::uint64_t part) const { return firsts_[part + 1] - firsts_[part]; }

  /// Without a division, of any partition: a multiplication predicts the part, its bounds correct it by at
  /// most one where OwnerByPrediction holds, by a few nearly always, and by a binary search where these are
  /// not enough.
  [[nodiscard]] std::uint64_t owner(std::uint64_t index) const { return search<Wide>(index); }
  /// The same in faster arithmetic, if Product is Wide or the partition is_narrow().
  template <class Product>
  [[nodiscard]] std::uint64_t search(std::uint64_t index) const {
    std::uint64_t part = predicted_part<Product>(index, parts_, bits_);
    for (int steps = 0; steps < kNear; ++steps) {
      if (index < firsts_[part]) {
        --part;
      } else if (index >= firsts_[part + 1]) {
        ++part;
      } else {
        return part;
      }
    }
    return search_all(index);
  }

  /// Whether owner(index) is index >> shift(), which is so for powers of two of equal parts; groups of parts
  /// need not be equal.
  [[nodiscard]] bool is_shift() const {
    return std::has_single_bit(parts_) && words() >= parts_ && size(0) == size(parts_ - 1);
  }
  [[nodiscard]] unsigned shift() const { return bits_ - static_cast<unsigned>(std::bit_width(parts_) - 1); }

  /// Whether the parts are those of the definition, not groups of them.
  [[nodiscard]] bool is_even() const { return is_even_; }
  /// Words of an even partition's shorter parts (mlts in theorem 4.1), and how many parts are longer (rem).
  [[nodiscard]] std::uint64_t shorter() const { return words() / parts_; }
  [[nodiscard]] std::uint64_t longer() const { return words() % parts_; }
  /// Whether one correction is enough: the condition n < mlts of theorem 4.1.
  [[nodiscard]] bool is_predictable() const { return is_even_ && parts_ < shorter(); }
  [[nodiscard]] unsigned bits() const { return bits_; }
  [[nodiscard]] bool is_narrow() const { return randomaccess::is_narrow(parts_, bits_); }
  /// First word of every part, and the number of words. Lives as long as this.
  [[nodiscard]] std::span<const std::uint64_t> firsts() const { return firsts_; }

 private:
  static constexpr int kNear = 8;  ///< steps from the prediction

  [[nodiscard]] std::uint64_t search_all(std::uint64_t index) const;

  Partition(std::vector<std::uint64_t> firsts, unsigned bits, bool is_even);

  std::vector<std::uint64_t> firsts_;  // of every part, and the number of words
  std::uint64_t parts_;
  unsigned bits_;
  bool is_even_;
};

// Ways to compute owners, chosen outside of loops.

struct OwnerByShift {
  explicit OwnerByShift(const Partition& of) : shift(of.shift()) {}
  std::uint64_t operator()(std::uint64_t index) const { return index >> shift; }
  unsigned shift;
};

/// One multiplication, which is exact or one too high (theorem 4.1 of Aggarwal et al. 2008), and one
/// comparison with the first word of the part that it names. Of predictable partitions; a narrow one's
/// Product may be of 64 bits, which saves a shift of two registers.
template <class Product>
struct OwnerByPrediction {
  explicit OwnerByPrediction(const Partition& of)
      : firsts(of.firsts().data()), parts(of.parts()), bits(of.bits()) {}
  std::uint64_t operator()(std::uint64_t index) const {
    const std::uint64_t part = predicted_part<Product>(index, parts, bits);
    return part - static_cast<std::uint64_t>(index < firsts[part]);
  }
  const std::uint64_t* firsts;
  std::uint64_t parts;
  unsigned bits;
};

/// One division in integers of type `Word`, as HPC Challenge 1.5.0 does; of even partitions whose words a
/// Word can number.
template <class Word>
struct OwnerByDivision {
  explicit OwnerByDivision(const Partition& of)
      : shorter(static_cast<Word>(of.shorter())),
        longer(static_cast<Word>(of.longer())),
        top(static_cast<Word>(of.longer() * (of.shorter() + 1))) {}
  std::uint64_t operator()(std::uint64_t index) const {
    const auto at = static_cast<Word>(index);
    const bool in_longer = at < top;
    const Word offset = in_longer ? at : at - longer;
    const Word size = in_longer ? shorter + 1 : shorter;
    return offset / size;
  }
  Word shorter;
  Word longer;
  Word top;
};

/// Any partition, with a Product as for OwnerByPrediction.
template <class Product>
struct OwnerBySearch {
  explicit OwnerBySearch(const Partition& of) : parts(&of) {}
  std::uint64_t operator()(std::uint64_t index) const { return parts->search<Product>(index); }
  const Partition* parts;
};

/// kFastest never divides; kDivision always does, to compare.
enum class OwnerRule { kFastest, kDivision };

/// Words that 32 bits can number with room for the sums above.
constexpr std::uint64_t kNarrow = std::uint64_t{1} << 31U;

/// Calls `use` with the function object that computes owners with a Product.
template <class Product, class Use>
decltype(auto) with_multiplication(const Partition& parts, const Use& use) {
  return parts.is_predictable() ? use(OwnerByPrediction<Product>(parts)) : use(OwnerBySearch<Product>(parts));
}

/// The same in the fastest arithmetic that is wide enough.
template <class Use>
decltype(auto) with_multiplication(const Partition& parts, const Use& use) {
  return parts.is_narrow() ? with_multiplication<std::uint64_t>(parts, use)
                           : with_multiplication<Wide>(parts, use);
}

/// Calls `use` with the function object that computes owners by that rule.
template <class Use>
decltype(auto) with_owner(const Partition& parts, OwnerRule rule, const Use& use) {
  if (rule == OwnerRule::kDivision && parts.is_even()) {
    return parts.words() <= kNarrow ? use(OwnerByDivision<std::uint32_t>(parts))
                                    : use(OwnerByDivision<std::uint64_t>(parts));
  }
  if (parts.is_shift()) return use(OwnerByShift(parts));
  return with_multiplication(parts, use);
}

}  // namespace groma::randomaccess
