// Classes of bytes in JSON, for many bytes at a time. SSE2 is part of every x86-64; other processors take
// eight bytes as a whole number.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace groma {

/// Eight bytes as a whole number. The mark of a byte is its high bit.
class ScanWord {
 public:
  static constexpr std::size_t kBytes = 8;

  explicit ScanWord(const char* from) {
    std::memcpy(&word_, from, kBytes);
    if constexpr (std::endian::native == std::endian::big) word_ = __builtin_bswap64(word_);
  }

  [[nodiscard]] std::uint64_t equal(char wanted) const {
    return bits(~nonzero(word_ ^ static_cast<unsigned char>(wanted) * kOnes));
  }
  [[nodiscard]] std::uint64_t digits() const { return bits(~no_digits()); }

  /// The marks themselves.
  [[nodiscard]] std::uint64_t no_digits() const {
    const std::uint64_t values = word_ ^ '0' * kOnes;
    return (((values & ~kHighBits) + (0x80 - 10) * kOnes) | values) & kHighBits;
  }
  [[nodiscard]] std::uint64_t below_blank_or_beyond_ascii() const {
    return bits(~((word_ & ~kHighBits) + (0x80 - 0x20) * kOnes) | word_);
  }

 private:
  static constexpr std::uint64_t kOnes = 0x0101010101010101;
  static constexpr std::uint64_t kHighBits = 0x80 * kOnes;

  static std::uint64_t nonzero(std::uint64_t word) { return ((word & ~kHighBits) + ~kHighBits) | word; }

  /// Bit i is the mark of byte i: the product brings all of them to the highest byte.
  static std::uint64_t bits(std::uint64_t marks) {
    return ((marks & kHighBits) >> 7U) * 0x0102040810204080 >> 56U;
  }

  std::uint64_t word_ = 0;
};

#if defined(__SSE2__)
class ScanVector {
 public:
  static constexpr std::size_t kBytes = 16;

  explicit ScanVector(const char* from) : bytes_(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))) {}

  [[nodiscard]] std::uint64_t equal(char wanted) const {
    return bits(_mm_cmpeq_epi8(bytes_, _mm_set1_epi8(wanted)));
  }
  [[nodiscard]] std::uint64_t digits() const {
    const __m128i values = _mm_sub_epi8(bytes_, _mm_set1_epi8('0'));
    return bits(_mm_cmpeq_epi8(_mm_min_epu8(values, _mm_set1_epi8(9)), values));
  }
  /// As signed numbers, bytes beyond ASCII are negative.
  [[nodiscard]] std::uint64_t below_blank_or_beyond_ascii() const {
    return bits(_mm_cmplt_epi8(bytes_, _mm_set1_epi8(' ')));
  }

 private:
  static std::uint64_t bits(__m128i marks) { return static_cast<std::uint32_t>(_mm_movemask_epi8(marks)); }

  __m128i bytes_;
};
using ScanPiece = ScanVector;
#else
using ScanPiece = ScanWord;
#endif

/// `kBytes` bytes from `from` on. Bit i of an answer is about byte i.
template <std::size_t kBytes, class Piece = ScanPiece>
class ScanBlock {
 public:
  explicit ScanBlock(const char* from) : from_(from) {}

  [[nodiscard]] std::uint64_t equal(char wanted) const {
    return of_pieces([=](const Piece& piece) { return piece.equal(wanted); });
  }
  [[nodiscard]] std::uint64_t digits() const {
    return of_pieces([](const Piece& piece) { return piece.digits(); });
  }

  /// Bytes that a string does not hold as they are: quotes, backslashes, control characters, and those that
  /// are not ASCII.
  [[nodiscard]] std::uint64_t ends_of_plain_text() const {
    return of_pieces([](const Piece& piece) {
      return piece.equal('"') | piece.equal('\\') | piece.below_blank_or_beyond_ascii();
    });
  }

 private:
  template <class Bits>
  [[nodiscard]] std::uint64_t of_pieces(Bits bits) const {
    std::uint64_t found = 0;
    for (std::size_t at = 0; at < kBytes; at += Piece::kBytes) found |= bits(Piece(from_ + at)) << at;
    return found;
  }

  const char* from_;
};

/// Texts that are scanned must be readable so far behind their end.
inline constexpr std::size_t kScanAhead = 64;

/// The length of what a string holds as it is, from `start` on. Something, such as a zero, must end it.
template <class Piece = ScanPiece>
[[gnu::flatten]] std::size_t plain_text_length(const char* start) {
  constexpr std::size_t kStep = 16;
  const char* at = start;
  std::uint64_t ends = ScanBlock<kStep, Piece>(at).ends_of_plain_text();
  for (; ends == 0; ends = ScanBlock<kStep, Piece>(at).ends_of_plain_text()) at += kStep;
  return static_cast<std::size_t>(at - start) + static_cast<std::size_t>(std::countr_zero(ends));
}

constexpr bool is_json_digit(char c) {
  return c >= '0' && c <= '9';
}

