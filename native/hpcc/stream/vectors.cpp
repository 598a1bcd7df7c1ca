#include "hpcc/stream/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/do_not_optimize.hpp"
#include "job/worst_deviation.hpp"

namespace groma::hpcc {
namespace {

constexpr std::uint64_t kLineElements = 64 / sizeof(double);
constexpr std::uint64_t kPageElements = 4096 / sizeof(double);

/// From the start of a vector to that of the next: vectors begin at different places of a page, else a load
/// would wait for stores to the same low address bits.
std::uint64_t stride_of(std::uint64_t elements) {
  constexpr std::uint64_t kSkew = 9 * kLineElements;
  return (elements + kPageElements - 1) / kPageElements * kPageElements + kSkew;
}

/// In [1, 2), from the bits of a multiplicative hash (Knuth 1998, section 6.4).
double start_value(std::uint64_t i) {
  return 1.0 + static_cast<double>((i * 0x9e3779b97f4a7c15U) >> 11U) * 0x1p-53;
}

/// What rounds make of an element of `a` that began as 1; every vector stays proportional to that beginning.
struct Factors {
  double a = 1.0;
  double b = 0.0;
  double c = 0.0;
};

Factors factors_after(std::uint64_t rounds) {
  Factors is;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    is.b = kStreamScalar * is.a;
    is.c = is.a + is.b;
    is.a = is.b + kStreamScalar * is.c;
  }
  return is;
}

}  // namespace

Result<StreamVectors> StreamVectors::make(std::uint64_t elements, ThreadPool& pool) {
  if (elements > std::numeric_limits<std::uint64_t>::max() / 64) {
    return Error{"memory", "vectors of " + std::to_string(elements) + " elements do not fit into memory",
                 "choose a smaller N"};
  }
  auto block = Block::map(Bytes(3 * stride_of(elements) * sizeof(double)), PageMode::kHuge);
  if (!block) return block.error();
  return StreamVectors(std::move(block).value(), elements, pool);
}

StreamVectors::StreamVectors(Block memory, std::uint64_t elements, ThreadPool& pool)
    : memory_(std::move(memory)), elements_(elements), stride_(stride_of(elements)), pool_(&pool) {
  fill();
}

std::span<double> StreamVectors::vector(std::size_t which) const {
  return memory_.as<double>().subspan(which * stride_, elements_);
}

std::pair<std::uint64_t, std::uint64_t> StreamVectors::part(std::size_t member) const {
  return part_of(elements_, kPageElements, member, pool_->size());
}

std::uint64_t StreamVectors::shortest_part() const {
  std::uint64_t shortest = elements_;
  for (std::size_t member = 0; member < pool_->size(); ++member) {
    const auto [begin, end] = part(member);
    shortest = std::min(shortest, end - begin);
  }
  return shortest;
}

StreamOperands StreamVectors::operands(const StreamStep& step, std::uint64_t at) const {
  double* const start = memory_.as<double>().data() + at;
  return {start + step.out * stride_, start + step.first * stride_, start + step.second * stride_,
          kStreamScalar};
}

void StreamVectors::step(const StreamStep& step, StreamPass pass) {
  pool_->run([&](std::size_t member) {
    const auto [begin, end] = part(member);
    do_not_optimize(pass(operands(step, begin), end - begin));
    drain_stores();
  });
}

void StreamVectors::step_within_parts(const StreamStep& step, StreamPass pass, std::uint64_t begin,
                                      std::uint64_t length) {
  pool_->run([&](std::size_t member) {
    do_not_optimize(pass(operands(step, part(member).first + begin), length));
    drain_stores();
  });
}

void StreamVectors::fill() {
  pool_->run([&](std::size_t member) {
    const auto [begin, end] = part(member);
    for (std::uint64_t i = begin; i < end; ++i) vector(0)[i] = start_value(i);
    for (std::size_t which = 1; which < 3; ++which) {
      std::ranges::fill(vector(which).subspan(begin, end - begin), 0.0);
    }
  });
}

double StreamVectors::deviation(std::uint64_t rounds) const {
  const Factors expected = factors_after(rounds);
  // All terms are positive, so relative errors only add up: of one round, those of b to one unit roundoff, of
  // c to two, of a to four. The expectation is rounded alike, and once more by its start value; one more for
  // the terms of second order (Higham 2002, section 3.1).
  const double roundoff = 0.5 * std::numeric_limits<double>::epsilon();
  const double bound = (8.0 * static_cast<double>(rounds) + 2.0) * roundoff;
  std::vector<job::WorstDeviation> of_member(pool_->size());
  pool_->run([&](std::size_t member) {
    const auto [begin, end] = part(member);
    job::WorstDeviation worst;
    for (std::uint64_t i = begin; i < end; ++i) {
      const double start = start_value(i);
      const std::array expectations = {expected.a * start, expected.b * start, expected.c * start};
      for (std::size_t which = 0; which < expectations.size(); ++which) {
        const double wanted = expectations[which];
        const double distance = std::abs(vector(which)[i] - wanted);
        // Before the first round b and c are exactly zero.
        worst.take(wanted > 0.0 ? distance / wanted : distance * 0x1p1023);
      }
    }
    of_member[member] = worst;
  });
  job::WorstDeviation worst;
  for (const job::WorstDeviation& one : of_member) worst.take(one);
  return worst.value() / bound;
}

}  // namespace groma::hpcc
