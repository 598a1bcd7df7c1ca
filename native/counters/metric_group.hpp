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

/// A file NAME.group that cannot be read as a group.
struct GroupDefect {
  std::string name;
  std::string what;  // its path, the line and the cause
};

struct MetricGroups {
  std::map<std::string, MetricGroup> by_name;
  std::vector<GroupDefect> defects;

  /// Why no group has this name: its file has a defect. None of a name that is no file's.
  [[nodiscard]] std::optional<std::string> defect_of(std::string_view name) const;
};

/// Those of groma, and files NAME.group in the folders of GROMA_COUNTERS_GROUPS (separated by colons) and in
/// groma/counters of the user's configuration. A later one replaces one of the same name, also by a defect.
MetricGroups metric_groups();

/// Whether there are values of all that the formula of a metric names.
bool is_counted(const MetricGroup& group, const Metric& metric, const std::map<std::string, double>& values);

/// The value of a metric; none where a name is not known, or it is not finite. `values` are by event, and
/// "time".
std::optional<double> metric_value(const MetricGroup& group, const Metric& metric,
                                   const std::map<std::string, double>& values);

/// What is shipped: name and text.
const std::vector<std::pair<std::string_view, std::string_view>>& shipped_groups();

}  // namespace groma::counters
