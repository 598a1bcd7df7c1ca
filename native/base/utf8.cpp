#include "base/utf8.hpp"

#include <array>
#include <utility>

namespace groma {
namespace {

/// A form of RFC 3629, section 4: the range of its first byte, of its second, and its length.
struct Form {
  unsigned char first_low, first_high, second_low, second_high;
  std::size_t length;
};

constexpr std::array kForms{
    Form{0x00, 0x7F, 0, 0, 1},       Form{0xC2, 0xDF, 0x80, 0xBF, 2}, Form{0xE0, 0xE0, 0xA0, 0xBF, 3},
    Form{0xE1, 0xEC, 0x80, 0xBF, 3}, Form{0xED, 0xED, 0x80, 0x9F, 3}, Form{0xEE, 0xEF, 0x80, 0xBF, 3},
    Form{0xF0, 0xF0, 0x90, 0xBF, 4}, Form{0xF1, 0xF3, 0x80, 0xBF, 4}, Form{0xF4, 0xF4, 0x80, 0x8F, 4},
};

bool fits(const Form& form, std::string_view text) {
  const auto within = [&](std::size_t i, unsigned char low, unsigned char high) {
    const auto byte = static_cast<unsigned char>(text[i]);
    return byte >= low && byte <= high;
  };
  if (text.size() < form.length || !within(0, form.first_low, form.first_high)) return false;
  if (form.length > 1 && !within(1, form.second_low, form.second_high)) return false;
  for (std::size_t i = 2; i < form.length; ++i) {
    if (!within(i, 0x80, 0xBF)) return false;
  }
  return true;
}

std::size_t length_of_first(std::string_view text) {
  for (const Form& form : kForms) {
    if (fits(form, text)) return form.length;
  }
  return 0;
}

char continuation(std::uint32_t bits) {
  return static_cast<char>(0x80U | (bits & 0x3FU));
}

}  // namespace

std::size_t valid_utf8_prefix(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = length_of_first(text.substr(at));
    if (length == 0) break;
    at += length;
  }
  return at;
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
    return;
  }
  if (code < 0x800) {
    out += static_cast<char>(0xC0U | (code >> 6U));
  } else {
    if (code < 0x10000) {
      out += static_cast<char>(0xE0U | (code >> 12U));
    } else {
      out += static_cast<char>(0xF0U | (code >> 18U));
      out += continuation(code >> 12U);
    }
    out += continuation(code >> 6U);
  }
  out += continuation(code);
}

bool make_utf8(std::string& text) {
  constexpr std::uint32_t first_letter = 0xA0;
  constexpr std::uint32_t replacement = 0xFFFD;
  std::size_t valid = valid_utf8_prefix(text);
  if (valid == text.size()) return false;
  std::string made;
  for (std::string_view rest = text; !rest.empty(); valid = valid_utf8_prefix(rest)) {
    made += rest.substr(0, valid);
    rest.remove_prefix(valid);
    if (rest.empty()) break;
    const std::uint32_t byte = static_cast<unsigned char>(rest.front());
    append_utf8(made, byte < first_letter ? replacement : byte);
    rest.remove_prefix(1);
  }
  text = std::move(made);
  return true;
}

}  // namespace groma
