// Classes of bytes in JSON, for many bytes at a time. SSE2 is part of every x86-64; other processors take
// eight bytes as a whole number.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace groma {

/// In which `{` and `}` differ from `[` and `]`, and no other sign is like these.
inline constexpr char kLetterBit = 0x20;

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
  /// Signs that are `wanted` but for the bit in which small letters differ from capitals, as brackets do.
  [[nodiscard]] std::uint64_t like(char wanted) const {
    return bits(~nonzero((word_ | kLetterBit * kOnes) ^ static_cast<unsigned char>(wanted) * kOnes));
  }

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
  [[nodiscard]] std::uint64_t like(char wanted) const {
    return bits(_mm_cmpeq_epi8(_mm_or_si128(bytes_, _mm_set1_epi8(kLetterBit)), _mm_set1_epi8(wanted)));
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
  /// `{` and `[` for '{', `}` and `]` for '}'.
  [[nodiscard]] std::uint64_t brackets(char curly) const {
    return of_pieces([=](const Piece& piece) { return piece.like(curly); });
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

/// Finds where a list or table ends by its quotes and brackets alone, 64 bytes at a time. Nothing else in it
/// is checked, not even which bracket closes which.
template <class Piece = ScanPiece>
class BracketScan {
 public:
  /// `length` counts the brackets too. Lines begin at `line_start`, the last of `lines`.
  struct Found {
    bool ends = false;
    std::size_t length = 0;
    std::size_t lines = 0;
    std::size_t line_start = 0;
  };

  /// Of what `text` begins with. Where it does not end, `length` is that of the text.
  static Found of(std::string_view text) { return BracketScan().scan(text); }

 private:
  static constexpr std::size_t kBlock = 64;

  /// Flattened, since a compiler that counts instructions leaves calls for each class of bytes.
  [[gnu::flatten]] Found scan(std::string_view text) {
    Found found;
    for (std::size_t at = 0; at < text.size(); at += kBlock) {
      const ScanBlock<kBlock, Piece> bytes(text.data() + at);
      const std::uint64_t quotes = bytes.equal('"') & ~escaped(bytes.equal('\\'));
      const std::uint64_t outside = ~within_texts(quotes);
      const std::uint64_t end = end_in(bytes.brackets('{') & outside, bytes.brackets('}') & outside);
      count_lines(found, at, bytes.equal('\n') & before(end));
      if (end == 0) continue;
      found.ends = true;
      found.length = at + static_cast<std::size_t>(std::countr_zero(end)) + 1;
      return found;
    }
    found.length = text.size();
    return found;
  }

  /// What a backslash stands before that is not itself escaped.
  std::uint64_t escaped(std::uint64_t backslashes) {
    std::uint64_t marks = std::exchange(escapes_next_, false) ? 1 : 0;
    for (std::uint64_t left = backslashes; left != 0; left &= left - 1) {
      const std::uint64_t one = lowest(left);
      if ((marks & one) != 0) continue;
      marks |= one << 1U;
      escapes_next_ = one >> 63U != 0;
    }
    return marks;
  }

  /// From each quote that opens a text up to the one that closes it.
  std::uint64_t within_texts(std::uint64_t quotes) {
    for (unsigned shift = 1; shift < 64; shift *= 2) quotes ^= quotes << shift;
    const std::uint64_t within = quotes ^ (within_text_ ? ~std::uint64_t{0} : 0);
    within_text_ = within >> 63U != 0;
    return within;
  }

  /// The mark of the bracket that closes the first one; 0: it is not here.
  std::uint64_t end_in(std::uint64_t opening, std::uint64_t closing) {
    for (std::uint64_t left = opening | closing; left != 0; left &= left - 1) {
      depth_ += (opening & lowest(left)) != 0 ? 1 : -1;
      if (depth_ == 0) return lowest(left);
    }
    return 0;
  }

  static void count_lines(Found& found, std::size_t at, std::uint64_t ends) {
    if (ends == 0) return;
    found.lines += static_cast<std::size_t>(std::popcount(ends));
    found.line_start = at + kBlock - static_cast<std::size_t>(std::countl_zero(ends));
  }

  static std::uint64_t lowest(std::uint64_t marks) { return marks & (~marks + 1); }
  static std::uint64_t before(std::uint64_t end) { return end - 1; }  // all of a block without an end

  std::ptrdiff_t depth_ = 0;
  bool within_text_ = false;
  bool escapes_next_ = false;
};

}  // namespace groma
