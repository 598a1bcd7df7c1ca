// Regions as a table and as a record.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <optional>
#include <utility>

#include "base/json.hpp"
#include "base/utf8.hpp"
#include "counters/regions.hpp"
#include "counters/system.hpp"

namespace groma::counters {
namespace {

constexpr std::array kRankVariables{"OMPI_COMM_WORLD_RANK", "PMIX_RANK",   "PMI_RANK",
                                    "MV2_COMM_WORLD_RANK",  "PALS_RANKID", "SLURM_PROCID",
                                    "FLUX_TASK_RANK"};

std::string rank_here() {
  for (const char* variable : kRankVariables) {
    if (const char* rank = std::getenv(variable)) return rank;
  }
  return {};
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::vector<std::string> command_line() {
  const std::string all = this_system().text("/proc/self/cmdline").value_or("");
  std::vector<std::string> words;
  for (std::size_t at = 0; at < all.size(); at += words.back().size() + 1)
    words.emplace_back(all.c_str() + at);
  return words;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

/// Names come from the program: what is not UTF-8 would make the record unreadable.
std::string readable(const std::string& name) {
  if (valid_utf8_prefix(name) == name.size()) return name;
  std::string plain = name;
  std::ranges::replace_if(
      plain, [](char sign) { return static_cast<unsigned char>(sign) >= 0x80; }, '?');
  return plain;
}

std::vector<std::string> readable(std::vector<std::string> names) {
  for (std::string& name : names) name = readable(std::as_const(name));
  return names;
}

// ---- Over all threads
// ---------------------------------------------------------------------------------------

struct Row {
  std::vector<std::string> path;
  std::size_t threads = 0;
  std::uint64_t calls = 0;
  double inclusive = 0;
  double exclusive = 0;
  std::vector<double> counts;
};

void add_to(Row& row, const RegionTotals& totals) {
  ++row.threads;
  row.calls += totals.calls;
  row.inclusive += totals.inclusive;
  row.exclusive += totals.exclusive;
  row.counts.resize(std::max(row.counts.size(), totals.counts.size()));
  for (std::size_t i = 0; i < totals.counts.size(); ++i)
    row.counts[i] += static_cast<double>(totals.counts[i]);
}

bool is_inside(const std::vector<std::string>& path, const std::vector<std::string>& around) {
  return path.size() >= around.size() && std::equal(around.begin(), around.end(), path.begin());
}

/// After the last row inside of the region around it.
std::vector<Row>::iterator place_of(std::vector<Row>& rows, const std::vector<std::string>& path) {
  const std::vector<std::string> around(path.begin(), path.end() - 1);
  const auto last =
      std::find_if(rows.rbegin(), rows.rend(), [&](const Row& row) { return is_inside(row.path, around); });
  return last.base();
}

std::vector<Row> rows_of(const RegionReport& report) {
  std::vector<Row> rows;
  for (const RegionTotals& totals : report.regions) {
    auto row = std::ranges::find(rows, totals.path, &Row::path);
    if (row == rows.end()) row = rows.insert(place_of(rows, totals.path), {totals.path, 0, 0, 0, 0, {}});
    add_to(*row, totals);
  }
  return rows;
}

std::optional<double> metric_of(const RegionReport& report, const MetricGroup& group, const Metric& metric,
                                const Row& row) {
  std::map<std::string, double> values{{"time", row.inclusive}};
  for (std::size_t i = 0; i < row.counts.size(); ++i) values[report.events[i]] = row.counts[i];
  return metric_value(group, metric, values);
}

// ---- The table
// ----------------------------------------------------------------------------------------------

struct CountedMetric {
  const MetricGroup* group;
  const Metric* metric;
};

/// Metrics whose events are all counted: the remarks about their events stand for the others.
std::vector<CountedMetric> counted_metrics(const RegionReport& report) {
  Row row;
  row.inclusive = 1;
  for (std::size_t i = 0; i < report.events.size(); ++i) row.counts.push_back(3 + 7 * static_cast<double>(i));
  std::vector<CountedMetric> found;
  for (const MetricGroup& group : report.groups) {
    for (const Metric& metric : group.metrics) {
      if (metric_of(report, group, metric, row)) found.push_back({&group, &metric});
    }
  }
  return found;
}

std::string shown(const char* format, double value) {
  std::array<char, 48> text{};
  return {text.data(), static_cast<std::size_t>(std::snprintf(text.data(), text.size(), format, value))};
}

using Cells = std::vector<std::string>;

Cells heading_of(const RegionReport& report) {
  Cells cells{"region", "threads", "calls", "inclusive s", "exclusive s"};
  cells.insert(cells.end(), report.events.begin(), report.events.end());
  for (const auto& [group, metric] : counted_metrics(report))
    cells.push_back(metric->name + (metric->unit == "1" ? "" : " [" + metric->unit + "]"));
  return cells;
}

Cells cells_of(const Row& row, const RegionReport& report) {
  Cells cells{std::string(2 * (row.path.size() - 1), ' ') + row.path.back(), std::to_string(row.threads),
              std::to_string(row.calls), shown("%.6g", row.inclusive), shown("%.6g", row.exclusive)};
  for (std::size_t i = 0; i < report.events.size(); ++i)
    cells.push_back(i < row.counts.size() ? shown("%.0f", row.counts[i]) : "-");
  for (const auto& [group, metric] : counted_metrics(report)) {
    const auto value = metric_of(report, *group, *metric, row);
    cells.push_back(value ? shown("%.4g", *value) : "-");
  }
  return cells;
}

std::string lines_of(const std::vector<Cells>& table) {
  std::vector<std::size_t> widths(table.front().size());
  for (const Cells& cells : table) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::string text;
  for (const Cells& cells : table) {
    text += cells[0] + std::string(widths[0] - cells[0].size(), ' ');
    for (std::size_t i = 1; i < cells.size(); ++i)
      text += "  " + std::string(widths[i] - cells[i].size(), ' ') + cells[i];
    text += '\n';
  }
  return text;
}

// ---- The record
// ---------------------------------------------------------------------------------------------

Json json_of(const RegionTotals& totals) {
  JsonObject object;
  object.add("path", readable(totals.path)).add("thread", totals.thread).add("calls", totals.calls);
  object.add("inclusive", totals.inclusive).add("exclusive", totals.exclusive);
  object.add("shortest", totals.shortest).add("longest", totals.longest);
  return object.add("counts", totals.counts).add("exclusive_counts", totals.exclusive_counts).json();
}

Json json_of(const ValueTotals& totals) {
  JsonObject object;
  object.add("name", readable(totals.name)).add("thread", totals.thread).add("calls", totals.calls);
  return object.add("sum", totals.sum).add("min", totals.min).add("max", totals.max).json();
}

Json json_of(const Row& row, const MetricGroup& group, const Metric& metric, const RegionReport& report) {
  const auto value = metric_of(report, group, metric, row);
  JsonObject object;
  object.add("path", readable(row.path)).add("group", group.name).add("name", metric.name);
  object.add("unit", metric.unit).add("formula", metric.text);
  return object.add("value", value ? Json(*value) : Json::null()).json();
}

Json metrics_of(const RegionReport& report) {
  std::vector<Json> found;
  for (const Row& row : rows_of(report)) {
    for (const auto& [group, metric] : counted_metrics(report))
      found.push_back(json_of(row, *group, *metric, report));
  }
  return found;
}

template <class T>
std::vector<Json> each(const std::vector<T>& items) {
  std::vector<Json> all;
  for (const T& item : items) all.push_back(json_of(item));
  return all;
}

Json facts_of(const RegionReport& report) {
  JsonObject facts;
  facts.add("host", host_name()).add("process", getpid()).add("rank", rank_here());
  facts.add("events", report.events).add("regions", each(report.regions)).add("values", each(report.values));
  return facts.add("metrics", metrics_of(report)).add("remarks", readable(report.remarks)).json();
}

std::string write_to(std::FILE* file, const std::string& text) {
  const bool is_written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return is_written && std::fflush(file) == 0 ? std::string{} : std::strerror(errno);
}

void replace_all(std::string& text, std::string_view sign, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(sign, at)) != std::string::npos; at += by.size())
    text.replace(at, sign.size(), by);
}

}  // namespace

std::string as_table(const RegionReport& report) {
  const std::vector<std::string> command = command_line();
  const std::string rank = rank_here();
  std::string text = "regions of " + (command.empty() ? "this program" : command.front()) +
                     (rank.empty() ? "" : ", rank " + rank) + "\n";
  std::vector<Cells> table{heading_of(report)};
  for (const Row& row : rows_of(report)) table.push_back(cells_of(row, report));
  text += lines_of(table);
  for (const ValueTotals& one : report.values) {
    text += one.name + ", thread " + std::to_string(one.thread) + ": " + std::to_string(one.calls) +
            " values, mean " + shown("%.6g", one.sum / static_cast<double>(one.calls)) + ", from " +
            std::to_string(one.min) + " to " + std::to_string(one.max) + "\n";
  }
  for (const std::string& remark : report.remarks) text += remark + "\n";
  return text;
}

std::string as_record(const RegionReport& report) {
  const Json build = JsonObject().add("version", GROMA_VERSION).json();
  JsonObject record;
  record.add("schema", "groma.record/1").add("kind", "regions").add("created", utc_now());
  record.add("command", readable(command_line())).add("build", build);
  record.add("environment", Json::verbatim("{}")).add("parameters", Json::verbatim("{}"));
  return record.add("samples", Json::verbatim("{}")).add("facts", facts_of(report)).json().text() + "\n";
}

std::string file_of_process(std::string file, const std::string& rank) {
  if (file.find('%') == std::string::npos) {
    const auto name = file.rfind('/') == std::string::npos ? 0 : file.rfind('/') + 1;
    const auto dot =
        file.rfind('.') == std::string::npos || file.rfind('.') <= name ? file.size() : file.rfind('.');
    if (is_forked_child()) file.insert(dot, "-" + std::to_string(getpid()));
    if (!rank.empty()) file.insert(dot, "-" + rank);
    return file;
  }
  replace_all(file, "%r", rank.empty() ? "0" : rank);
  replace_all(file, "%p", std::to_string(getpid()));
  replace_all(file, "%h", host_name());
  return file;
}

std::string write_regions(const std::string& file) {
  const RegionReport report = regions_so_far();
  if (report.regions.empty() && report.values.empty()) return {};
  if (file == "stderr") return write_to(stderr, as_table(report));
  const std::string path = file_of_process(file, rank_here());
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> opened(std::fopen(path.c_str(), "we"), &std::fclose);
  if (!opened) return path + ": " + std::strerror(errno);
  const std::string why =
      write_to(opened.get(), path.ends_with(".json") ? as_record(report) : as_table(report));
  return why.empty() ? why : path + ": " + why;
}

}  // namespace groma::counters
