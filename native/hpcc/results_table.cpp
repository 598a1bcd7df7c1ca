#include "hpcc/results_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "base/quantile.hpp"
#include "hpcc/statistics.hpp"

namespace groma::hpcc {
namespace {

struct Row {
  std::string test;
  std::string mode;
  double median;
  double low;
  double high;
  std::size_t repetitions;
  std::size_t ranks;
  std::string unit;
};

/// One value of each repetition: the mean of its ranks, as the suite defines star values.
std::vector<double> means_of_repetitions(const Figure& figure) {
  std::vector<double> means;
  for (const std::vector<double>& ranks : figure.values) {
    double sum = 0.0;
    std::size_t count = 0;
    for (const double value : ranks) {
      if (std::isnan(value)) continue;
      sum += value;
      ++count;
    }
    if (count > 0) means.push_back(sum / static_cast<double>(count));
  }
  return means;
}

Row row_of(const BenchmarkResult& ran, const Figure& figure) {
  const std::vector<double> over_ranks = medians_by_rank(figure.values);
  const std::vector<double> over_time = means_of_repetitions(figure);
  const bool star = figure.mode == "star" && over_ranks.size() > 1;
  const std::vector<double>& spread = star ? over_ranks : over_time;
  const std::string name = figure.name.starts_with(ran.name) ? figure.name : ran.name + " " + figure.name;
  const double nothing = std::nan("");
  return {name,
          figure.mode,
          star ? spread_of(over_ranks).mean : quantile(over_time, 0.5),
          spread.empty() ? nothing : *std::ranges::min_element(spread),
          spread.empty() ? nothing : *std::ranges::max_element(spread),
          over_time.size(),
          star ? over_ranks.size() : 0,
          figure.unit};
}

struct Prefix {
  double factor;
  const char* name;
};

/// The prefix that leaves one to three digits before the point.
Prefix prefix_for(double value) {
  constexpr std::array kPrefixes = std::to_array<Prefix>(
      {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1.0, ""}, {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}});
  for (const Prefix& prefix : kPrefixes) {
    if (std::abs(value) >= prefix.factor) return prefix;
  }
  return {1.0, ""};
}

template <class... Values>
std::string line(const char* format, Values... values) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

std::string text_of(const Row& row) {
  const Prefix prefix = prefix_for(row.median);
  const std::string unit = prefix.name + row.unit;
  const std::string count =
      row.ranks > 1 ? line("%zu x %zu ranks", row.repetitions, row.ranks) : line("%zu", row.repetitions);
  return line("%-45s %-6s %10.4g %-10s %10.4g %10.4g  %s\n", row.test.c_str(), row.mode.c_str(),
              row.median / prefix.factor, unit.c_str(), row.low / prefix.factor, row.high / prefix.factor,
              count.c_str());
}

std::string text_of(const Check& check) {
  return line("  %-50s %10.4g of %-10.4g %s\n", check.name.c_str(), check.value, check.limit,
              check.passed() ? "passed" : "FAILED");
}

}  // namespace

std::string results_table(const SuiteResult& result) {
  std::string table = line("%-45s %-6s %10s %-10s %10s %10s  %s\n", "test", "mode", "median", "unit", "min",
                           "max", "samples");
  for (const BenchmarkResult& ran : result.ran) {
    for (const Figure& figure : ran.figures) table += text_of(row_of(ran, figure));
  }
  table += "checks\n";
  for (const BenchmarkResult& ran : result.ran) {
    for (const Check& check : ran.outcome.checks) table += text_of(check);
  }
  if (result.failure) table += "failed: " + result.failure->what + "\n";
  if (result.interrupted) table += "interrupted: missing values were not measured\n";
  return table;
}

}  // namespace groma::hpcc
