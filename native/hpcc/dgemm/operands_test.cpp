#include "hpcc/dgemm/operands.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace groma::hpcc {
namespace {

constexpr double kLimit = 16.0;
constexpr std::uint64_t kOrder = 65;

TEST(Operands, HaveAProductThatPassesHoweverOftenItIsAdded) {
  for (const std::uint64_t n : {1U, 2U, 3U, 16U, 65U, 130U}) {
    Operands operands = Operands::make(n, n).value();
    for (int count = 0; count < 200; ++count) {
      operands.multiply();
      ASSERT_LT(operands.deviation(), 1.0) << "product " << count << " of order " << n;
    }
  }
}

/// C := 0.42 A B + C by the definition, with whatever a mutation makes of it.
template <class Mutation>
void by_definition(const ConstMatrix& a, const ConstMatrix& b, const Matrix& c, Mutation mutated) {
  for (std::int64_t j = 0; j < c.columns; ++j) {
    for (std::int64_t i = 0; i < c.rows; ++i) {
      double sum = 0.0;
      for (std::int64_t k = 0; k < a.columns; ++k) sum += *a.at(i, k) * *b.at(k, j);
      *c.at(i, j) = mutated(i, j, sum, *c.at(i, j));
    }
  }
}

struct Mutant {
  std::string_view name;
  MultiplyAdd multiply;
};

constexpr std::array kMutants = {
    Mutant{"Nothing", [](ConstMatrix, ConstMatrix, Matrix) {}},
    Mutant{"ZeroForC",
           [](ConstMatrix a, ConstMatrix b, Matrix c) {
             by_definition(a, b, c, [](auto, auto, double sum, double) { return kProductFactor * sum; });
           }},
    Mutant{"OtherFactor",
           [](ConstMatrix a, ConstMatrix b, Matrix c) {
             by_definition(a, b, c, [](auto, auto, double sum, double old) { return 0.4200001 * sum + old; });
           }},
    Mutant{"TransposedA",
           [](ConstMatrix a, ConstMatrix b, Matrix c) {
             dgemm(Transposed::kYes, Transposed::kNo, kProductFactor, a, b, 1.0, c);
           }},
    Mutant{"ExchangedOperands", [](ConstMatrix a, ConstMatrix b, Matrix c) { multiply_add(b, a, c); }},
    Mutant{"LastTermLeftOut",
           [](ConstMatrix a, ConstMatrix b, Matrix c) {
             multiply_add(a.part(0, 0, a.rows, a.columns - 1), b.part(0, 0, b.rows - 1, b.columns), c);
           }},
    Mutant{"LastColumnLeftOut",
           [](ConstMatrix a, ConstMatrix b, Matrix c) {
             multiply_add(a, b.part(0, 0, b.rows, b.columns - 1), c.part(0, 0, c.rows, c.columns - 1));
           }},
    Mutant{"LastRowLeftOut",
           [](ConstMatrix a, ConstMatrix b, Matrix c) {
             multiply_add(a.part(0, 0, a.rows - 1, a.columns), b, c.part(0, 0, c.rows - 1, c.columns));
           }},
    Mutant{"TwoElementsExchanged",
           [](ConstMatrix a, ConstMatrix b, Matrix c) {
             multiply_add(a, b, c);
             std::swap(*c.at(3, 4), *c.at(3, 5));
           }},
    Mutant{"OneElementWrong",
           [](ConstMatrix a, ConstMatrix b, Matrix c) {
             multiply_add(a, b, c);
             *c.at(64, 64) += 1e-6;
           }},
    Mutant{"AllNotANumber",
           [](ConstMatrix, ConstMatrix, Matrix c) {
             std::fill_n(c.data, c.rows * c.columns, std::numeric_limits<double>::quiet_NaN());
           }},
    Mutant{"OneNotANumber",
           [](ConstMatrix a, ConstMatrix b, Matrix c) {
             multiply_add(a, b, c);
             *c.at(0, 0) = std::numeric_limits<double>::quiet_NaN();
           }},
    Mutant{"OneInfinite",
           [](ConstMatrix a, ConstMatrix b, Matrix c) {
             multiply_add(a, b, c);
             *c.at(7, 64) = -std::numeric_limits<double>::infinity();
           }},
    Mutant{"SinglePrecision",
           [](ConstMatrix a, ConstMatrix b, Matrix c) {
             by_definition(a, b, c, [](auto, auto, double sum, double old) {
               return static_cast<double>(static_cast<float>(kProductFactor * sum)) + old;
             });
           }},
};

class MutatedProduct : public testing::TestWithParam<Mutant> {};

TEST_P(MutatedProduct, IsFoundWhicheverProductItIs) {
  for (int right_ones = 0; right_ones < 4; ++right_ones) {
    Operands operands = Operands::make(kOrder, 7).value();
    for (int count = 0; count < right_ones; ++count) {
      operands.multiply();
      ASSERT_LT(operands.deviation(), kLimit);
    }
    operands.multiply(GetParam().multiply);
    EXPECT_GT(operands.deviation(), kLimit) << "after " << right_ones << " right ones";
  }
}

INSTANTIATE_TEST_SUITE_P(Each, MutatedProduct, testing::ValuesIn(kMutants),
                         [](const auto& mutant) { return std::string(mutant.param.name); });

/// What a product may do wrong to the last element of a matrix of any order.
TEST(Operands, HaveNoOrderAtWhichAWrongLastElementPasses) {
  constexpr std::array kFaults = {MultiplyAdd{[](ConstMatrix, ConstMatrix, Matrix) {}},
                                  MultiplyAdd{[](ConstMatrix a, ConstMatrix b, Matrix c) {
                                    const double before = *c.at(c.rows - 1, c.columns - 1);
                                    multiply_add(a, b, c);
                                    *c.at(c.rows - 1, c.columns - 1) = before;
                                  }},
                                  MultiplyAdd{[](ConstMatrix a, ConstMatrix b, Matrix c) {
                                    multiply_add(a, b, c);
                                    *c.at(c.rows - 1, c.columns - 1) *= -1.0;
                                  }},
                                  MultiplyAdd{[](ConstMatrix a, ConstMatrix b, Matrix c) {
                                    multiply_add(a, b, c);
                                    *c.at(c.rows - 1, c.columns - 1) =
                                        std::numeric_limits<double>::quiet_NaN();
                                  }}};
  for (std::uint64_t order = 1; order <= 33; ++order) {
    for (std::size_t fault = 0; fault < kFaults.size(); ++fault) {
      Operands operands = Operands::make(order, order).value();
      operands.multiply();
      ASSERT_LT(operands.deviation(), kLimit);
      operands.multiply(kFaults.at(fault));
      EXPECT_GT(operands.deviation(), kLimit) << "order " << order << ", fault " << fault;
    }
  }
}

TEST(Operands, MustNotChangeBetweenTheChecks) {
  for (const int which : {0, 1, 2}) {
    Operands operands = Operands::make(kOrder, 7).value();
    operands.multiply();
    ASSERT_LT(operands.deviation(), kLimit);
    const Matrix spoilt =
        std::array{operands.a(), operands.b(), operands.c()}.at(static_cast<std::size_t>(which));
    *spoilt.at(10, 20) += 1e-3;
    operands.multiply();
    EXPECT_GT(operands.deviation(), kLimit) << "matrix " << which;
  }
}

}  // namespace
}  // namespace groma::hpcc
