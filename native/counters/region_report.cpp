// Regions as a table and as a record.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
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

/// Regions by those around them. What is added takes as long as its path is.
class RegionTree {
 public:
  void add(const RegionTotals& totals) {
    std::size_t at = 0;
    for (const std::string& name : totals.path) at = inside(at, name);
    branches_[at].row.path = totals.path;
    add_to(branches_[at].row, totals);
  }

  /// Each region before those inside of it, in the order in which they were first added.
  [[nodiscard]] std::vector<Row> rows() const {
    std::vector<Row> found;
    std::vector<std::size_t> left{0};
    while (!left.empty()) {
      const Branch& next = branches_[left.back()];
      left.pop_back();
      if (next.row.threads > 0) found.push_back(next.row);
      left.insert(left.end(), next.inside.rbegin(), next.inside.rend());
    }
    return found;
  }

 private:
  struct Branch {
    Row row;
    std::vector<std::size_t> inside;
  };

  std::size_t inside(std::size_t around, const std::string& name) {
    const auto [place, is_new] = places_.try_emplace({around, name}, branches_.size());
    if (is_new) {
      branches_[around].inside.push_back(place->second);
      branches_.emplace_back();
    }
    return place->second;
  }

  std::vector<Branch> branches_{1};  // the first one is around all
  std::map<std::pair<std::size_t, std::string>, std::size_t> places_;
};

std::vector<Row> rows_of(const RegionReport& report) {
  RegionTree tree;
  for (const RegionTotals& totals : report.regions) tree.add(totals);
  return tree.rows();
}

using Values = std::map<std::string, double>;

Values values_of(const RegionReport& report, const Row& row) {
  Values values{{"time", row.inclusive}};
  for (std::size_t i = 0; i < row.counts.size(); ++i) values[report.events[i]] = row.counts[i];
  return values;
}

struct CountedMetric {
  const MetricGroup* group;
  const Metric* metric;
};

/// Metrics whose events are all counted: the remarks about their events stand for the others.
std::vector<CountedMetric> counted_metrics(const RegionReport& report) {
  Values values{{"time", 1}};
  for (const std::string& event : report.events) values[event] = 1;
  std::vector<CountedMetric> found;
  for (const MetricGroup& group : report.groups) {
    for (const Metric& metric : group.metrics) {
      if (is_counted(group, metric, values)) found.push_back({&group, &metric});
    }
  }
  return found;
}

// ---- Names
// --------------------------------------------------------------------------------------------------

struct Letters {
  std::uint32_t first;
  std::uint32_t last;
};

/// Controls, marks of direction and other characters without a shape: they may steer a terminal.
constexpr std::array kHidden{Letters{0x00, 0x1F},      Letters{0x7F, 0x9F},     Letters{0xAD, 0xAD},
                             Letters{0x61C, 0x61C},    Letters{0x200B, 0x200F}, Letters{0x2028, 0x202E},
                             Letters{0x2060, 0x206F},  Letters{0xFEFF, 0xFEFF}, Letters{0xFFF9, 0xFFFB},
                             Letters{0xE0000, 0xE007F}};

bool is_hidden(std::uint32_t letter) {
  return std::ranges::any_of(
      kHidden, [&](const Letters& range) { return letter >= range.first && letter <= range.last; });
}

/// Of valid UTF-8.
std::vector<std::uint32_t> letters_of(std::string_view text) {
  std::vector<std::uint32_t> letters;
  for (const char sign : text) {
    const auto byte = static_cast<unsigned char>(sign);
    if ((byte & 0xC0U) == 0x80U) {
      letters.back() = letters.back() << 6U | (byte & 0x3FU);
    } else {
      letters.push_back(byte < 0x80U   ? byte
                        : byte < 0xE0U ? byte & 0x1FU
                        : byte < 0xF0U ? byte & 0xFU
                                       : byte & 7U);
    }
  }
  return letters;
}

void append_spelled(std::string& text, std::uint32_t letter) {
  if (!is_hidden(letter)) return append_utf8(text, letter);
  std::array<char, 16> spelled{};
  const char* const format = letter < 0x100 ? "\\x%02x" : letter < 0x10000 ? "\\u%04x" : "\\U%08x";
  std::snprintf(spelled.data(), spelled.size(), format, static_cast<unsigned>(letter));
  text += letter == '\n' ? "\\n" : letter == '\t' ? "\\t" : letter == '\r' ? "\\r" : spelled.data();
}

std::string one_line(const std::string& text) {
  std::string line;
  for (const std::uint32_t letter : letters_of(readable(text))) append_spelled(line, letter);
  return line;
}

