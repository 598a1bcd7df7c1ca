// groma-counters: what of this machine can be counted, what together, and counts of a program.
//   groma-counters list | check EVENT… | build | help
//   groma-counters run OUTPUT EVENT… -- COMMAND…
//   groma-counters derive GROUP… EVENT=VALUE… time=SECONDS
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/build_info.hpp"
#include "base/exit_code.hpp"
#include "base/standard_output.hpp"
#include "counters/metric_group.hpp"
#include "counters/plan.hpp"
#include "counters/program_counts.hpp"

namespace {

using namespace groma;

using Words = std::vector<std::string>;

int refuse(const Error& error) {
  std::cerr << "groma-counters: " << error.what << "\n  " << error.next << '\n';
  return code_of(error);
}

// ---- list -------------------------------------------------------------------------------------------------

struct Found {
  bool is_counted;
  std::string remark;
};

/// By opening and starting it: lists of the kernel and of PAPI hold what cannot be counted.
Found tried(const std::string& name) {
  counters::Plan plan;
  const Status added = plan.add(name);
  if (!added) return {false, added.error().what.substr(name.size() + 2)};
  const counters::Checked checked = plan.check();
  if (!checked.unavailable.empty()) return {false, checked.unavailable.front().reason};
  const bool is_free = checked.remarks.empty();
  return {true, is_free ? std::string{} : checked.remarks.front().substr(name.size() + 2)};
}

Json event_json(const std::string& name, std::string_view what, std::string_view unit) {
  const Found found = tried(name);
  JsonObject object;
  object.add("name", name).add("what", what).add("unit", unit);
  return object.add("counted", found.is_counted).add("remark", found.remark).json();
}

std::string_view unit_of(const counters::PortableName& one) {
  return one.type == PERF_TYPE_SOFTWARE ? "software" : "processor";
}

/// Native names: the files of a unit's folder `events` without a dot (those with one are scales and units).
std::vector<std::string> native_names(const std::filesystem::path& unit) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& file : std::filesystem::directory_iterator(unit / "events", ignored)) {
    const std::string name = file.path().filename();
    if (name.find('.') == std::string::npos) names.push_back(unit.filename().string() + "/" + name + "/");
  }
  std::ranges::sort(names);
  return names;
}

std::vector<Json> events_json() {
  std::vector<Json> all;
  for (const auto& one : counters::portable_names())
    all.push_back(event_json(std::string(one.name), one.what, unit_of(one)));
  all.push_back(event_json("tsc", "time stamp", "time"));
  std::error_code ignored;
  for (const auto& unit : std::filesystem::directory_iterator("/sys/bus/event_source/devices", ignored)) {
    for (const std::string& name : native_names(unit.path()))
      all.push_back(event_json(name, "", unit.path().filename().string()));
  }
  all.push_back(event_json("papi:PAPI_TOT_CYC", "cycles, by PAPI", "papi"));
  return all;
}

Json metric_json(const counters::Metric& metric) {
  JsonObject object;
  return object.add("name", metric.name).add("unit", metric.unit).add("formula", metric.text).json();
}

Json group_json(const counters::MetricGroup& group) {
  std::vector<Json> metrics;
  Words events;
  JsonObject names;
  for (const auto& metric : group.metrics) metrics.push_back(metric_json(metric));
  for (const auto& one : group.events) {
    events.push_back(one.event);
    names.add(one.name, one.event);
  }
  JsonObject object;
  object.add("name", group.name).add("title", group.title).add("place", group.place).add("events", events);
  return object.add("names", names.json()).add("metrics", metrics).json();
}

int list() {
  const auto known = counters::metric_groups();
  std::vector<Json> groups;
  for (const auto& [name, group] : known.by_name) groups.push_back(group_json(group));
  Words defects;
  for (const auto& one : known.defects) defects.push_back(one.what);
  JsonObject answer;
  answer.add("events", events_json()).add("groups", groups).add("defects", defects);
  std::cout << answer.json().text() << '\n';
  return kOk;
}

// ---- check ------------------------------------------------------------------------------------------------

/// What names stand for: events, and groups that cannot be read.
struct Named {
  Words events;
  std::vector<counters::Unavailable> defective;
};

/// A group stands for its events.
Named with_groups_opened(const Words& names) {
  const auto groups = counters::metric_groups();
  Named found;
  const auto add = [&](const std::string& event) {
    if (std::ranges::find(found.events, event) == found.events.end()) found.events.push_back(event);
  };
  for (const std::string& name : names) {
    const auto group = groups.by_name.find(name);
    if (group != groups.by_name.end()) {
      for (const auto& one : group->second.events) add(one.event);
    } else if (const auto defect = groups.defect_of(name)) {
      found.defective.push_back({name, *defect});
    } else {
      add(name);
    }
  }
  return found;
}

Json json_of(const counters::Collision& one) {
  JsonObject object;
  return object.add("event", one.event).add("with", one.with).add("alone", one.alone).json();
}

Json json_of(const counters::Unavailable& one) {
  JsonObject object;
  return object.add("event", one.event).add("reason", one.reason).json();
}

Json json_of(const counters::ProgramCount& one) {
  JsonObject object;
  object.add("event", one.event).add("value", one.value ? Json(*one.value) : Json::null());
  return object.add("share", one.share).add("remark", one.remark).json();
}

template <class T>
std::vector<Json> each(const std::vector<T>& items) {
  std::vector<Json> all;
  for (const T& item : items) all.push_back(json_of(item));
  return all;
}