/// The number of digits from `start` on. Most are one, or the many of a fraction.
inline std::size_t digits_length(const char* start) {
  if (!is_json_digit(start[0])) return 0;
  if (!is_json_digit(start[1])) return 1;
  const char* at = start;
  std::uint64_t others = ScanWord(at).no_digits();
  for (; others == 0; others = ScanWord(at).no_digits()) at += ScanWord::kBytes;
  return static_cast<std::size_t>(at - start) + static_cast<std::size_t>(std::countr_zero(others)) / 8;
}

/// Checks a list of numbers without blanks, 64 bytes at a time. Every rule of the grammar is about
/// neighbours, but for the order of point and exponent.
template <class Piece = ScanPiece>
class NumberListCheck {
 public:
  /// The length of what stands between the brackets of a list of numbers; 0 where it is none, or one that
  /// must be checked number by number: with blanks, signs +, long exponents, long numbers.
  static std::size_t length(const char* start) { return NumberListCheck().of(start); }

 private:
  static constexpr std::size_t kBlock = 64;

  struct Block {
    std::uint64_t digits, zeros, commas, points, exponents, minus;
  };

  /// Marks of a block as seen from the next byte each. The last one waits for the next block.
  class Shifted {
   public:
    explicit Shifted(bool first = false) : last_(first ? 1 : 0) {}
    std::uint64_t operator()(std::uint64_t marks) {
      const std::uint64_t shifted = marks << 1U | last_;
      last_ = marks >> 63U;
      return shifted;
    }

   private:
    std::uint64_t last_;
  };

  /// The first stop behind each mark.
  class Next {
   public:
    std::uint64_t operator()(std::uint64_t marks, std::uint64_t stops) {
      // A one that is added at the start of a run of ones arrives behind it.
      const std::uint64_t starts = marks << 1U | open_;
      const std::uint64_t sum = starts + ~stops;
      open_ = marks >> 63U | (sum < starts ? 1U : 0U);
      return sum & stops;
    }

   private:
    std::uint64_t open_ = 0;
  };

  /// Flattened, since a compiler that counts instructions leaves calls for each of the seven classes.
  [[gnu::flatten]] std::size_t of(const char* start) {
    for (const char* at = start;; at += kBlock) {
      const ScanBlock<kBlock, Piece> bytes(at);
      Block block{bytes.digits(),   bytes.equal('0'), bytes.equal(','),
                  bytes.equal('.'), bytes.equal('e'), bytes.equal('-')};
      const std::uint64_t end =
          lowest(~(block.digits | block.commas | block.points | block.exponents | block.minus));
      if (end == 0 && block.commas == 0) return 0;  // a long number
      cut(block, end);
      if (!is_valid(block)) return 0;
      if (end == 0) continue;
      const std::size_t length =
          static_cast<std::size_t>(at - start) + static_cast<std::size_t>(std::countr_zero(end));
      return start[length] == ']' ? length : 0;
    }
  }

  static std::uint64_t lowest(std::uint64_t marks) { return marks & (~marks + 1); }

  /// What ends the list ends its last number, as a comma does.
  static void cut(Block& block, std::uint64_t end) {
    const std::uint64_t inside = end - 1;  // all, if there is no end
    for (std::uint64_t* marks :
         {&block.digits, &block.zeros, &block.commas, &block.points, &block.exponents, &block.minus}) {
      *marks &= inside;
    }
    block.commas |= end;
  }

  bool is_valid(const Block& block) {
    const std::uint64_t at_start = after_comma_(block.commas);
    const std::uint64_t after_exponent = after_exponent_(block.exponents);
    std::uint64_t wrong = (block.commas | block.points | block.exponents) & ~after_digit_(block.digits);
    wrong |= block.minus & ~(at_start | after_exponent);
    const std::uint64_t first_digits = at_start | after_first_minus_(block.minus & at_start);
    wrong |= block.digits & after_first_zero_(block.zeros & first_digits);
    return (wrong | out_of_order(block) | long_exponents(block, after_exponent)) == 0;
  }

  /// A number has at most one point and one exponent, the point first.
  std::uint64_t out_of_order(const Block& block) {
    const std::uint64_t stops = block.commas | block.points | block.exponents;
    return (next_of_point_(block.points, stops) & block.points) |
           (next_of_exponent_(block.exponents, stops) & (block.points | block.exponents));
  }

  /// Those of three digits and more may be out of range.
  std::uint64_t long_exponents(const Block& block, std::uint64_t after_exponent) {
    const std::uint64_t signs = block.minus & after_exponent;
    const std::uint64_t first = (after_exponent | after_exponent_sign_(signs)) & block.digits;
    const std::uint64_t second = after_first_(first) & block.digits;
    return after_second_(second) & block.digits;
  }

  Shifted after_comma_{true};
  Shifted after_digit_, after_exponent_, after_first_minus_, after_first_zero_;
  Shifted after_exponent_sign_, after_first_, after_second_;
  Next next_of_point_, next_of_exponent_;
};

}  // namespace groma
