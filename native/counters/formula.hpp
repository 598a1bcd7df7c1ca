// Formulas of metrics: numbers, names, + - * /, parentheses, min() and max().
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace groma::counters {

class Formula {
 public:
  /// A name is letters, digits, _ and dots; in braces it may be anything: {page-faults}.
  static Result<Formula> parse(std::string_view text);
  /// Without repeats, in the order in which they occur.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// Those of them that stand in braces.
  [[nodiscard]] const std::vector<std::string>& braced() const { return braced_; }
  /// `values` are those of names(). Not finite where it divides by zero.
  [[nodiscard]] double value(std::span<const double> values) const;

 private:
  enum class Action { kNumber, kName, kAdd, kSubtract, kMultiply, kDivide, kNegate, kMin, kMax };
  struct Step {
    Action action;
    double number = 0;
    std::size_t name = 0;
  };
  friend class FormulaParser;
  static double result(Action action, double left, double right);

  std::vector<Step> steps_;  // in postfix order
  std::vector<std::string> names_;
  std::vector<std::string> braced_;
};

}  // namespace groma::counters
