#include "base/json_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>

#include "base/utf8.hpp"

// A release is compiled with -O2, which leaves calls for each sign.
#if defined(__OPTIMIZE__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("O3")
#endif

#include "base/json_scan.hpp"

namespace groma {
namespace {

std::optional<char> plain_escape(char c) {
  static constexpr std::string_view kLetters = "\"\\/bfnrt";
  static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const auto place = kLetters.find(c);
  if (c == '\0' || place == std::string_view::npos) return std::nullopt;
  return kMeanings[place];
}

/// Numbers of this length whose exponent has no more digits fit into a double.
constexpr std::size_t kSafeLength = 200;
constexpr std::size_t kSafeExponent = 2;

/// Of which there is a value or key, in most documents.
constexpr std::size_t kBytesOfValue = 8;
static_assert(kJsonPadding >= kScanAhead);

/// What stands behind the `e` of a number, held within `kMostExponent`; 0 where nothing does.
std::int64_t exponent_in(std::string_view digits) {
  constexpr std::int64_t kMostExponent = std::int64_t{1} << 60;
  digits.remove_prefix(std::min(digits.find_first_of("eE"), digits.size() - 1) + 1);
  const bool is_negative = digits.starts_with('-');
  if (is_negative || digits.starts_with('+')) digits.remove_prefix(1);
  std::int64_t size = 0;
  const auto problem = std::from_chars(digits.data(), digits.data() + digits.size(), size).ec;
  if (problem == std::errc::result_out_of_range) size = kMostExponent;
  size = std::min(size, kMostExponent);
  return is_negative ? -size : size;
}

/// Whether a number that no double holds is too small, not too large: by the power of ten of its first digit
/// that is not 0.
bool is_too_small(std::string_view digits) {
  const auto first = static_cast<std::int64_t>(digits.find_first_of("123456789"));
  const auto point = static_cast<std::int64_t>(std::min(digits.find_first_of(".eE"), digits.size()));
  return point - first + exponent_in(digits) < 0;
}

std::optional<double> number_in(std::string_view digits) {
  double number = 0.0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (problem == std::errc::result_out_of_range && is_too_small(digits)) return 0.0;
  if (problem != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

/// Recursive descent over a text with zeros behind it. Texts in it are unescaped where they are, which never
/// makes them longer, and their closing quote becomes a zero. What is folded is left as it is. A function
/// that returns false has said why in `why_`; `at_` then is where.
class Reader {
 public:
  Reader(JsonText text, std::string_view folded)
      : buffer_(std::move(text)), size_(buffer_.size()), folded_(folded) {
    buffer_.insert(buffer_.end(), kJsonPadding, '\0');
    text_ = buffer_.data();
    nodes_.reserve(size_ / kBytesOfValue + 1);
  }

  Result<JsonDocument> document() {
    if (size_ > kLongestJson) return Error{"json.malformed", "longer than 4 GiB", "this is no profile"};
    if (!read_value() || !at_end()) return error();
    return JsonDocument(std::move(buffer_), std::move(nodes_));
  }

 private:
  bool fail(std::string_view why) {
    why_ = why;
    return false;
  }

  [[nodiscard]] Error error() const {
    return {"json.malformed",
            "line " + std::to_string(line_) + ", column " + std::to_string(at_ - line_start_ + 1) + ": " +
                std::string(why_),
            "the file is truncated or not JSON: write it again"};
  }

  bool at_end() {
    skip_space();
    return at_ == size_ || fail("unexpected text after the value");
  }

  /// The zero at the end of the text is not of any token.
  [[nodiscard]] char peek() const { return text_[at_]; }

  void skip_space() {
    if (peek() > ' ') return;
    for (;; ++at_) {
      if (peek() == '\n') {
        ++line_;
        line_start_ = at_ + 1;
      } else if (peek() != ' ' && peek() != '\t' && peek() != '\r') {
        return;
      }
    }
  }

  bool take(char wanted) {
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }

  bool read_value() {
    skip_space();
    if (at_ == size_) return fail("the text ends where a value is expected");
    switch (peek()) {
      case '{':
        return read_nested(JsonKind::kTable, '}', [this] { return read_member(); });
      case '[':
        return read_nested(JsonKind::kList, ']', [this] { return read_value(); });
      case '"':
        return read_text();
      case 't':
        return read_word("true", JsonKind::kTrue);
      case 'f':
        return read_word("false", JsonKind::kFalse);
      case 'n':
        return read_word("null", JsonKind::kNull);
      default:
        return read_number();
    }
  }

  void add(JsonKind kind, std::size_t begin, std::size_t length) {
    nodes_.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(length), 1, kind});
  }

  bool read_word(std::string_view word, JsonKind kind) {
    if (!std::string_view(text_ + at_, size_ - at_).starts_with(word)) return fail("not a JSON value");
    add(kind, at_, word.size());
    at_ += word.size();
    return true;
  }

  template <class ReadEntry>
  bool read_nested(JsonKind kind, char closing, ReadEntry read_entry) {
    if (depth_ == kJsonDepth) return fail("nested too deeply");
    ++depth_;
    const std::size_t place = nodes_.size();
    add(kind, at_++, 0);
    std::uint32_t count = 0;
    if (!read_entries(closing, count, read_entry)) return false;
    --depth_;
    nodes_[place].length = count;
    nodes_[place].extent = static_cast<std::uint32_t>(nodes_.size() - place);
    return true;
  }

  /// What stands between brackets: entries with commas between them, up to `closing`.
  template <class ReadEntry>
  bool read_entries(char closing, std::uint32_t& count, ReadEntry read_entry) {
    skip_space();
    if (take(closing)) return true;
    do {
      if (!read_entry()) return false;
      ++count;
      skip_space();
    } while (take(','));
    return take(closing) || fail(closing == ']' ? "expected ',' or ']'" : "expected ',' or '}'");
  }

  bool read_member() {
    skip_space();
    if (!read_text()) return false;
    const bool is_folded = depth_ == 1 && !folded_.empty() && last_text() == folded_;
    skip_space();
    if (!take(':')) return fail("expected ':'");
    return is_folded ? read_folded() : read_value();
  }

  [[nodiscard]] std::string_view last_text() const {
    return {text_ + nodes_.back().begin, nodes_.back().length};
  }

  /// A list or table; other values are read, since nothing is saved with them.
  bool read_folded() {
    skip_space();
    if (peek() != '{' && peek() != '[') return read_value();
    const auto found = BracketScan<>::of({text_ + at_, size_ - at_});
    add(JsonKind::kFolded, at_, found.length);
    line_ += found.lines;
    if (found.lines > 0) line_start_ = at_ + found.line_start;
    at_ += found.length;
    return found.ends || fail("a list or table does not end");
  }

  bool read_text() {
    if (!take('"')) return fail("expected a text in quotes");
    const std::size_t begin = at_;
    std::size_t end = at_;
    bool is_ascii = true;
    for (take_plain(end); peek() != '"'; take_plain(end)) {
      if (static_cast<unsigned char>(peek()) < 0x20) {
        return fail(at_ == size_ ? "a string does not end" : "a control character in a string");
      }
      is_ascii = is_ascii && static_cast<unsigned char>(peek()) < 0x80;
      if (peek() != '\\') {
        text_[end++] = text_[at_++];
      } else if (!read_escape(end)) {
        return false;
      }
    }
    if (!is_ascii && !is_utf8(begin, end)) return false;
    text_[end] = '\0';
    ++at_;
    add(JsonKind::kText, begin, end - begin);
    return true;
  }

  /// Moves what a string holds as it is to `end`.
  void take_plain(std::size_t& end) {
    const std::size_t length = plain_text_length(text_ + at_);
    if (end != at_) std::memmove(text_ + end, text_ + at_, length);
    end += length;
    at_ += length;
  }

  bool is_utf8(std::size_t begin, std::size_t end) {
    const std::size_t valid = valid_utf8_prefix({text_ + begin, end - begin});
    if (valid == end - begin) return true;
    at_ = begin + valid;
    return fail("not UTF-8");
  }

  bool read_escape(std::size_t& end) {
    ++at_;  // the backslash
    if (take('u')) return read_code_point(end);
    const auto meaning = plain_escape(peek());
    if (!meaning) return fail("an unknown escape sequence in a string");
    text_[end++] = *meaning;
    ++at_;
    return true;
  }

  bool read_code_point(std::size_t& end) {
    std::uint32_t code = 0;
    if (!read_hex(code)) return false;
    if (is_high_surrogate(code)) {
      std::uint32_t low = 0;
      if (!take('\\') || !take('u')) return fail("an unpaired surrogate");
      if (!read_hex(low)) return false;
      if (!is_low_surrogate(low)) return fail("an unpaired surrogate");
      code = from_surrogates(code, low);
    } else if (is_low_surrogate(code)) {
      return fail("an unpaired surrogate");
    }
    std::string bytes;
    append_utf8(bytes, code);
    for (const char byte : bytes) text_[end++] = byte;
    return true;
  }

  bool read_hex(std::uint32_t& out) {
    const std::string_view digits = std::string_view(text_ + at_, size_ - at_).substr(0, 4);
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), out, 16);
    if (digits.size() != 4 || problem != std::errc() || end != digits.data() + 4) {
      return fail("expected four hexadecimal digits");
    }
    at_ += 4;
    return true;
  }

