#include "counters/formula.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace groma::counters {
namespace {

double value_of(std::string_view text, const std::vector<double>& values = {}) {
  const auto formula = Formula::parse(text);
  EXPECT_TRUE(formula) << formula.error().what;
  return formula ? formula.value().value(values) : NAN;
}

TEST(Formula, FollowsTheRulesOfArithmetic) {
  EXPECT_EQ(value_of("1 + 2 * 3"), 7);
  EXPECT_EQ(value_of("(1 + 2) * 3"), 9);
  EXPECT_EQ(value_of("8 / 4 / 2"), 1);
  EXPECT_EQ(value_of("8 - 4 - 2"), 2);
  EXPECT_EQ(value_of("-2 * -3"), 6);
  EXPECT_EQ(value_of("--2"), 2);
  EXPECT_EQ(value_of("1e9*2.5e-9"), 2.5);
  EXPECT_EQ(value_of("min(3, max(1, 2)) - 1"), 1);
}

TEST(Formula, TakesValuesByName) {
  const auto formula = Formula::parse("misses / {page-faults} + misses");
  ASSERT_TRUE(formula);
  EXPECT_EQ(formula.value().names(), (std::vector<std::string>{"misses", "page-faults"}));
  EXPECT_EQ(formula.value().value(std::vector<double>{6, 2}), 9);
}

TEST(Formula, IsNotFiniteWhereItDividesByZero) {
  EXPECT_FALSE(std::isfinite(value_of("1 / 0")));
}

TEST(Formula, SaysWhereItCannotBeRead) {
  EXPECT_EQ(Formula::parse("1 + * 2").error().what,
            "the formula '1 + * 2' needs a number, a name or a parenthesis at character 5");
  EXPECT_EQ(Formula::parse("1 + " + std::string(5000, ' ') + "* 2 + 3").error().what,
            "the formula '…" + std::string(30, ' ') +
                "* 2 + 3' needs a number, a name or a parenthesis "
                "at character 5005");
  for (const auto* text :
       {"", "(", ")", "1 2", "a b", "min(1)", "min(1,2", "sin(1)", "{a", "1 +", "1..2", "1e999", "$"})
    EXPECT_EQ(Formula::parse(text).error().code, "counters.formula") << text;
}

TEST(Formula, RefusesDepthWithoutEnd) {
  const std::string deep(100000, '(');
  const std::string negations(100000, '-');
  std::string balanced(50, '(');
  balanced.append("1").append(50, ')');
  EXPECT_FALSE(Formula::parse(deep));
  EXPECT_FALSE(Formula::parse(negations));
  EXPECT_TRUE(Formula::parse(balanced));
}

/// A random formula as text, beside its value.
struct Random {
  std::mt19937 engine{5};
  std::size_t below(std::size_t count) { return engine() % count; }
  std::pair<std::string, double> formula(int depth) {
    if (depth == 0 || below(4) == 0) {
      const auto number = static_cast<double>(1 + below(99));
      return {std::to_string(static_cast<int>(number)), number};
    }
    const auto [left, a] = formula(depth - 1);
    const auto [right, b] = formula(depth - 1);
    switch (below(6)) {
      case 0:
        return {"(" + left + " + " + right + ")", a + b};
      case 1:
        return {"(" + left + "-" + right + ")", a - b};
      case 2:
        return {"((" + left + ")*(" + right + "))", a * b};
      case 3:
        return {"((" + left + ")/(" + right + "))", a / b};
      case 4:
        return {"max( " + left + " ,\t" + right + ")", std::max(a, b)};
      default:
        return {"(-" + left + ")", -a};
    }
  }
};

TEST(Formula, HasTheValueOfAnyTree) {
  Random random;
  for (int i = 0; i < 3000; ++i) {
    const auto [text, expected] = random.formula(4);
    const double found = value_of(text);
    if (std::isfinite(expected)) {
      EXPECT_NEAR(found, expected, 1e-9 * std::abs(expected)) << text;
    } else {
      EXPECT_FALSE(std::isfinite(found)) << text;
    }
  }
}

TEST(Formula, SurvivesAnyText) {
  constexpr std::string_view kSigns = "ab1.e+-*/(),{} min$\n";
  std::mt19937 random(3);
  for (int i = 0; i < 50000; ++i) {
    std::string text;
    for (auto length = random() % 30; length > 0; --length) text += kSigns[random() % kSigns.size()];
    const auto formula = Formula::parse(text);
    if (formula) (void)formula.value().value(std::vector<double>(formula.value().names().size(), 1.5));
    EXPECT_TRUE(formula || !formula.error().what.empty());
  }
}

}  // namespace
}  // namespace groma::counters
