// Groups of metrics: text files that name events and derive metrics from them.
//
//     title: Cycles and instructions
//     event cycles = cycles
//     event instructions = instructions
//     metric instructions per cycle [1/cycle] = instructions / cycles
//
// `time` is the elapsed time in seconds. # begins a comment.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "counters/formula.hpp"

namespace groma::counters {

struct NamedEvent {
  std::string name;  // in formulas
  std::string event;
};

struct Metric {
  std::string name;
  std::string unit;
  std::string text;
  Formula formula;
};

struct MetricGroup {
  std::string name;
  std::string title;
  std::vector<NamedEvent> events;
  std::vector<Metric> metrics;
  std::string place;  // its file; "shipped" for those of groma
};

Result<MetricGroup> parse_group(std::string_view name, std::string_view text);

/// Those of groma, and files NAME.group in the folders of GROMA_COUNTERS_GROUPS (separated by colons) and in
/// groma/counters of the user's configuration; a later one replaces one of the same name. Files with a defect
/// leave a line in `defects`.
std::map<std::string, MetricGroup> metric_groups(std::vector<std::string>& defects);

/// The value of a metric; none where a name is not known, or it is not finite. `values` are by event, and
/// "time".
std::optional<double> metric_value(const MetricGroup& group, const Metric& metric,
                                   const std::map<std::string, double>& values);

/// What is shipped: name and text.
const std::vector<std::pair<std::string_view, std::string_view>>& shipped_groups();

}  // namespace groma::counters