  bool read_number() {
    const std::size_t start = at_;
    if (!skip_number()) return fail("not a JSON value");
    add(JsonKind::kNumber, start, at_ - start);
    const bool may_be_too_large = exponent_digits_ > kSafeExponent || at_ - start > kSafeLength;
    return !may_be_too_large || number_in({text_ + start, at_ - start}) || fail("a number out of range");
  }

  /// from_chars takes more than JSON allows (inf, 01, 1.), so the grammar is checked here.
  bool skip_number() {
    take('-');
    exponent_digits_ = 0;
    if (!take('0') && !skip_digits()) return false;
    if (take('.') && !skip_digits()) return false;
    if (!take('e') && !take('E')) return true;
    if (!take('+')) take('-');
    const std::size_t start = at_;
    if (!skip_digits()) return false;
    exponent_digits_ = at_ - start;
    return true;
  }

  bool skip_digits() {
    const std::size_t length = digits_length(text_ + at_);
    at_ += length;
    return length > 0;
  }

  JsonText buffer_;
  std::size_t size_;
  std::string_view folded_;
  char* text_ = nullptr;
  JsonNodes nodes_;
  std::string_view why_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t line_start_ = 0;
  int depth_ = 0;
  std::size_t exponent_digits_ = 0;
};

std::optional<std::size_t> index_in(std::string_view key) {
  std::size_t number = 0;
  const auto [end, problem] = std::from_chars(key.data(), key.data() + key.size(), number);
  if (problem != std::errc() || end != key.data() + key.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<bool> JsonValue::truth() const {
  if (is(JsonKind::kTrue)) return true;
  if (is(JsonKind::kFalse)) return false;
  return std::nullopt;
}

std::optional<double> JsonValue::number() const {
  if (!is(JsonKind::kNumber)) return std::nullopt;
  return number_in(text_of(*node_));
}

std::optional<std::string_view> JsonValue::text() const {
  if (!is(JsonKind::kText)) return std::nullopt;
  return text_of(*node_);
}

std::optional<std::string_view> JsonValue::folded() const {
  if (!is(JsonKind::kFolded)) return std::nullopt;
  return text_of(*node_);
}

/// The first node of item or member `index`, which must be there.
const JsonNode* JsonValue::entry(std::size_t index) const {
  const std::size_t keys = is_table() ? 1 : 0;
  const bool holds_single_nodes = node_->extent == 1 + node_->length * (1 + keys);
  if (holds_single_nodes) return node_ + 1 + index * (1 + keys);
  const JsonNode* node = node_ + 1;
  for (; index > 0; --index) node += keys + node[keys].extent;
  return node;
}

JsonValue JsonValue::item(std::size_t index) const {
  if (index >= size()) return {};
  return {entry(index) + (is_table() ? 1 : 0), text_};
}

std::optional<std::string_view> JsonValue::key(std::size_t index) const {
  if (!is_table() || index >= size()) return std::nullopt;
  return text_of(*entry(index));
}

JsonValue JsonValue::find(std::string_view key) const {
  if (is_list()) {
    const auto index = index_in(key);
    return index ? item(*index) : JsonValue();
  }
  JsonValue found;
  for_each_member([&](std::string_view name, JsonValue value) {
    if (name == key) found = value;
  });
  return found;
}

JsonValue JsonValue::at(std::string_view path) const {
  if (path.empty()) return *this;
  JsonValue value = *this;
  for (std::size_t start = 0; value && start <= path.size();) {
    const std::size_t dot = std::min(path.find('.', start), path.size());
    value = value.find(path.substr(start, dot - start));
    start = dot + 1;
  }
  return value;
}

Result<JsonDocument> read_json(JsonText text, std::string_view folded) {
  return Reader(std::move(text), folded).document();
}

Result<JsonDocument> read_json(std::string_view text, std::string_view folded) {
  JsonText own;
  own.reserve(text.size() + kJsonPadding);
  own.assign(text.begin(), text.end());
  return read_json(std::move(own), folded);
}

}  // namespace groma

#if defined(__OPTIMIZE__) && !defined(__clang__)
#pragma GCC pop_options
#endif
