// UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace groma {

/// How many leading bytes of `text` are whole, valid characters; its size if all are.
std::size_t valid_utf8_prefix(std::string_view text);

/// Appends a code point that is no surrogate.
void append_utf8(std::string& out, std::uint32_t code);

/// Takes each byte that belongs to no valid character as the character that it is in ISO 8859-1; the controls
/// above 127 become U+FFFD. Whether there was any.
bool make_utf8(std::string& text);

constexpr bool is_high_surrogate(std::uint32_t code) {
  return code >= 0xD800 && code <= 0xDBFF;
}
constexpr bool is_low_surrogate(std::uint32_t code) {
  return code >= 0xDC00 && code <= 0xDFFF;
}
constexpr std::uint32_t from_surrogates(std::uint32_t high, std::uint32_t low) {
  return 0x10000 + ((high - 0xD800) << 10U) + (low - 0xDC00);
}

}  // namespace groma
