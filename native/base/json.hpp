// Writes flat JSON objects, one a line. Small on purpose: native programs must build with nothing installed.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace groma {

/// A JSON text; numbers that JSON cannot express (NaN, infinity) become null.
class Json {
 public:
  Json(std::string_view text);                                     // NOLINT(google-explicit-constructor)
  Json(const char* text) : Json(std::string_view(text)) {}         // NOLINT(google-explicit-constructor)
  Json(const std::string& text) : Json(std::string_view(text)) {}  // NOLINT(google-explicit-constructor)
  Json(double number);                                             // NOLINT(google-explicit-constructor)
  Json(bool truth) : text_(truth ? "true" : "false") {}            // NOLINT(google-explicit-constructor)
  template <std::integral I>
  requires(!std::same_as<I, bool>) Json(I number)
      : text_(std::to_string(number)) {}  // NOLINT(google-explicit-constructor)
  template <class T>
  Json(const std::vector<T>& items) : text_("[") {  // NOLINT(google-explicit-constructor)
    for (const T& item : items) {
      if (text_.size() > 1) text_ += ',';
      text_ += Json(item).text();
    }
    text_ += ']';
  }
  static Json null() { return Json(Raw{}, "null"); }
  /// `text` must be JSON already, for example from another rank.
  static Json verbatim(std::string text) { return Json(Raw{}, std::move(text)); }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  friend class JsonObject;
  struct Raw {};
  Json(Raw /*unused*/, std::string text) : text_(std::move(text)) {}
  std::string text_;
};

/// Keys stand in the order in which they were added.
class JsonObject {
 public:
  JsonObject& add(std::string_view key, const Json& value);
  [[nodiscard]] Json json() const { return Json(Json::Raw{}, "{" + members_ + "}"); }

 private:
  std::string members_;
};

}  // namespace groma