/// As groma show has long names: functions of C++ differ at their begin and their end.
std::string short_name(const std::string& name) {
  constexpr std::size_t longest = 100;
  constexpr std::ptrdiff_t end = 30;
  constexpr std::uint32_t cut = 0x2026;
  std::vector<std::uint32_t> letters = letters_of(readable(name));
  if (letters.size() > longest) {
    const auto left_out = letters.erase(letters.begin() + (longest - end - 1), letters.end() - end);
    letters.insert(left_out, cut);
  }
  std::string text;
  for (const std::uint32_t letter : letters) append_spelled(text, letter);
  return text;
}

// ---- The table
// ----------------------------------------------------------------------------------------------

std::string shown(const char* format, double value) {
  std::array<char, 48> text{};
  return {text.data(), static_cast<std::size_t>(std::snprintf(text.data(), text.size(), format, value))};
}

using Cells = std::vector<std::string>;

Cells heading_of(const RegionReport& report, const std::vector<CountedMetric>& metrics) {
  Cells cells{"region", "threads", "calls", "inclusive s", "exclusive s"};
  for (const std::string& event : report.events) cells.push_back(short_name(event));
  for (const auto& [group, metric] : metrics)
    cells.push_back(short_name(metric->name) +
                    (metric->unit == "1" ? "" : " [" + short_name(metric->unit) + "]"));
  return cells;
}

Cells cells_of(const Row& row, const RegionReport& report, const std::vector<CountedMetric>& metrics) {
  Cells cells{std::string(2 * (row.path.size() - 1), ' ') + short_name(row.path.back()),
              std::to_string(row.threads), std::to_string(row.calls), shown("%.6g", row.inclusive),
              shown("%.6g", row.exclusive)};
  for (std::size_t i = 0; i < report.events.size(); ++i)
    cells.push_back(i < row.counts.size() ? shown("%.0f", row.counts[i]) : "-");
  const Values values = values_of(report, row);
  for (const auto& [group, metric] : metrics) {
    const auto value = metric_value(*group, *metric, values);
    cells.push_back(value ? shown("%.4g", *value) : "-");
  }
  return cells;
}

std::size_t width_of(const std::string& text) {
  return letters_of(text).size();
}

std::string lines_of(const std::vector<Cells>& table) {
  std::vector<std::size_t> widths(table.front().size());
  for (const Cells& cells : table) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], width_of(cells[i]));
  }
  std::string text;
  for (const Cells& cells : table) {
    text += cells[0] + std::string(widths[0] - width_of(cells[0]), ' ');
    for (std::size_t i = 1; i < cells.size(); ++i)
      text += "  " + std::string(widths[i] - width_of(cells[i]), ' ') + cells[i];
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

Json json_of(const Row& row, const MetricGroup& group, const Metric& metric, const Values& values) {
  const auto value = metric_value(group, metric, values);
  JsonObject object;
  object.add("path", readable(row.path)).add("group", group.name).add("name", metric.name);
  object.add("unit", metric.unit).add("formula", metric.text);
  return object.add("value", value ? Json(*value) : Json::null()).json();
}

Json metrics_of(const RegionReport& report) {
  std::vector<Json> found;
  const std::vector<CountedMetric> metrics = counted_metrics(report);
  if (metrics.empty()) return found;
  for (const Row& row : rows_of(report)) {
    const Values values = values_of(report, row);
    for (const auto& [group, metric] : metrics) found.push_back(json_of(row, *group, *metric, values));
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
  std::string text = "regions of " + (command.empty() ? "this program" : one_line(command.front())) +
                     (rank.empty() ? "" : ", rank " + one_line(rank)) + "\n";
  const std::vector<CountedMetric> metrics = counted_metrics(report);
  std::vector<Cells> table{heading_of(report, metrics)};
  for (const Row& row : rows_of(report)) table.push_back(cells_of(row, report, metrics));
  text += lines_of(table);
  for (const ValueTotals& one : report.values) {
    text += short_name(one.name) + ", thread " + std::to_string(one.thread) + ": " +
            std::to_string(one.calls) + " values, mean " +
            shown("%.6g", one.sum / static_cast<double>(one.calls)) + ", from " + std::to_string(one.min) +
            " to " + std::to_string(one.max) + "\n";
  }
  for (const std::string& remark : report.remarks) text += one_line(remark) + "\n";
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

std::string write_regions(const RegionReport& report, const std::string& file) {
  if (file == "stderr") return write_to(stderr, as_table(report));
  const std::string path = file_of_process(file, rank_here());
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> opened(std::fopen(path.c_str(), "we"), &std::fclose);
  if (!opened) return path + ": " + std::strerror(errno);
  const std::string why =
      write_to(opened.get(), path.ends_with(".json") ? as_record(report) : as_table(report));
  return why.empty() ? why : path + ": " + why;
}

}  // namespace groma::counters
