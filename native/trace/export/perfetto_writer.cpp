#include "trace/export/perfetto_writer.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

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

/// Paraver's numbers have a sign.
std::string signed_number(std::uint64_t value) {
  return std::to_string(static_cast<std::int64_t>(value));
}

}  // namespace

void PerfettoWriter::write(const std::string& text) {
  out_ << (first_ ? "\n" : ",\n") << text;
  first_ = false;
}

void PerfettoWriter::write_slice(const Track& track, char phase, Nanoseconds time, const std::string& more) {
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
  return label(type) + ' ' + signed_number(value);
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

void PerfettoWriter::state(const State& state) {
  last_ = std::max(last_, state.end);
}

void PerfettoWriter::event(const Event& event) {
  if (!line_.empty() && (line_[0].object != event.object || line_[0].time != event.time)) settle_line();
  line_.push_back(event);
}

void PerfettoWriter::settle_line() {
  if (line_.empty()) return;
  Track& track = tracks_[line_[0].object];
  last_ = std::max(last_, line_[0].time);
  // What ends here comes before what begins, whatever the order of the line.
  const std::size_t ends = end_open_calls(track);
  for (const Event& one : line_) {
    if (is_user_region(one.type)) {
      take_region(track, one);
    } else if (is_counter(one.type) || (one.type >= kFirstValue && one.type <= kLastValue)) {
      write_value(track, one);
    }
  }
  begin_calls(track, ends);
  line_.clear();
}

/// The number of ends of calls that are not open: they begin in this line as well.
std::size_t PerfettoWriter::end_open_calls(Track& track) {
  std::size_t ends = 0;
  for (const Event& one : line_) {
    if (is_call(one.type) && one.value == 0 && !end_call(track, one.time)) ++ends;
  }
  return ends;
}

/// The first `ends` of them end at once.
void PerfettoWriter::begin_calls(Track& track, std::size_t ends) {
  for (const Event& one : line_) {
    if (!is_call(one.type) || one.value == 0) continue;
    end_call(track, one.time);
    begin_call(track, one);
    if (ends == 0) continue;
    --ends;
    end_call(track, one.time);
  }
}

/// Its parameters are the other events of the line.
void PerfettoWriter::begin_call(Track& track, const Event& event) {
  std::string parameters;
  for (const Event& one : line_) {
    const bool is_parameter = !is_call(one.type) && !is_region(one.type) && !is_counter(one.type);
    if (!is_parameter) continue;
    parameters += (parameters.empty() ? "" : ",") + quoted(label(one.type)) + ':' + signed_number(one.value);
  }
  begin_slice(track, event.time,
              {event.type, event.value,
               ",\"cat\":\"MPI\",\"name\":" + quoted(label(event.type, event.value)) +
                   (parameters.empty() ? "" : ",\"args\":{" + parameters + '}')});
}

/// False where none is open.
bool PerfettoWriter::end_call(Track& track, Nanoseconds time) {
  for (std::size_t i = track.open.size(); i-- > 0;) {
    if (!is_call(track.open[i].type)) continue;
    end_slice(track, i, time);
    return true;
  }
  return false;
}

/// The value is the innermost region: one that is open already means that those within it end.
void PerfettoWriter::take_region(Track& track, const Event& event) {
  if (nests(event.type)) return take_nested(track, event);
  const bool is_open = std::ranges::any_of(
      track.open, [&](const Slice& one) { return one.type == event.type && one.value == event.value; });
  const bool ends = event.value == 0 || is_open;
  for (std::size_t i = track.open.size(); ends && i-- > 0;) {
    if (track.open[i].type != event.type) continue;
    if (track.open[i].value == event.value) break;
    end_slice(track, i, event.time);
  }
  if (!ends) begin_slice(track, event.time, slice_of_region(event));
}

void PerfettoWriter::take_nested(Track& track, const Event& event) {
  if (event.value != 0) {
    if (track.open.size() < kDeepestNest) return begin_slice(track, event.time, slice_of_region(event));
    ++track.too_deep;
    return;
  }
  if (track.too_deep > 0) {
    --track.too_deep;
    return;
  }
  const auto innermost = std::find_if(track.open.rbegin(), track.open.rend(),
                                      [&](const Slice& one) { return one.type == event.type; });
  if (innermost == track.open.rend()) return;
  end_slice(track, static_cast<std::size_t>(track.open.rend() - innermost) - 1, event.time);
}

PerfettoWriter::Slice PerfettoWriter::slice_of_region(const Event& event) const {
  return {event.type, event.value, ",\"cat\":\"region\",\"name\":" + quoted(label(event.type, event.value))};
}

void PerfettoWriter::begin_slice(Track& track, Nanoseconds time, Slice slice) {
  write_slice(track, 'B', time, slice.what);
  track.open.push_back(std::move(slice));
}

/// What is open within it ends as well, and goes on after it.
void PerfettoWriter::end_slice(Track& track, std::size_t which, Nanoseconds time) {
  for (std::size_t i = which; i < track.open.size(); ++i) write_slice(track, 'E', time, "");
  track.open.erase(track.open.begin() + static_cast<std::ptrdiff_t>(which));
  for (std::size_t i = which; i < track.open.size(); ++i) write_slice(track, 'B', time, track.open[i].what);
}

void PerfettoWriter::write_value(const Track& track, const Event& event) {
  write_slice(
      track, 'C', event.time,
      ",\"name\":" + quoted(label(event.type)) + ",\"args\":{\"value\":" + signed_number(event.value) + '}');
}

void PerfettoWriter::communication(const Communication& message) {
  last_ = std::max({last_, message.physical_send, message.physical_receive});
  // The end of a slice does not belong to it.
  const Nanoseconds arrival =
      std::max(message.logical_receive, message.physical_receive > 0 ? message.physical_receive - 1 : 0);
  const std::string what = ",\"cat\":\"message\",\"name\":\"message\",\"id\":" + std::to_string(++flows_);
  const std::string parameters = ",\"args\":{\"bytes\":" + std::to_string(message.bytes) +
                                 ",\"tag\":" + signed_number(message.tag) + '}';
  write_slice(tracks_[message.sender], 's', message.logical_send, what + parameters);
  write_slice(tracks_[message.receiver], 'f', arrival, ",\"bp\":\"e\"" + what);
}

void PerfettoWriter::end(const Names& /*names*/) {
  settle_line();
  for (Track& track : tracks_) {
    for (; !track.open.empty(); track.open.pop_back()) write_slice(track, 'E', last_, "");
  }
  out_ << "\n]}\n";
}

}  // namespace groma::trace
