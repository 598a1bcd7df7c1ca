#include "hpcc/benchmark.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace groma::hpcc {
namespace {

template <class T>
SummaryEntry written(std::string_view key, T value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {std::string(key), std::string(text.data(), end)};
}

}  // namespace

SummaryEntry entry(std::string_view key, double value) {
  std::array<char, 32> text{};
  // Six digits, as the suite prints them and its readers expect.
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 6).ptr;
  return {std::string(key), std::string(text.data(), end)};
}

SummaryEntry entry(std::string_view key, std::uint64_t value) {
  return written(key, value);
}

SummaryEntry entry(std::string_view key, std::int64_t value) {
  return written(key, value);
}

Status check_benchmarks(const Plan& plan, const mpi::Communicator* world) {
  for (const Benchmark* one : Benchmarks::all()) {
    const bool runs = std::ranges::find(plan.tests, one->info.name) != plan.tests.end();
    if (one->check_plan == nullptr || (world != nullptr && !runs)) continue;
    if (const Status status = one->check_plan(plan, world); !status) return status;
  }
  return Done{};
}

}  // namespace groma::hpcc
