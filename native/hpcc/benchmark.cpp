#include "hpcc/benchmark.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <tuple>

namespace groma::hpcc {
namespace {

std::deque<Benchmark>& benchmarks() {
  static std::deque<Benchmark> all;
  return all;
}

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

std::vector<const Benchmark*> registered_benchmarks() {
  std::vector<const Benchmark*> all;
  for (const Benchmark& one : benchmarks()) all.push_back(&one);
  std::sort(all.begin(), all.end(), [](const Benchmark* a, const Benchmark* b) {
    return std::tie(a->info.order, a->info.name) < std::tie(b->info.order, b->info.name);
  });
  return all;
}

const Benchmark* find_benchmark(std::string_view name) {
  const auto& all = benchmarks();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Benchmark& one) { return one.info.name == name; });
  return found == all.end() ? nullptr : &*found;
}

Status admitted(const Plan& plan, const mpi::Communicator* world) {
  for (const Benchmark* one : registered_benchmarks()) {
    const bool runs = std::ranges::find(plan.tests, one->info.name) != plan.tests.end();
    if (one->admits == nullptr || (world != nullptr && !runs)) continue;
    if (const Status status = one->admits(plan, world); !status) return status;
  }
  return Done{};
}

Registration::Registration(BenchmarkInfo info, Run run, CostModel cost, Admission admits) {
  benchmarks().push_back({info, run, cost, admits});
}

}  // namespace groma::hpcc
