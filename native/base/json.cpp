#include "base/json.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace groma {
namespace {

void append_escaped(std::string& out, char c) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  if (c == '"' || c == '\\') {
    out += '\\';
    out += c;
  } else if (static_cast<unsigned char>(c) < 0x20) {
    out += "\\u00";
    out += kHex[static_cast<unsigned char>(c) >> 4U];
    out += kHex[static_cast<unsigned char>(c) & 0xfU];
  } else {
    out += c;
  }
}

}  // namespace

Json::Json(std::string_view text) : text_("\"") {
  for (const char c : text) append_escaped(text_, c);
  text_ += '"';
}

Json::Json(double number) : text_("null") {
  if (!std::isfinite(number)) return;
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text_.assign(digits.data(), end);
}

JsonObject& JsonObject::add(std::string_view key, const Json& value) {
  if (!members_.empty()) members_ += ',';
  members_ += Json(key).text() + ":" + value.text();
  return *this;
}

}  // namespace groma
