#include "survey/instruction_chain.hpp"

#include "base/clock.hpp"
#include "base/do_not_optimize.hpp"

namespace groma::survey {
namespace {

constexpr std::uint32_t kUnroll = 64;

constexpr std::uint32_t rounded_up(std::uint32_t steps) {
  return (steps + kUnroll - 1) / kUnroll * kUnroll;
}

/// `do_not_optimize` keeps one instruction for each step; the loop counter runs in parallel with the chain.
template <class Step>
std::uint64_t repeat(std::uint64_t value, std::uint32_t steps, const Step& step) {
  for (std::uint32_t done = 0; done < steps; done += kUnroll) {
#pragma GCC unroll 64
    for (std::uint32_t i = 0; i < kUnroll; ++i) value = do_not_optimize(step(value));
  }
  return value;
}

}  // namespace

std::string_view name_of(Chain chain) {
  constexpr std::array<std::string_view, kChains.size()> kNames = {"add", "xor", "multiply"};
  return kNames.at(static_cast<std::size_t>(chain));
}

std::uint64_t run_chain(Chain chain, std::uint64_t start, std::uint64_t operand, std::uint32_t steps) {
  const std::uint64_t other = do_not_optimize(operand);
  switch (chain) {
    case Chain::kAdd:
      return repeat(start, steps, [other](std::uint64_t value) { return value + other; });
    case Chain::kXor:
      return repeat(start, steps, [other](std::uint64_t value) { return value ^ other; });
    case Chain::kMultiply:
      break;
  }
  return repeat(start, steps, [other](std::uint64_t value) { return value * other; });
}

Seconds time_chain(Chain chain, std::uint32_t steps) {
  const std::uint32_t done = rounded_up(steps);
  const std::int64_t start = monotonic_ns();
  do_not_optimize(run_chain(chain, 3, 5, done));
  return between(start, monotonic_ns()) / static_cast<double>(done);
}

}  // namespace groma::survey
