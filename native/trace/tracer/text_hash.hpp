// A number for some texts, the same in all processes: FNV-1a.
#pragma once

#include <cstdint>

namespace groma::trace {

/// Of texts, each with its end. A text that is missing counts as an empty one.
class TextHash {
 public:
  void add(const char* text) {
    for (; text != nullptr && *text != '\0'; ++text) {
      value_ = (value_ ^ static_cast<unsigned char>(*text)) * kPrime;
    }
    value_ *= kPrime;
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  static constexpr std::uint64_t kPrime = 0x100000001b3ULL;
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

}  // namespace groma::trace