int check(const Words& names) {
  if (names.empty()) return refuse({"usage", "no event is named", "groma-counters check page-faults"});
  counters::Plan plan;
  const Named named = with_groups_opened(names);
  std::vector<counters::Unavailable> refused = named.defective;
  Words unknown;
  for (const std::string& name : named.events) {
    const Status added = plan.add(name);
    if (added) continue;
    unknown.push_back(name);
    refused.push_back(
        {name, added.error().what.substr(std::min(name.size() + 2, added.error().what.size()))});
  }
  counters::Checked checked = plan.check();
  checked.unavailable.insert(checked.unavailable.begin(), refused.begin(), refused.end());
  JsonObject answer;
  answer.add("unavailable", each(checked.unavailable)).add("collisions", each(checked.collisions));
  answer.add("runs", checked.runs).add("remarks", checked.remarks).add("unknown", unknown);
  std::cout << answer.json().text() << '\n';
  return kOk;
}

// ---- run --------------------------------------------------------------------------------------------------

int run(const Words& words) {
  const auto separator = std::ranges::find(words, "--");
  if (words.empty() || separator == words.begin() || separator == words.end() || separator + 1 == words.end())
    return refuse({"usage", "a command is missing", "groma-counters run OUTPUT EVENT… -- COMMAND…"});
  const Words events(words.begin() + 1, separator);
  const Named named = with_groups_opened(events);
  const counters::ProgramSignals signals;  // until the counts are written
  auto counts = counters::count_program(named.events, {separator + 1, words.end()}, signals);
  if (!counts) return refuse(counts.error());
  for (const auto& one : named.defective)
    counts.value().counts.push_back({one.event, std::nullopt, 1, one.reason});
  JsonObject answer;
  answer.add("seconds", counts.value().seconds).add("exit_code", counts.value().exit_code);
  answer.add("counts", each(counts.value().counts));
  std::ofstream output(words.front());
  output << answer.json().text() << '\n';
  output.close();
  if (!output) return refuse({"environment", "cannot write " + words.front(), "choose another file"});
  return counts.value().exit_code;
}

// ---- derive -----------------------------------------------------------------------------------------------

using Values = std::map<std::string, double>;

Json json_of(const counters::MetricGroup& group, const counters::Metric& metric, const Values& values) {
  const auto value = counters::metric_value(group, metric, values);
  JsonObject object;
  object.add("group", group.name).add("name", metric.name).add("unit", metric.unit);
  return object.add("formula", metric.text).add("value", value ? Json(*value) : Json::null()).json();
}

using Groups = std::map<std::string, counters::MetricGroup>;

/// Whether a metric of the named groups may need the value.
bool is_needed(const std::string& event, const Words& names, const Groups& groups) {
  return event == "time" || std::ranges::any_of(names, [&](const std::string& name) {
           const auto group = groups.find(name);
           return group != groups.end() &&
                  std::ranges::find(group->second.events, event, &counters::NamedEvent::event) !=
                      group->second.events.end();
         });
}

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Native names have signs of equality as well: the last one counts. They may stand among the groups, so that
/// only a value that is needed has to be a number.
Result<Values> values_in(const Words& words, const Groups& groups) {
  Values values;
  for (const std::string& word : words) {
    const auto sign = word.rfind('=');
    if (groups.contains(word) || sign == std::string::npos) continue;
    const std::string event = word.substr(0, sign);
    if (const auto value = number_of(std::string_view(word).substr(sign + 1))) {
      values[event] = *value;
    } else if (is_needed(event, words, groups)) {
      return Error{"usage", word + " is no EVENT=VALUE", "write it like: page-faults=12 time=0.5"};
    }
  }
  return values;
}

int derive(const Words& words) {
  const auto groups = counters::metric_groups().by_name;
  const auto values = values_in(words, groups);
  if (!values) return refuse(values.error());
  std::vector<Json> metrics;
  for (const std::string& word : words) {
    const auto group = groups.find(word);
    if (group == groups.end()) continue;
    for (const auto& metric : group->second.metrics) {
      if (counters::is_counted(group->second, metric, values.value()))
        metrics.push_back(json_of(group->second, metric, values.value()));
    }
  }
  std::cout << Json(metrics).text() << '\n';
  return kOk;
}

int help() {
  std::cout << "usage: groma-counters list | check EVENT… | build | help\n"
               "       groma-counters run OUTPUT EVENT… -- COMMAND…\n"
               "       groma-counters derive GROUP… EVENT=VALUE… time=SECONDS\n";
  return kOk;
}

int dispatch(const Words& words) {
  const std::string verb = words.empty() ? "help" : words.front();
  const Words rest(words.begin() + (words.empty() ? 0 : 1), words.end());
  if (verb == "list") return list();
  if (verb == "check") return check(rest);
  if (verb == "run") return run(rest);
  if (verb == "derive") return derive(rest);
  if (verb == "help" || verb == "--help") return help();
  if (verb != "build") return refuse({"usage", "unknown word " + verb, "groma-counters help lists them"});
  std::cout << build_info().text() << '\n';
  return kOk;
}

}  // namespace

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): only the report of one could throw
  try {
    return delivered(dispatch({argv + 1, argv + argc}), "groma-counters");
  } catch (const std::exception& problem) {
    return refuse({"memory", problem.what(), "count less"});
  }
}
