#include "counters/metric_group.hpp"

#include <dirent.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>

#include "base/utf8.hpp"
#include "counters/system.hpp"

namespace groma::counters {
namespace {

constexpr std::string_view kEnding = ".group";

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  return text;
}

struct Assignment {
  std::string_view name;
  std::string_view value;
};

std::optional<Assignment> assignment_of(std::string_view line) {
  const auto sign = line.find('=');
  if (sign == std::string_view::npos) return std::nullopt;
  const Assignment assignment{without_blanks(line.substr(0, sign)), without_blanks(line.substr(sign + 1))};
  if (assignment.name.empty() || assignment.value.empty()) return std::nullopt;
  return assignment;
}

/// Takes `word` and blanks off the beginning.
bool take_word(std::string_view& line, std::string_view word) {
  if (!line.starts_with(word) || line.size() == word.size()) return false;
  if (const char next = line[word.size()]; word.back() != ':' && next != ' ' && next != '\t') return false;
  line = without_blanks(line.substr(word.size()));
  return true;
}

std::string add_event(MetricGroup& group, std::string_view line) {
  const auto assignment = assignment_of(line);
  if (!assignment) return "an event is NAME = EVENT";
  const bool is_there =
      std::ranges::find(group.events, assignment->name, &NamedEvent::name) != group.events.end();
  if (is_there || assignment->name == "time")
    return "the name " + std::string(assignment->name) + " is in use";
  group.events.push_back({std::string(assignment->name), std::string(assignment->value)});
  return {};
}

bool is_known(const MetricGroup& group, std::string_view name) {
  return name == "time" || std::ranges::find(group.events, name, &NamedEvent::name) != group.events.end();
}

/// A name in braces may be an event that has no line of its own.
void add_braced_events(MetricGroup& group, const Formula& formula) {
  for (const std::string& name : formula.braced()) {
    if (!name.empty() && !is_known(group, name)) group.events.push_back({name, name});
  }
}

std::string unknown_name(const MetricGroup& group, const Formula& formula) {
  for (const std::string& name : formula.names()) {
    if (!is_known(group, name)) return "no event before it is called " + name;
  }
  return {};
}

std::string add_metric(MetricGroup& group, std::string_view line) {
  const auto assignment = assignment_of(line);
  if (!assignment) return "a metric is NAME [UNIT] = FORMULA";
  const auto bracket = assignment->name.find('[');
  if (bracket == std::string_view::npos || !assignment->name.ends_with(']')) return "a metric has its [UNIT]";
  auto formula = Formula::parse(assignment->value);
  if (!formula) return formula.error().what;
  add_braced_events(group, formula.value());
  if (std::string why = unknown_name(group, formula.value()); !why.empty()) return why;
  const std::string_view unit = assignment->name.substr(bracket + 1, assignment->name.size() - bracket - 2);
  group.metrics.push_back({std::string(without_blanks(assignment->name.substr(0, bracket))),
                           std::string(unit), std::string(assignment->value), std::move(formula).value()});
  return {};
}

std::string add_line(MetricGroup& group, std::string_view line) {
  if (take_word(line, "title:")) {
    group.title = line;
    return {};
  }
  if (take_word(line, "event")) return add_event(group, line);
  if (take_word(line, "metric")) return add_metric(group, line);
  return "a line begins with title:, event or metric";
}

std::vector<std::string> folders() {
  std::vector<std::string> found;
  const auto add = [&](const char* variable, const char* below) {
    if (const char* value = std::getenv(variable); value != nullptr && *value == '/')
      found.push_back(std::string(value) + below);
    return found.size();
  };
  if (add("XDG_CONFIG_HOME", "/groma/counters") == 0) add("HOME", "/.config/groma/counters");
  const char* listed = std::getenv("GROMA_COUNTERS_GROUPS");
  for (std::string_view rest = listed == nullptr ? "" : listed; !rest.empty();) {
    const auto colon = rest.find(':');
    if (colon != 0) found.emplace_back(rest.substr(0, colon));
    rest = colon == std::string_view::npos ? std::string_view{} : rest.substr(colon + 1);
  }
  return found;
}

std::vector<std::string> group_files(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(opendir(folder.c_str()), &closedir);
  std::vector<std::string> names;
  while (const dirent* entry = opened ? readdir(opened.get()) : nullptr) {
    if (std::string_view(entry->d_name).ends_with(kEnding)) names.emplace_back(entry->d_name);
  }
  std::ranges::sort(names);
  return names;
}

/// The values of all that a formula names, in the order of its names; none where one is not known.
std::optional<std::vector<double>> operands(const MetricGroup& group, const Metric& metric,
                                            const std::map<std::string, double>& values) {
  std::vector<double> named;
  for (const std::string& name : metric.formula.names()) {
    const auto event = std::ranges::find(group.events, name, &NamedEvent::name);
    const auto found = values.find(event == group.events.end() ? name : event->event);
    if (found == values.end()) return std::nullopt;
    named.push_back(found->second);
  }
  return named;
}

}  // namespace

Result<MetricGroup> parse_group(std::string_view name, std::string_view text) {
  MetricGroup group{std::string(name), {}, {}, {}, {}};
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::size_t number = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line =
        without_blanks(text.substr(0, std::min(text.substr(0, end).find('#'), end)));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    const std::string why = line.empty() ? std::string{} : add_line(group, line);
    if (why.empty()) continue;
    return Error{"counters.group", std::string(name) + ", line " + std::to_string(number) + ": " + why,
                 "docs/counters.md explains groups"};
  }
  if (group.events.empty())
    return Error{"counters.group", std::string(name) + " has no event", "docs/counters.md explains groups"};
  return group;
}

std::optional<std::string> MetricGroups::defect_of(std::string_view name) const {
  // The file that comes last counts.
  const auto found = std::find_if(defects.rbegin(), defects.rend(),
                                  [&](const GroupDefect& one) { return one.name == name; });
  if (found == defects.rend() || by_name.contains(found->name)) return std::nullopt;
  return "its group has a defect: " + found->what;
}

MetricGroups metric_groups() {
  MetricGroups groups;
  const auto add = [&](std::string_view name, std::string_view text, const std::string& place) {
    auto group = parse_group(name, text);
    if (!group) {
      groups.by_name.erase(std::string(name));
      groups.defects.push_back({std::string(name), place + ": " + group.error().what});
      return;
    }
    group.value().place = place;
    groups.by_name.insert_or_assign(std::string(name), std::move(group).value());
  };
  for (const auto& [name, text] : shipped_groups()) add(name, text, "shipped");
  for (const std::string& folder : folders()) {
    for (const std::string& file : group_files(folder)) {
      std::string path = folder;
      path.append("/").append(file);
      auto text = this_system().text(path);
      if (!text) continue;
      std::string name = file.substr(0, file.size() - kEnding.size());
      for (std::string* shown : {&name, &*text, &path}) make_utf8(*shown);
      add(name, *text, path);
    }
  }
  return groups;
}

bool is_counted(const MetricGroup& group, const Metric& metric, const std::map<std::string, double>& values) {
  return operands(group, metric, values).has_value();
}

std::optional<double> metric_value(const MetricGroup& group, const Metric& metric,
                                   const std::map<std::string, double>& values) {
  const auto named = operands(group, metric, values);
  if (!named) return std::nullopt;
  const double value = metric.formula.value(*named);
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace groma::counters
