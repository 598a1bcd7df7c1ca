// Reads JSON as RFC 8259 has it and nothing beyond. Small on purpose: libgroma must build with nothing
// installed.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.hpp"

namespace groma {

/// One value of a document. The accessors give null where the value is of another kind.
class JsonValue {
 public:
  using Items = std::vector<JsonValue>;
  using Members = std::vector<std::pair<std::string, JsonValue>>;
  using Content = std::variant<std::monostate, bool, double, std::string, Items, Members>;

  JsonValue() = default;
  explicit JsonValue(Content content) : content_(std::move(content)) {}

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(content_); }
  [[nodiscard]] const bool* truth() const { return std::get_if<bool>(&content_); }
  [[nodiscard]] const double* number() const { return std::get_if<double>(&content_); }
  [[nodiscard]] const std::string* text() const { return std::get_if<std::string>(&content_); }
  [[nodiscard]] const Items* items() const { return std::get_if<Items>(&content_); }
  [[nodiscard]] const Members* members() const { return std::get_if<Members>(&content_); }

  /// The member called `key`, or the item of that number; null where there is none. The last of equal keys
  /// counts, as in groma's other readers.
  [[nodiscard]] const JsonValue* find(std::string_view key) const;

  /// Follows keys and item numbers that are joined by dots; the empty path is the value itself.
  [[nodiscard]] const JsonValue* at(std::string_view path) const;

 private:
  Content content_;
};

/// Deeper nesting is refused, so that no document can exhaust the stack.
inline constexpr int kJsonDepth = 200;

/// The one value that `text` holds. The error says line and column (both from 1, the column in bytes).
Result<JsonValue> read_json(std::string_view text);

}  // namespace groma
