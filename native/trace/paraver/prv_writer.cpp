#include "trace/paraver/prv_writer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "trace/model/states.hpp"

namespace groma::trace {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20U;
constexpr std::size_t kLongestRecord = 512;

std::string number(std::uint64_t value) {
  return std::to_string(value);
}

/// Runs of threads that are alike: "threads:node" of each task, separated by commas.
std::string tasks_of(const Layout& layout, std::uint32_t application, std::uint32_t& tasks) {
  std::string text;
  tasks = 0;
  for (std::size_t i = 0; i < layout.objects.size();) {
    const Object& first = layout.objects[i];
    std::size_t threads = 0;
    while (i < layout.objects.size() && layout.objects[i].application == first.application &&
           layout.objects[i].task == first.task) {
      ++threads;
      ++i;
    }
    if (first.application != application) continue;
    text += (tasks++ == 0 ? "" : ",") + number(threads) + ':' +
            number(layout.names_nodes ? std::uint64_t{first.node} + 1 : 0);
  }
  return text;
}

/// "2(4,4)".
std::string nodes_of(const Layout& layout) {
  if (!layout.lists_cpus) return "0";
  std::string text = number(layout.nodes.size()) + '(';
  for (std::size_t i = 0; i < layout.nodes.size(); ++i) {
    text += (i == 0 ? "" : ",") + number(layout.nodes[i].cpus);
  }
  return text + ')';
}

std::string signed_number(std::uint64_t value) {
  return std::to_string(static_cast<std::int64_t>(value));
}

std::string pcf_text(const Names& names) {
  std::string text =
      "DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\nLOOK_BACK           100\n"
      "SPEED               1\nFLAG_ICONS          ENABLED\nNUM_OF_STATE_COLORS 1000\nYMAX_SCALE          "
      "37\n\n\n"
      "DEFAULT_SEMANTIC\n\nTHREAD_FUNC          State As Is\n\n\nSTATES\n";
  const auto& states = names.states.empty() ? names_of_states() : names.states;
  for (const auto& [state, label] : states) text += number(state) + "    " + label + '\n';
  text += "\n\nSTATES_COLOR\n";
  auto colours = names.colours;
  for (const auto& [state, label] : states) colours.try_emplace(state, colour_of_state(state));
  for (const auto& [state, colour] : colours) text += number(state) + "    " + colour + '\n';
  for (const auto& [type, what] : names.events) {
    text += "\n\nEVENT_TYPE\n" + number(what.gradient) + "    " + number(type) + "    " + what.label + '\n';
    if (!what.values.empty()) text += "VALUES\n";
    for (const auto& [value, label] : what.values) text += signed_number(value) + "      " + label + '\n';
  }
  return text + "\n\n";
}

std::string row_text(const Names& names) {
  std::string text;
  const auto level = [&text](const std::string& name, const std::vector<std::string>& rows) {
    if (rows.empty()) return;
    text += "LEVEL " + name + " SIZE " + number(rows.size()) + '\n';
    for (const std::string& row : rows) text += row + '\n';
    text += '\n';
  };
  level("CPU", names.cpus);
  level("NODE", names.nodes);
  level("THREAD", names.threads);
  for (const Level& one : names.other_levels) level(one.name, one.rows);
  return text;
}

}  // namespace

Result<PrvWriter> PrvWriter::create(const std::string& path) {
  auto prv = TempFile::create(path + ".prv");
  if (!prv) return prv.error();
  return PrvWriter(path, std::move(prv).value());
}

PrvWriter::PrvWriter(std::string path, TempFile prv) : path_(std::move(path)), prv_(std::move(prv)) {
  buffer_.resize(kBufferBytes);
}

void PrvWriter::flush() {
  prv_.write(buffer_.data(), used_);
  used_ = 0;
}

void PrvWriter::room(std::size_t bytes) {
  if (used_ + bytes > buffer_.size()) flush();
}

char* PrvWriter::begin_record() {
  room(kLongestRecord);
  return buffer_.data() + used_;
}

/// Apart from put_number(), which is short enough then to become part of what calls it.
[[gnu::noinline]] void PrvWriter::NumberText::set(std::uint64_t number) {
  value = number;
  length = static_cast<std::uint64_t>(std::to_chars(text.data(), text.data() + text.size(), number).ptr -
                                      text.data());
}

/// A time stands in about three lines in a row, and types and values are few: most texts are known already.
[[gnu::always_inline]] inline char* PrvWriter::put_number(char* at, std::uint64_t value) {
  if (value < 10) {
    *at = static_cast<char>('0' + value);
    return at + 1;
  }
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15ULL;
  NumberText& known = numbers_[(value * golden) >> (64U - kNumberBits)];
  if (known.value != value) known.set(value);
  std::memcpy(at, known.text.data(), known.text.size());
  return at + known.length;
}

void PrvWriter::put_text(const std::string& text) {
  std::memcpy(buffer_.data() + used_, text.data(), text.size());
  used_ += text.size();
}

char* PrvWriter::put_value(char* at, std::uint64_t value, bool is_negative) {
  if (!is_negative) return put_number(at, value);
  *at++ = '-';
  return put_number(at, 0 - value);
}

char* PrvWriter::put_object(char* at, ObjectIndex object, std::uint32_t cpu) {
  const PlaceText& place = places_[object];
  if (cpu == kUsualCpu) {
    std::memcpy(at, place.text.data(), place.text.size());
    return at + place.length;
  }
  *at++ = ':';
  at = put_number(at, cpu);
  std::memcpy(at, place.text.data() + place.cpu_length, place.length - place.cpu_length);
  return at + (place.length - place.cpu_length);
}

