#include "hpcc/hpl/upper_solver.hpp"

#include <algorithm>

namespace groma::hpcc::hpl {
namespace {

// A dense inverse doubles the operations of its triangle, a small one makes thin products: 64 took
// less than 96 and 192.
constexpr std::int64_t kPart = 64;

}  // namespace

void UpperSolver::prepare(const MatrixView& triangle) {
  triangle_ = triangle;
  const std::int64_t width = triangle.rows();
  inverses_.assign(static_cast<std::size_t>(width * std::min(width, kPart)), 0.0);
  parts_.clear();
  for (std::int64_t begin = 0; begin < width; begin += kPart) {
    const Part part{begin, std::min(kPart, width - begin)};
    parts_.push_back(part);
    const Matrix inverse = inverse_of(part);
    for (std::int64_t i = 0; i < part.count; ++i) *inverse.at(i, i) = 1.0;
    solve_unit_lower(triangle.part(begin, begin, part.count, part.count), {inverse});
  }
}

void UpperSolver::solve(const MatrixView& rows, const MatrixView& target) const {
  const std::int64_t columns = target.columns();
  for (const Part& part : parts_) {
    const MatrixView mine = rows.part(part.begin, 0, part.count, columns);
    if (part.begin > 0) {
      multiply(-1.0, triangle_.part(part.begin, 0, part.count, part.begin),
               target.part(0, 0, part.begin, columns), 1.0, mine);
    }
    multiply(1.0, {inverse_of(part)}, mine, 0.0, target.part(part.begin, 0, part.count, columns));
  }
}

Matrix UpperSolver::inverse_of(const Part& part) const {
  const std::int64_t stride = std::min(triangle_.rows(), kPart);
  return {inverses_.data() + part.begin * stride, part.count, part.count, stride};
}

}  // namespace groma::hpcc::hpl
