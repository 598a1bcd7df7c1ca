#include "base/json_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "base/utf8.hpp"

namespace groma {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::optional<char> plain_escape(char c) {
  static constexpr std::string_view kLetters = "\"\\/bfnrt";
  static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const auto place = kLetters.find(c);
  if (place == std::string_view::npos) return std::nullopt;
  return kMeanings[place];
}

/// Recursive descent. A function that returns false has said why in `why_`; `at_` then is where.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<JsonValue> document() {
    JsonValue value;
    if (!is_utf8() || !read_value(value) || !at_end()) return error();
    return value;
  }

 private:
  bool fail(std::string_view why) {
    why_ = why;
    return false;
  }

  [[nodiscard]] Error error() const {
    const std::string_view before = text_.substr(0, at_);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0: the first line
    return {"json.malformed",
            "line " + std::to_string(line) + ", column " + std::to_string(at_ - line_start + 1) + ": " +
                std::string(why_),
            "the file is truncated or not JSON: write it again"};
  }

  bool is_utf8() {
    at_ = valid_utf8_prefix(text_);
    if (at_ != text_.size()) return fail("not UTF-8");
    at_ = 0;
    return true;
  }

  bool at_end() {
    skip_space();
    return at_ == text_.size() || fail("unexpected text after the value");
  }

  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_space() {
    while (is_space(peek())) ++at_;
  }

  bool take(char wanted) {
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }

  bool take_word(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return fail("not a JSON value");
    at_ += word.size();
    return true;
  }

  bool read_value(JsonValue& out) {
    skip_space();
    if (at_ == text_.size()) return fail("the text ends where a value is expected");
    switch (peek()) {
      case '{':
        return nested([&] { return read_members(out); });
      case '[':
        return nested([&] { return read_items(out); });
      case '"':
        return read_text(out);
      case 't':
        return read_word("true", JsonValue(true), out);
      case 'f':
        return read_word("false", JsonValue(false), out);
      case 'n':
        return read_word("null", JsonValue(), out);
      default:
        return read_number(out);
    }
  }

  bool read_word(std::string_view word, JsonValue meaning, JsonValue& out) {
    out = std::move(meaning);
    return take_word(word);
  }

  template <class Read>
  bool nested(Read read) {
    if (depth_ == kJsonDepth) return fail("nested too deeply");
    ++depth_;
    ++at_;
    const bool done = read();
    --depth_;
    return done;
  }

  /// What stands between brackets: entries with commas between them, up to `closing`.
  template <class ReadEntry>
  bool read_entries(char closing, ReadEntry read_entry) {
    skip_space();
    if (take(closing)) return true;
    do {
      if (!read_entry()) return false;
      skip_space();
    } while (take(','));
    return take(closing) || fail(closing == ']' ? "expected ',' or ']'" : "expected ',' or '}'");
  }

  bool read_items(JsonValue& out) {
    JsonValue::Items items;
    if (!read_entries(']', [&] { return read_value(items.emplace_back()); })) return false;
    out = JsonValue(std::move(items));
    return true;
  }

  bool read_members(JsonValue& out) {
    JsonValue::Members members;
    if (!read_entries('}', [&] { return read_member(members.emplace_back()); })) return false;
    out = JsonValue(std::move(members));
    return true;
  }

  bool read_member(JsonValue::Members::value_type& member) {
    skip_space();
    if (!read_string(member.first)) return false;
    skip_space();
    if (!take(':')) return fail("expected ':'");
    return read_value(member.second);
  }

  bool read_text(JsonValue& out) {
    std::string text;
    if (!read_string(text)) return false;
    out = JsonValue(std::move(text));
    return true;
  }

  bool read_string(std::string& out) {
    if (!take('"')) return fail("expected a text in quotes");
    while (!take('"')) {
      if (at_ == text_.size()) return fail("a string does not end");
      if (static_cast<unsigned char>(peek()) < 0x20) return fail("a control character in a string");
      if (peek() != '\\') {
        out += text_[at_++];
      } else if (!read_escape(out)) {
        return false;
      }
    }
    return true;
  }

  bool read_escape(std::string& out) {
    ++at_;  // the backslash
    if (take('u')) return read_code_point(out);
    const auto meaning = plain_escape(peek());
    if (!meaning) return fail("an unknown escape sequence in a string");
    out += *meaning;
    ++at_;
    return true;
  }

  bool read_code_point(std::string& out) {
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
    append_utf8(out, code);
    return true;
  }

  bool read_hex(std::uint32_t& out) {
    const std::string_view digits = text_.substr(at_, 4);
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), out, 16);
    if (digits.size() != 4 || problem != std::errc() || end != digits.data() + 4) {
      return fail("expected four hexadecimal digits");
    }
    at_ += 4;
    return true;
  }

  bool read_number(JsonValue& out) {
    const std::size_t start = at_;
    if (!skip_number()) return fail("not a JSON value");
    double number = 0.0;
    const auto [end, problem] = std::from_chars(text_.data() + start, text_.data() + at_, number);
    if (problem != std::errc() || end != text_.data() + at_) return fail("a number out of range");
    out = JsonValue(number);
    return true;
  }

  /// from_chars takes more than JSON allows (inf, 01, 1.), so the grammar is checked here.
  bool skip_number() {
    take('-');
    if (!take('0') && !skip_digits()) return false;
    if (take('.') && !skip_digits()) return false;
    if (!take('e') && !take('E')) return true;
    if (!take('+')) take('-');
    return skip_digits();
  }

  bool skip_digits() {
    const std::size_t start = at_;
    while (is_digit(peek())) ++at_;
    return at_ > start;
  }

  std::string_view text_;
  std::string_view why_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

const JsonValue* item_of(const JsonValue::Items& items, std::string_view key) {
  std::size_t number = 0;
  const auto [end, problem] = std::from_chars(key.data(), key.data() + key.size(), number);
  if (problem != std::errc() || end != key.data() + key.size()) return nullptr;
  return number < items.size() ? &items[number] : nullptr;
}

const JsonValue* member_of(const JsonValue::Members& members, std::string_view key) {
  const auto found =
      std::find_if(members.rbegin(), members.rend(), [&](const auto& one) { return one.first == key; });
  return found == members.rend() ? nullptr : &found->second;
}

}  // namespace

const JsonValue* JsonValue::find(std::string_view key) const {
  if (const Members* all = members()) return member_of(*all, key);
  if (const Items* all = items()) return item_of(*all, key);
  return nullptr;
}

const JsonValue* JsonValue::at(std::string_view path) const {
  if (path.empty()) return this;
  const JsonValue* value = this;
  for (std::size_t start = 0; value != nullptr && start <= path.size();) {
    const std::size_t dot = std::min(path.find('.', start), path.size());
    value = value->find(path.substr(start, dot - start));
    start = dot + 1;
  }
  return value;
}

Result<JsonValue> read_json(std::string_view text) {
  return Reader(text).document();
}

}  // namespace groma
