// Reads the members of a JSON table by name and type, and names what is wrong in it.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_reader.hpp"
#include "base/result.hpp"

namespace groma::sim::torus {

/// What one thing may cost, so that no sum of costs overflows.
inline constexpr double kMaxCycles = 1e9;

/// The first error counts; later reads then give defaults. Ask status() before what was read is used.
class Fields {
 public:
  /// `place` names the table in errors, such as "network".
  Fields(JsonValue table, std::string_view place);

  double number(std::string_view name, double otherwise);
  /// From 0 to kMaxCycles.
  double cycles(std::string_view name, double otherwise);
  bool truth(std::string_view name, bool otherwise);
  std::string text(std::string_view name, std::string_view otherwise);
  /// One of these words, the first where there is none.
  std::string choice(std::string_view name, std::initializer_list<std::string_view> choices);
  /// Whole numbers from `least` on.
  template <std::integral I>
  I whole(std::string_view name, I otherwise, I least = 0, I most = std::numeric_limits<I>::max()) {
    const double value = number(name, static_cast<double>(otherwise));
    if (value != std::floor(value) || value < static_cast<double>(least) ||
        value > static_cast<double>(most)) {
      refuse(name, "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
      return otherwise;
    }
    return static_cast<I>(value);
  }
  std::vector<double> numbers(std::string_view name);
  /// A table or list, or none.
  JsonValue value(std::string_view name);

  void refuse(std::string_view name, const std::string& why);
  /// That of a table within this one.
  void take_error_of(const Fields& part);
  /// Also refuses members that nobody asked for.
  [[nodiscard]] Status status() const;

 private:
  JsonValue table_;
  std::string place_;
  std::vector<std::string_view> known_;
  std::optional<Error> error_;
};

}  // namespace groma::sim::torus
