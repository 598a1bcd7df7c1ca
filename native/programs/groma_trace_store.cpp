// groma-trace-store: reads traces, prints sums over them, and makes stores and parts of them.
//   groma-trace-store stat TRACE
//   groma-trace-store import TRACE TARGET
//   groma-trace-store cut TRACE TARGET FROM TO [--keep-times]
//   groma-trace-store filter TRACE TARGET [RULE...]
//   groma-trace-store perfetto TRACE
//   groma-trace-store rows TRACE
//   groma-trace-store replay TRACE
//   groma-trace-store build | help
#include <array>
#include <ctime>
#include <filesystem>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "base/build_info.hpp"
#include "base/exit_code.hpp"
#include "base/standard_output.hpp"
#include "trace/edit/cut.hpp"
#include "trace/edit/discarding_sink.hpp"
#include "trace/edit/duration.hpp"
#include "trace/edit/filter.hpp"
#include "trace/edit/read_number.hpp"
#include "trace/edit/sorter.hpp"
#include "trace/export/perfetto_writer.hpp"
#include "trace/export/replay_writer.hpp"
#include "trace/export/rows_writer.hpp"
#include "trace/export/steps_writer.hpp"
#include "trace/log/calls.hpp"
#include "trace/model/event_types.hpp"
#include "trace/paraver/prv_writer.hpp"
#include "trace/store/any_trace.hpp"
#include "trace/store/store_reader.hpp"
#include "trace/store/store_writer.hpp"
#include "trace/sums/sums.hpp"
#include "trace/sums/sums_json.hpp"

namespace {

using namespace groma;
using Words = std::vector<std::string>;

int refuse(const Error& error) {
  std::cerr << "groma-trace-store: " << error.what << "\n  " << error.next << '\n';
  return code_of(error);
}

Error usage(const std::string& what) {
  return {"usage", what, "groma-trace-store help lists the words"};
}

Json warnings_json(const std::vector<trace::Warning>& warnings) {
  std::string text = "[";
  for (const trace::Warning& one : warnings) {
    if (text.size() > 1) text += ',';
    text += JsonObject()
                .add("code", one.code)
                .add("text", one.text)
                .add("count", one.found.count)
                .add("line", one.found.line)
                .json()
                .text();
  }
  return Json::verbatim(text + "]");
}

/// Where records were sorted, their order did no harm.
std::vector<trace::Warning> warnings_of(const trace::ReadReport& report, bool is_sorted) {
  std::vector<trace::Warning> made = report.warnings();
  for (trace::Warning& one : made) {
    if (is_sorted && one.code == "unsorted") one.text = "lines out of order: sorted";
  }
  return made;
}

void add_report(JsonObject& object, const trace::ReadReport& report, bool is_sorted = false) {
  object.add("records", JsonObject()
                            .add("states", report.states)
                            .add("events", report.events)
                            .add("event_lines", report.event_lines)
                            .add("communications", report.communications)
                            .add("lines", report.lines)
                            .add("bytes", report.bytes)
                            .json());
  object.add("warnings", warnings_json(warnings_of(report, is_sorted)));
}

int stat(const Words& words) {
  trace::Sums sums;
  const auto report = trace::read_trace(words[0], sums);
  if (!report) return refuse(report.error());
  JsonObject made = trace::to_json(sums);
  add_report(made, report.value());
  std::cout << made.json().text() << '\n';
  return kOk;
}

/// What a target is written by: files of Paraver for NAME.prv, else a store.
struct Target {
  std::unique_ptr<trace::Sink> sink;
  std::function<Status()> status;
};

template <class Writer>
Result<Target> target_by(Result<Writer> made) {
  if (!made) return made.error();
  auto writer = std::make_unique<Writer>(std::move(made).value());
  auto status = [kept = writer.get()] { return kept->status(); };
  return Target{std::move(writer), std::move(status)};
}

bool is_prv(const std::string& path) {
  return std::filesystem::path(path).extension() == ".prv";
}

Result<Target> target_of(const std::string& path, bool ends_at_last_record) {
  if (is_prv(path)) return target_by(trace::PrvWriter::create(path.substr(0, path.size() - 4)));
  auto made = trace::StoreWriter::create(path);
  if (made && ends_at_last_record) made.value().end_at_last_record();
  return target_by(std::move(made));
}

std::filesystem::path scratch_of(const std::string& target) {
  const auto place = std::filesystem::path(target).parent_path();
  return place.empty() ? "." : place;
}

/// Reads a trace in the order of times, and again where it is unsorted or the edit asks for it.
int rewrite(const std::string& from, const std::string& to, trace::Edit& edit) {
  for (bool sorted = false;;) {
    auto target = target_of(to, edit.ends_at_last_record());
    if (!target) return refuse(target.error());
    trace::Sink& last = edit.begin(*target.value().sink);
    trace::Sorter sorter(last, scratch_of(to));
    const auto report = trace::read_trace(from, sorted ? static_cast<trace::Sink&>(sorter) : last);
    if (!report) return refuse(report.error());
    const bool is_unsorted = !sorted && report.value().of(trace::TraceDefect::kUnsorted).count > 0;
    sorted = sorted || is_unsorted;
    if (!edit.is_right(report.value().duration()) || is_unsorted) continue;
    if (const auto kept = sorter.status(); !kept) return refuse(kept.error());
    if (const auto written = target.value().status(); !written) return refuse(written.error());
    JsonObject made;
    if (const Status edited = edit.report(made); !edited) return refuse(edited.error());
    add_report(made, report.value(), sorted);
    std::cout << made.json().text() << '\n';
    return kOk;
  }
}

/// The header of a .prv stands before its records: its length has to be known before it is written.
int import(const Words& words) {
  if (!is_prv(words[1])) {
    trace::Edit unchanged;
    return rewrite(words[0], words[1], unchanged);
  }
  trace::DiscardingSink discarding;
  const auto report = trace::read_trace(words[0], discarding);
  if (!report) return refuse(report.error());
  trace::DurationEdit edit(report.value().duration());
  return rewrite(words[0], words[1], edit);
}

/// As Paraver's cutter writes it: YYYYMMDDhhmmss.
std::string date_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y%m%d%H%M%S", &parts)};
}

