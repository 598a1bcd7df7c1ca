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

void PerfettoWriter::write_phase(char phase, ObjectIndex object, Nanoseconds time, const std::string& more) {
  write(std::string("{\"ph\":\"") + phase + "\"," + ids_[object] + ",\"ts\":" + microseconds(time) + more +
        "}");
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
  nesting_.begin(layout.objects.size());
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
    ids_.push_back("\"pid\":" + std::to_string(process) + ",\"tid\":" + std::to_string(one.thread + 1));
    threads_.push_back(one.thread);
    const std::string rank = (several ? "application " + std::to_string(one.application + 1) + ", " : "") +
                             "rank " + std::to_string(one.task);
    const auto write_metadata = [&](const char* what, const std::string& name) {
      write("{\"ph\":\"M\"," + ids_.back() + ",\"name\":\"" + what + "\",\"args\":{" + name + "}}");
    };
    if (is_new) {
      write_metadata("process_name", "\"name\":" + quoted(rank));
      write_metadata("process_sort_index", "\"sort_index\":" + std::to_string(process));
    }
    write_metadata("thread_name", "\"name\":" + quoted("thread " + std::to_string(one.thread)));
  }
}

void PerfettoWriter::state(const State& state) {
  last_ = std::max(last_, state.end);
}

void PerfettoWriter::event(const Event& event) {
  last_ = std::max(last_, event.time);
  if (is_counter(event.type) || (event.type >= kFirstValue && event.type <= kLastValue)) write_value(event);
  nesting_.take(event);
}

/// Parameters of a call are the other events beside it.
std::string PerfettoWriter::text_of(const Event& begin, Events beside) {
  const std::string name = ",\"name\":" + quoted(label(begin.type, begin.value));
  if (!is_call(begin.type)) return ",\"cat\":\"region\"" + name;
  std::string parameters;
  for (const Event& one : beside) {
    const bool is_parameter = !is_call(one.type) && !is_region(one.type) && !is_counter(one.type);
    if (!is_parameter) continue;
    parameters += (parameters.empty() ? "" : ",") + quoted(label(one.type)) + ':' + signed_number(one.value);
  }
  return ",\"cat\":\"MPI\"" + name + (parameters.empty() ? "" : ",\"args\":{" + parameters + '}');
}

void PerfettoWriter::enter(ObjectIndex object, Nanoseconds time, const Slice& slice) {
  write_phase('B', object, time, slice.text);
}

void PerfettoWriter::leave(ObjectIndex object, Nanoseconds time, const Slice& /*slice*/) {
  write_phase('E', object, time, "");
}

void PerfettoWriter::write_value(const Event& event) {
  // Tracks of counters are those of the process: an id tells its threads apart.
  const std::uint32_t thread = threads_[event.object];
  const std::string id = thread == 0 ? "" : ",\"id\":\"thread " + std::to_string(thread) + '"';
  write_phase('C', event.object, event.time,
              id + ",\"name\":" + quoted(label(event.type)) +
                  ",\"args\":{\"value\":" + signed_number(event.value) + '}');
}

void PerfettoWriter::communication(const Communication& message) {
  last_ = std::max({last_, message.physical_send, message.physical_receive});
  // The end of a slice does not belong to it.
  const Nanoseconds arrival =
      std::max(message.logical_receive, message.physical_receive > 0 ? message.physical_receive - 1 : 0);
  const std::string what = ",\"cat\":\"message\",\"name\":\"message\",\"id\":" + std::to_string(++flows_);
  const std::string parameters = ",\"args\":{\"bytes\":" + std::to_string(message.bytes) +
                                 ",\"tag\":" + signed_number(message.tag) + '}';
  write_phase('s', message.sender, message.logical_send, what + parameters);
  write_phase('f', message.receiver, arrival, ",\"bp\":\"e\"" + what);
}

void PerfettoWriter::end(const Names& /*names*/) {
  nesting_.end(last_);
  out_ << "\n]}\n";
}

}  // namespace groma::trace
