#include "hpcc/hpccoutf_sections.hpp"

#include <algorithm>
#include <array>
#include <iomanip>
#include <sstream>

#include "hpcc/calendar.hpp"
#include "hpcc/statistics.hpp"

namespace groma::hpcc {
namespace {

/// The section of one mode of a benchmark. `label` stands before the unit in lines of single values. `series`
/// is the only series that the section shows; where it is empty, the section shows all.
struct Section {
  std::string_view title;
  std::string_view benchmark;
  std::string_view mode;
  std::string_view label;
  std::string_view series = {};
};

constexpr std::array kSections = std::to_array<Section>({
    {"MPIRandomAccess", "random_access", "mpi", "", "random_access"},
    {"StarRandomAccess", "random_access", "star", "", "random_access"},
    {"SingleRandomAccess", "random_access", "single", "", "random_access"},
    {"MPIRandomAccess_LCG", "random_access", "mpi", "", "random_access_lcg"},
    {"StarRandomAccess_LCG", "random_access", "star", "", "random_access_lcg"},
    {"SingleRandomAccess_LCG", "random_access", "single", "", "random_access_lcg"},
    {"PTRANS", "ptrans", "mpi", ""},
    {"StarDGEMM", "dgemm", "star", ""},
    {"SingleDGEMM", "dgemm", "single", "DGEMM "},
    {"StarSTREAM", "stream", "star", ""},
    {"SingleSTREAM", "stream", "single", "STREAM "},
    {"MPIFFT", "fft", "mpi", ""},
    {"StarFFT", "fft", "star", ""},
    {"SingleFFT", "fft", "single", "FFT "},
    {"LatencyBandwidth", "effective_bandwidth", "mpi", ""},
    {"HPL", "hpl", "mpi", ""},
});

/// The unit in which the suite prints a unit of the samples.
struct DisplayUnit {
  std::string_view unit;
  double factor;
  std::string_view name;
};
constexpr std::array kUnits = std::to_array<DisplayUnit>({
    {"flop/s", 1e-9, "Gflop/s"},
    {"B/s", 1e-9, "GB/s"},
    {"update/s", 1e-9, "GUP/s"},
    {"updates/s", 1e-9, "GUP/s"},
    {"s", 1e6, "usec"},
});

DisplayUnit display_unit(std::string_view unit) {
  const auto* found = std::ranges::find(kUnits, unit, &DisplayUnit::unit);
  return found == kUnits.end() ? DisplayUnit{unit, 1.0, unit} : *found;
}

/// "copy" as "Copy "; nothing for a series that is named as its benchmark.
std::string series_label(const Figure& figure, const Section& section) {
  if (figure.name == section.benchmark || figure.name == section.series) return "";
  std::string label = figure.name + " ";
  if (label[0] >= 'a' && label[0] <= 'z') label[0] = static_cast<char>(label[0] - 'a' + 'A');
  return label;
}

std::string six(double value) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << std::fixed << std::setprecision(6) << value;
  return text.str();
}

void write_figure(std::ostream& out, const Section& section, const Figure& figure) {
  const Spread spread = spread_of_medians(figure.values);
  const DisplayUnit unit = display_unit(figure.unit);
  const std::string what = series_label(figure, section) + std::string(unit.name) + " ";
  if (section.mode == "single") {
    out << "Single " << section.label << what << six(spread.mean * unit.factor) << "\n";
  } else if (section.mode == "star") {
    out << "Minimum " << what << six(spread.min * unit.factor) << "\n"
        << "Average " << what << six(spread.mean * unit.factor) << "\n"
        << "Maximum " << what << six(spread.max * unit.factor) << "\n";
  } else {
    out << "Median " << what << six(spread.mean * unit.factor) << "\n";
  }
}

void write_checks(std::ostream& out, const std::vector<Check>& checks) {
  for (const Check& check : checks) {
    out << check.name << ": " << check.value << " (limit " << check.limit << ") "
        << (check.passed() ? "PASSED" : "FAILED") << "\n";
  }
}

void write_section(std::ostream& out, const Section& section, const BenchmarkResult& ran, bool first) {
  out << "Begin of " << section.title << " section.\n";
  for (const Figure& figure : ran.figures) {
    const bool belongs_here = section.series.empty() || figure.name == section.series;
    if (belongs_here && figure.mode == section.mode) write_figure(out, section, figure);
  }
  if (first) {
    write_checks(out, ran.outcome.checks);
    out << ran.outcome.report;
  }
  out << current_time(ran.ended) << "End of " << section.title << " section.\n";
}

using CaseText = std::string (*)(const HplCase&);

/// One list of the input. Cases with equal `key` show one value: P and Q belong together.
struct Parameter {
  std::string_view name;
  CaseText value;
  CaseText key = value;
};

/// Values of a list of an input in fields as wide as HPL's.
std::string listed(const std::vector<HplCase>& cases, const Parameter& parameter) {
  std::vector<std::string> seen;
  std::ostringstream text;
  for (const HplCase& one : cases) {
    const std::string key = parameter.key(one);
    if (std::ranges::find(seen, key) != seen.end()) continue;
    seen.push_back(key);
    text << std::setw(8) << parameter.value(one) << " ";
  }
  return text.str();
}

std::string grid_text(const HplCase& of) {
  return std::to_string(of.grid.rows) + "x" + std::to_string(of.grid.columns);
}

template <std::size_t N>
std::string named(const std::array<std::string_view, N>& names, auto value) {
  return std::string(names.at(static_cast<std::size_t>(value)));
}

constexpr std::array<std::string_view, 3> kPanels = {"Left", "Crout", "Right"};
constexpr std::array<std::string_view, 6> kBroadcasts = {"1ring",  "1ringM", "2ring",
                                                         "2ringM", "Blong",  "BlongM"};

const std::vector<Parameter>& parameters() {
  using std::to_string;
  static const std::vector<Parameter> all = {
      {"N", [](const HplCase& of) { return to_string(of.n); }},
      {"NB", [](const HplCase& of) { return to_string(of.nb); }},
      {"P", [](const HplCase& of) { return to_string(of.grid.rows); }, grid_text},
      {"Q", [](const HplCase& of) { return to_string(of.grid.columns); }, grid_text},
      {"PFACT", [](const HplCase& of) { return named(kPanels, of.method.panel); }},
      {"NBMIN", [](const HplCase& of) { return to_string(of.method.recursion_stop); }},
      {"NDIV", [](const HplCase& of) { return to_string(of.method.recursion_parts); }},
      {"RFACT", [](const HplCase& of) { return named(kPanels, of.method.recursion); }},
      {"BCAST", [](const HplCase& of) { return named(kBroadcasts, of.method.broadcast); }},
      {"DEPTH", [](const HplCase& of) { return to_string(of.method.look_ahead); }},
  };
  return all;
}

}  // namespace

void write_parameters(std::ostream& out, const Plan& plan) {
  for (const Parameter& one : parameters()) {
    out << std::left << std::setw(7) << one.name << ":" << std::right << listed(plan.hpl, one) << "\n";
  }
  out << "\n";
}

void write_sections(std::ostream& out, const SuiteResult& result) {
  for (const BenchmarkResult& ran : result.ran) {
    bool first = true;
    for (const Section& section : kSections) {
      if (section.benchmark != ran.name) continue;
      write_section(out, section, ran, first);
      first = false;
    }
    if (first) write_section(out, {ran.name, ran.name, "mpi", ""}, ran, true);
  }
}

}  // namespace groma::hpcc
