#include "hpcc/dgemm/operands.hpp"

#include <cmath>
#include <limits>

#include "job/worst_deviation.hpp"

namespace groma::hpcc {
namespace {

Matrix square(double* data, std::uint64_t n) {
  const auto order = static_cast<std::int64_t>(n);
  return {data, order, order, order};
}

void fill(std::span<double> elements, RandomStream& random) {
  for (double& element : elements) element = static_cast<double>(random.next() >> 11U) * 0x1p-53 - 0.5;
}

std::vector<double> times_vector(const ConstMatrix& matrix, const std::vector<double>& x) {
  std::vector<double> y(static_cast<std::size_t>(matrix.rows), 0.0);
  for (std::int64_t j = 0; j < matrix.columns; ++j) {
    const double* column = matrix.at(0, j);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += column[i] * x[static_cast<std::size_t>(j)];
  }
  return y;
}

}  // namespace

void multiply_add(ConstMatrix a, ConstMatrix b, Matrix c) {
  dgemm(Transposed::kNo, Transposed::kNo, kProductFactor, a, b, 1.0, c);
}

Result<Operands> Operands::make(std::uint64_t n, std::uint64_t seed) {
  auto block = Block::map(Bytes(3 * n * n * sizeof(double)), PageMode::kHuge);
  if (!block) return block.error();
  return Operands(std::move(block).value(), n, seed);
}

Operands::Operands(Block memory, std::uint64_t n, std::uint64_t seed)
    : memory_(std::move(memory)),
      a_(square(memory_.as<double>().data(), n)),
      b_(square(a_.data + n * n, n)),
      c_(square(b_.data + n * n, n)),
      x_(n) {
  RandomStream random(seed);
  fill(memory_.as<double>().first(3 * n * n), random);
  fill(x_, random);
  of_product_ = times_vector(a_, times_vector(b_, x_));
  for (double& element : of_product_) element *= kProductFactor;
  of_c_ = times_vector(c_, x_);
}

double Operands::flops() const {
  return 2.0 * std::pow(static_cast<double>(a_.rows), 3);
}

double Operands::deviation() {
  const std::vector<double> before = std::exchange(of_c_, times_vector(c_, x_));
  job::WorstDeviation worst;
  for (std::size_t i = 0; i < before.size(); ++i) worst.take(of_c_[i] - (before[i] + of_product_[i]));
  // Elements of A, B and x lie in [-1/2, 1/2]: norms are at most n/2, and the error grows with n eps times
  // both. C grows with the products: the mean square of its elements is about (0.42 k)^2 n/144, which matters
  // where n is small.
  const auto n = static_cast<double>(a_.rows);
  const double bound =
      std::numeric_limits<double>::epsilon() * n * (n + static_cast<double>(products_)) / 4.0;
  return worst.value() / bound;
}

}  // namespace groma::hpcc