char* PrvWriter::end_line(char* at) {
  if (in_event_) *at++ = '\n';
  in_event_ = false;
  return at;
}

void PrvWriter::begin(const Layout& layout) {
  for (ObjectIndex i = 0; i < layout.objects.size(); ++i) {
    const Object& one = layout.objects[i];
    const std::string cpu = ':' + number(layout.usual_cpu(i));
    const std::string text = cpu + ':' + number(one.application + 1) + ':' + number(one.task + 1) + ':' +
                             number(one.thread + 1) + ':';
    PlaceText place{.length = text.size(), .cpu_length = cpu.size()};
    std::copy(text.begin(), text.end(), place.text.begin());
    places_.push_back(place);
  }
  put_header(layout);
}

void PrvWriter::put_header(const Layout& layout) {
  std::string head = "#Paraver (" + layout.created + "):" + number(layout.duration) + "_ns:";
  head += nodes_of(layout);
  std::uint32_t applications = 0;
  for (const Object& one : layout.objects) applications = std::max(applications, one.application + 1);
  head += ':' + number(applications);
  for (std::uint32_t application = 0; application < applications; ++application) {
    std::uint32_t tasks = 0;
    const std::string text = tasks_of(layout, application, tasks);
    head += ':' + number(tasks) + '(' + text + ')';
    // The last number of the header: lines of communicators that follow.
    const std::size_t lines = layout.communicators.size() + layout.intercommunicators.size();
    if (application + 1 == applications && (layout.counts_communicators || lines > 0)) {
      head += ',' + number(lines);
    }
  }
  head += '\n';
  const auto write = [this](const std::string& text) {
    for (std::size_t at = 0; at < text.size(); at += kBufferBytes / 2) {
      room(kBufferBytes / 2);
      put_text(text.substr(at, kBufferBytes / 2));
    }
  };
  write(head);
  for (const Communicator& one : layout.communicators) {
    std::string line =
        "c:" + number(one.application + 1) + ':' + number(one.id) + ':' + number(one.tasks.size());
    for (const std::uint32_t task : one.tasks) line += ':' + number(task + 1);
    write(line + '\n');
  }
  for (const Intercommunicator& one : layout.intercommunicators) {
    std::string line = "i:" + number(one.application + 1);
    for (const std::uint64_t part : {one.id, one.first, std::uint64_t{one.first_leader} + 1, one.second,
                                     std::uint64_t{one.second_leader} + 1}) {
      line += ':' + number(part);
    }
    write(line + '\n');
  }
  for (const std::string& comment : layout.comments) write('#' + comment + '\n');
}

void PrvWriter::state(const State& state) {
  char* at = end_line(begin_record());
  *at++ = '1';
  at = put_object(at, state.object, state.cpu);
  at = put_number(at, state.begin);
  *at++ = ':';
  at = put_number(at, state.end);
  *at++ = ':';
  at = put_number(at, state.state);
  *at++ = '\n';
  end_record(at);
}

void PrvWriter::event(const Event& event) {
  char* at = begin_record();
  if (!in_event_ || event.object != object_ || event.time != time_ || event.cpu != cpu_) {
    at = end_line(at);
    *at++ = '2';
    at = put_object(at, event.object, event.cpu);
    at = put_number(at, event.time);
    in_event_ = true;
    object_ = event.object;
    time_ = event.time;
    cpu_ = event.cpu;
  }
  *at++ = ':';
  at = put_number(at, event.type);
  *at++ = ':';
  end_record(put_value(at, event.value, event.is_negative));
}

void PrvWriter::communication(const Communication& message) {
  char* at = end_line(begin_record());
  *at++ = '3';
  at = put_object(at, message.sender, message.sender_cpu);
  at = put_number(at, message.logical_send);
  *at++ = ':';
  at = put_number(at, message.physical_send);
  at = put_object(at, message.receiver, message.receiver_cpu);
  at = put_number(at, message.logical_receive);
  *at++ = ':';
  at = put_number(at, message.physical_receive);
  *at++ = ':';
  at = put_number(at, message.bytes);
  *at++ = ':';
  at = put_value(at, message.tag, message.has_negative_tag);
  *at++ = '\n';
  end_record(at);
}

void PrvWriter::end(const Names& names) {
  end_record(end_line(begin_record()));
  flush();
  status_ = prv_.status();
  if (status_) write_names(names);
}

/// All three files are complete before the first of them gets its name.
void PrvWriter::write_names(const Names& names) {
  auto pcf = TempFile::create(path_ + ".pcf");
  auto row = TempFile::create(path_ + ".row");
  for (const auto* made : {&pcf, &row}) {
    if (!*made) {
      status_ = made->error();
      return;
    }
  }
  const std::string events = pcf_text(names);
  pcf.value().write(events.data(), events.size());
  const std::string objects = row_text(names);
  row.value().write(objects.data(), objects.size());
  for (TempFile* file : {&row.value(), &pcf.value(), &prv_}) {
    if (status_) status_ = file->status();
  }
  for (TempFile* file : {&row.value(), &pcf.value(), &prv_}) {
    if (status_) {
      file->keep();
      status_ = file->status();
    }
  }
}

}  // namespace groma::trace