int cut(const Words& words) {
  trace::CutRange range;
  if (!trace::read_number(words[2], range.from) || !trace::read_number(words[3], range.to) ||
      range.from >= range.to) {
    return refuse(usage("the range is not FROM TO in whole nanoseconds, FROM before TO"));
  }
  range.keep_times = words.size() > 4 && words[4] == "--keep-times";
  range.source = std::filesystem::path(words[0]).filename().string();
  range.date = date_now();
  trace::CutEdit edit(std::move(range));
  return rewrite(words[0], words[1], edit);
}

int filter(const Words& words) {
  trace::FilterRules rules;
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (!trace::read_rule(words[i], rules)) return refuse(usage("no rule of a filter: " + words[i]));
  }
  std::error_code unknown;
  const bool can_be_read_again = std::filesystem::is_regular_file(words[0], unknown);
  // The header of a .prv stands before its records, a store's length after them.
  trace::FilterEdit edit(std::move(rules), is_prv(words[1]) && can_be_read_again);
  return rewrite(words[0], words[1], edit);
}

/// Whether a trace has to be sorted, and can be: a pipe is read once. Stores are in order.
Result<bool> needs_sorting(const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown) || trace::StoreReader::is_store(path)) return false;
  trace::DiscardingSink discarding;
  const auto report = trace::read_trace(path, discarding);
  if (!report) return report.error();
  return report.value().of(trace::TraceDefect::kUnsorted).count > 0;
}

std::filesystem::path temporary_folder() {
  std::error_code unknown;
  const auto found = std::filesystem::temp_directory_path(unknown);
  return unknown ? "/tmp" : found;
}

/// Reads a trace, sorted or as it is, and says what is wrong with it.
Result<std::vector<trace::Warning>> read_into(const std::string& path, trace::Sink& sink, bool sorts) {
  trace::Sorter sorter(sink, temporary_folder());
  const auto report = trace::read_trace(path, sorts ? static_cast<trace::Sink&>(sorter) : sink);
  if (!report) return report.error();
  if (const auto kept = sorter.status(); !kept) return kept.error();
  return warnings_of(report.value(), sorts);
}

/// In the order of times, unless it is a pipe.
Result<std::vector<trace::Warning>> read_in_order(const std::string& path, trace::Sink& sink) {
  const auto sorts = needs_sorting(path);
  return sorts ? read_into(path, sink, sorts.value()) : sorts.error();
}

/// Where the trace itself is printed, standard output has no room for them.
int warn(const std::vector<trace::Warning>& warnings) {
  if (warnings.empty()) return kOk;
  std::cerr << JsonObject().add("warnings", warnings_json(warnings)).json().text() << '\n';
  return kOk;
}

