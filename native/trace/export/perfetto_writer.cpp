#include "trace/export/perfetto_writer.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/json.hpp"
#include "trace/model/event_types.hpp"

namespace groma::trace {
namespace {

/// groma's values; Extrae has none of such a kind.
constexpr std::uint32_t kFirstValue = 90000001;
constexpr std::uint32_t kLastValue = 90009999;

/// Microseconds: what the format counts.
std::string microseconds(Nanoseconds time) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%llu.%03u", static_cast<unsigned long long>(time / 1000),
                static_cast<unsigned>(time % 1000));
  return text.data();
}

std::string quoted(const std::string& text) {
  return Json(text).text();
}

}  // namespace

void PerfettoWriter::write(const std::string& text) {
  out_ << (first_ ? "\n" : ",\n") << text;
  first_ = false;
}

void PerfettoWriter::slice(const Track& track, char phase, Nanoseconds time, const std::string& more) {
  write(std::string("{\"ph\":\"") + phase + "\"," + track.ids + ",\"ts\":" + microseconds(time) + more + "}");
}

std::string PerfettoWriter::label(std::uint32_t type) const {
  const auto found = names_.events.find(type);
  return found == names_.events.end() ? "type " + std::to_string(type) : found->second.label;
}

std::string PerfettoWriter::label(std::uint32_t type, std::uint64_t value) const {
  const auto found = names_.events.find(type);
  if (found != names_.events.end()) {
    const auto named = found->second.values.find(value);
    if (named != found->second.values.end()) return named->second;
  }
  return label(type) + ' ' + std::to_string(value);
}

void PerfettoWriter::begin(const Layout& layout) {
  out_ << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  const bool several =
      std::ranges::any_of(layout.objects, [](const Object& one) { return one.application > 0; });
  std::uint64_t process = 0;
  for (std::size_t i = 0; i < layout.objects.size(); ++i) {
    const Object& one = layout.objects[i];
    const Object* const before = i > 0 ? &layout.objects[i - 1] : nullptr;
    const bool is_new =
        before == nullptr || before->application != one.application || before->task != one.task;
    if (is_new) ++process;
    Track track;
    track.ids = "\"pid\":" + std::to_string(process) + ",\"tid\":" + std::to_string(one.thread + 1);
    track.task = one.task;
    const std::string rank = (several ? "application " + std::to_string(one.application + 1) + ", " : "") +
                             "rank " + std::to_string(one.task);
    const auto write_metadata = [&](const char* what, const std::string& name) {
      write("{\"ph\":\"M\"," + track.ids + ",\"name\":\"" + what + "\",\"args\":{" + name + "}}");
    };
    if (is_new) {
      write_metadata("process_name", "\"name\":" + quoted(rank));
      write_metadata("process_sort_index", "\"sort_index\":" + std::to_string(process));
    }
    write_metadata("thread_name", "\"name\":" + quoted("thread " + std::to_string(one.thread)));
    tracks_.push_back(std::move(track));
  }
}

void PerfettoWriter::event(const Event& event) {
  if (!line_.empty() && (line_[0].object != event.object || line_[0].time != event.time)) settle_line();
  line_.push_back(event);
}

void PerfettoWriter::settle_line() {
  if (line_.empty()) return;
  Track& track = tracks_[line_[0].object];
  last_ = std::max(last_, line_[0].time);
  for (const Event& one : line_) {
    if (is_call(one.type)) {
      if (track.in_call) end_call(track, one.time);
      if (one.value != 0) begin_call(track, one);
    } else if (is_user_region(one.type)) {
      enter_region(track, one);
    } else if (is_counter(one.type) || (one.type >= kFirstValue && one.type <= kLastValue)) {
      write_value(track, one);
    }
  }
  line_.clear();
}

/// Its parameters are the other events of the line.
void PerfettoWriter::begin_call(Track& track, const Event& event) {
  std::string parameters;
  for (const Event& one : line_) {
    const bool is_parameter = !is_call(one.type) && !is_region(one.type) && !is_counter(one.type);
    if (!is_parameter) continue;
    parameters += (parameters.empty() ? "" : ",") + quoted(label(one.type)) + ':' + std::to_string(one.value);
  }
  slice(track, 'B', event.time,
        ",\"cat\":\"MPI\",\"name\":" + quoted(label(event.type, event.value)) +
            (parameters.empty() ? "" : ",\"args\":{" + parameters + '}'));
  track.in_call = true;
  track.call_type = event.type;
}

void PerfettoWriter::end_call(Track& track, Nanoseconds time) {
  slice(track, 'E', time, "");
  track.in_call = false;
}

/// The value is the innermost region: one that is open already means that those within it end.
void PerfettoWriter::enter_region(Track& track, const Event& event) {
  const auto open = std::ranges::find(track.regions, event.value);
  const bool is_open = open != track.regions.end();
  const auto stay = event.value == 0 ? 0
                    : is_open        ? open - track.regions.begin() + 1
                                     : static_cast<std::ptrdiff_t>(track.regions.size());
  while (static_cast<std::ptrdiff_t>(track.regions.size()) > stay) {
    slice(track, 'E', event.time, "");
    track.regions.pop_back();
  }
  if (event.value == 0 || is_open) return;
  track.regions.push_back(event.value);
  slice(track, 'B', event.time, ",\"cat\":\"region\",\"name\":" + quoted(label(event.type, event.value)));
}

void PerfettoWriter::write_value(const Track& track, const Event& event) {
  slice(
      track, 'C', event.time,
      ",\"name\":" + quoted(label(event.type)) + ",\"args\":{\"value\":" + std::to_string(event.value) + '}');
}

void PerfettoWriter::communication(const Communication& message) {
  // The end of a slice does not belong to it.
  const Nanoseconds arrival =
      std::max(message.logical_receive, message.physical_receive > 0 ? message.physical_receive - 1 : 0);
  const std::string what = ",\"cat\":\"message\",\"name\":\"message\",\"id\":" + std::to_string(++flows_);
  const std::string parameters = ",\"args\":{\"bytes\":" + std::to_string(message.bytes) +
                                 ",\"tag\":" + std::to_string(message.tag) + '}';
  slice(tracks_[message.sender], 's', message.logical_send, what + parameters);
  slice(tracks_[message.receiver], 'f', arrival, ",\"bp\":\"e\"" + what);
}

void PerfettoWriter::end(const Names& /*names*/) {
  settle_line();
  for (Track& track : tracks_) {
    if (track.in_call) end_call(track, last_);
    for (; !track.regions.empty(); track.regions.pop_back()) slice(track, 'E', last_, "");
  }
  out_ << "\n]}\n";
}

}  // namespace groma::trace
