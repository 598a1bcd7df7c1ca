#include "counters/formula.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

namespace groma::counters {
namespace {

constexpr int kDeepest = 100;

/// Of a long text what stands around a place.
std::string around(std::string_view text, std::size_t at) {
  constexpr std::size_t kReach = 30;
  const auto is_inside_a_letter = [&](std::size_t place) {
    return place < text.size() && (static_cast<unsigned char>(text[place]) & 0xC0U) == 0x80U;
  };
  std::size_t from = at > kReach ? at - kReach : 0;
  std::size_t to = std::min(at + kReach, text.size());
  while (is_inside_a_letter(from)) ++from;
  while (is_inside_a_letter(to)) ++to;
  const std::string_view before = from > 0 ? "…" : "";
  const std::string_view after = to < text.size() ? "…" : "";
  return std::string(before) + std::string(text.substr(from, to - from)) + std::string(after);
}

bool begins_name(char sign) {
  return std::isalpha(static_cast<unsigned char>(sign)) != 0 || sign == '_';
}

bool is_in_name(char sign) {
  return begins_name(sign) || std::isdigit(static_cast<unsigned char>(sign)) != 0 || sign == '.';
}

}  // namespace

/// By recursive descent. The first defect ends it: `defect_` then says what was expected.
class FormulaParser {
 public:
  explicit FormulaParser(std::string_view text) : text_(text) {}

  Result<Formula> parse() {
    sum();
    skip_blanks();
    if (defect_.empty() && at_ < text_.size()) expected("an operator or the end");
    if (defect_.empty()) return std::move(formula_);
    return Error{"counters.formula", defect_, "formulas have numbers, names, + - * /, (), min(), max()"};
  }

 private:
  using Action = Formula::Action;

  void expected(std::string_view what) {
    if (!defect_.empty()) return;
    defect_ = "the formula '" + around(text_, at_) + "' needs " + std::string(what) + " at character " +
              std::to_string(at_ + 1);
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool take(char sign) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != sign) return false;
    ++at_;
    return true;
  }
  void push(Action action) { formula_.steps_.push_back({action}); }

  void sum() {
    product();
    while (defect_.empty()) {
      const bool adds = take('+');
      if (!adds && !take('-')) return;
      product();
      push(adds ? Action::kAdd : Action::kSubtract);
    }
  }
  void product() {
    factor();
    while (defect_.empty()) {
      const bool multiplies = take('*');
      if (!multiplies && !take('/')) return;
      factor();
      push(multiplies ? Action::kMultiply : Action::kDivide);
    }
  }
  void factor() {
    if (++depth_ > kDeepest) expected("fewer levels");
    if (!defect_.empty()) return;
    if (take('-')) {
      factor();
      push(Action::kNegate);
    } else if (take('(')) {
      sum();
      if (!take(')')) expected("a closing parenthesis");
    } else {
      leaf();
    }
    --depth_;
  }
  void leaf() {
    skip_blanks();
    const char sign = at_ < text_.size() ? text_[at_] : '\0';
    if (sign == '{') {
      braced();
    } else if (begins_name(sign)) {
      word();
    } else {
      number();
    }
  }
  void number() {
    double value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc{} || !std::isfinite(value)) return expected("a number, a name or a parenthesis");
    at_ += static_cast<std::size_t>(end - begin);
    formula_.steps_.push_back({Action::kNumber, value});
  }
  void braced() {
    const std::size_t end = text_.find('}', at_);
    if (end == std::string_view::npos) return expected("a closing brace");
    const std::string_view found = text_.substr(at_ + 1, end - at_ - 1);
    name(found);
    formula_.braced_.emplace_back(found);
    at_ = end + 1;
  }
  void word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_in_name(text_[at_])) ++at_;
    const std::string_view found = text_.substr(begin, at_ - begin);
    if (!take('(')) return name(found);
    if (found == "min") return two_arguments(Action::kMin);
    if (found == "max") return two_arguments(Action::kMax);
    expected("min or max before this parenthesis");
  }
  void two_arguments(Action action) {
    sum();
    if (!take(',')) return expected("a comma");
    sum();
    if (!take(')')) return expected("a closing parenthesis");
    push(action);
  }
  void name(std::string_view found) {
    auto& names = formula_.names_;
    auto place = std::ranges::find(names, found);
    if (place == names.end()) place = names.insert(names.end(), std::string(found));
    formula_.steps_.push_back({Action::kName, 0, static_cast<std::size_t>(place - names.begin())});
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string defect_;
  Formula formula_;
};

Result<Formula> Formula::parse(std::string_view text) {
  return FormulaParser(text).parse();
}

double Formula::result(Action action, double left, double right) {
  switch (action) {
    case Action::kAdd:
      return left + right;
    case Action::kSubtract:
      return left - right;
    case Action::kMultiply:
      return left * right;
    case Action::kDivide:
      return left / right;
    case Action::kMin:
      return std::min(left, right);
    default:
      return std::max(left, right);
  }
}

double Formula::value(std::span<const double> values) const {
  std::vector<double> stack;
  for (const Step& step : steps_) {
    if (step.action == Action::kNumber) {
      stack.push_back(step.number);
    } else if (step.action == Action::kName) {
      stack.push_back(values[step.name]);
    } else if (step.action == Action::kNegate) {
      stack.back() = -stack.back();
    } else {
      const double right = stack.back();
      stack.pop_back();
      stack.back() = result(step.action, stack.back(), right);
    }
  }
  return stack.back();
}

}  // namespace groma::counters