int rows(const Words& words) {
  const trace::Names names = trace::read_names(words[0]);
  trace::RowsWriter writer(std::cout, names);
  const auto warnings = read_in_order(words[0], writer);
  return warnings ? warn(warnings.value()) : refuse(warnings.error());
}

int steps(const Words& words) {
  const trace::Names names = trace::read_names(words[0]);
  trace::StepsWriter writer(std::cout, names);
  std::error_code unknown;
  const bool is_pipe = !std::filesystem::is_regular_file(words[0], unknown);
  const auto warnings = is_pipe ? read_into(words[0], writer, true) : read_in_order(words[0], writer);
  return warnings ? warn(warnings.value()) : refuse(warnings.error());
}

/// Names those calls that the trace does not name.
void add_usual_names(trace::Names& names) {
  for (std::uint32_t type = trace::kFirstCallType; type <= trace::kLastCallType; ++type) {
    trace::EventType& made = names.events[type];
    if (made.label.empty()) made.label = "MPI";
    for (const trace::log::CallInfo& call : trace::log::kCalls) {
      made.values.try_emplace(call.value, "MPI_" + std::string(call.name));
    }
  }
}

int perfetto(const Words& words) {
  trace::Names names = trace::read_names(words[0]);
  add_usual_names(names);
  trace::PerfettoWriter writer(std::cout, names);
  const auto warnings = read_in_order(words[0], writer);
  return warnings ? warn(warnings.value()) : refuse(warnings.error());
}

int replay(const Words& words) {
  trace::ReplayWriter writer(std::cout);
  const auto warnings = read_in_order(words[0], writer);
  if (!warnings) return refuse(warnings.error());
  const Status status = writer.status();
  return status ? warn(warnings.value()) : refuse(status.error());
}

constexpr const char* kHelp = R"(usage: groma-trace-store stat TRACE
       groma-trace-store import TRACE TARGET
       groma-trace-store cut TRACE TARGET FROM TO [--keep-times]
       groma-trace-store filter TRACE TARGET [RULE...]
       groma-trace-store perfetto TRACE
       groma-trace-store rows TRACE
       groma-trace-store steps TRACE
       groma-trace-store replay TRACE
       groma-trace-store build | help

TRACE is a .prv, a .prv.gz or a store of groma. TARGET is NAME.prv, or else a store. Times are nanoseconds.
stat prints sums as JSON, perfetto the trace for Perfetto and Chrome, rows its records as frames of numbers
(trace/export/rows_writer.hpp), steps its calls and regions as they nest (trace/export/steps_writer.hpp),
replay what its ranks do as a time-independent trace, the others what they read. What is wrong with the trace
is in that JSON; perfetto, rows, steps and replay print it on standard error.
RULE: --states=N,N-N --types=N,N-N --without-types=N,N-N --tasks=N,N-N (from 0)
      --shortest-burst=NS --smallest-message=BYTES --no-states --no-events --no-messages
)";

int help() {
  std::cout << kHelp;
  return kOk;
}

constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();

struct Verb {
  std::size_t least;  ///< words after it
  std::size_t most;
  int (*run)(const Words& words);
};

int dispatch(const Words& words) {
  static const std::map<std::string, Verb> verbs{
      {"stat", {1, 1, stat}},   {"perfetto", {1, 1, perfetto}},     {"rows", {1, 1, rows}},
      {"steps", {1, 1, steps}}, {"replay", {1, 1, replay}},         {"import", {2, 2, import}},
      {"cut", {4, 5, cut}},     {"filter", {2, kAnyNumber, filter}}};
  const std::string verb = words.empty() ? "help" : words[0];
  if (verb == "help" || verb == "--help") return help();
  if (verb == "build") {
    std::cout << build_info().text() << '\n';
    return kOk;
  }
  const auto found = verbs.find(verb);
  const std::size_t given = words.size() - 1;
  if (found == verbs.end() || given < found->second.least || given > found->second.most) {
    return refuse(usage("unknown words: " + verb));
  }
  return found->second.run({words.begin() + 1, words.end()});
}

}  // namespace

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): only the report of one could throw
  try {
    return delivered(dispatch({argv + 1, argv + argc}), "groma-trace-store");
  } catch (const std::exception& problem) {
    return refuse({"memory", problem.what(), "free memory, or take a part of the trace"});
  }
}
