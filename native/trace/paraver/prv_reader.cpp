#include "trace/paraver/prv_reader.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "base/utf8.hpp"
#include "trace/paraver/names_reader.hpp"
#include "trace/paraver/prv_header.hpp"
#include "trace/paraver/text_source.hpp"

namespace groma::trace {
namespace {

constexpr std::size_t kBlock = std::size_t{4} << 20U;
/// A header of 4 million threads is shorter.
constexpr std::size_t kLongestLine = std::size_t{256} << 20U;
constexpr std::size_t kMaxNames = std::size_t{64} << 20U;
/// Of all comments before the first record.
constexpr std::size_t kMaxComments = std::size_t{16} << 20U;
constexpr std::uint64_t kPlacesOfParaver = 65535;

/// Numbers of a line, which ends with a line feed: a scan stops there at the latest.
class Fields {
 public:
  explicit Fields(const char* at) : at_(at) {}

  /// False where no number stands here. One that is too large is noted.
  bool number(std::uint64_t& value) {
    const bool negative = *at_ == '-';
    const char* digit = at_ + (negative ? 1 : 0);
    const char* const first = digit;
    std::uint64_t sum = 0;
    for (unsigned next = 0; (next = static_cast<unsigned char>(*digit) - unsigned{'0'}) < 10U; ++digit) {
      sum = sum * 10U + next;
    }
    if (digit == first) return false;
    if (digit - first > 19) is_too_large_ = is_too_large_ || overflows(first, digit);
    at_ = digit;
    value = negative ? 0U - sum : sum;
    return true;
  }
  bool colon() {
    if (*at_ != ':') skip_fraction();
    if (*at_ != ':') return false;
    ++at_;
    return true;
  }
  /// The number after a colon.
  bool next(std::uint64_t& value) { return colon() && number(value); }
  /// The same for each of them.
  bool all(std::uint64_t* values, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      if (!next(values[i])) return false;
    }
    return true;
  }
  /// Whether the next number after a colon has a minus.
  [[nodiscard]] bool sees_minus() const { return at_[0] == ':' && at_[1] == '-'; }
  [[nodiscard]] bool is_too_large() const { return is_too_large_; }
  [[nodiscard]] bool has_fraction() const { return has_fraction_; }
  [[nodiscard]] const char* at() const { return at_; }
  /// Behind the number that was read, also where it has a fraction.
  const char* end() {
    skip_fraction();
    return at_;
  }

 private:
  /// Loggers of power write numbers so; Paraver knows none.
  void skip_fraction() {
    if (*at_ != '.') return;
    has_fraction_ = true;
    for (++at_; static_cast<unsigned char>(*at_) - unsigned{'0'} < 10U;) ++at_;
  }
  static bool overflows(const char* first, const char* end) {
    while (first != end && *first == '0') ++first;
    const auto digits = static_cast<std::size_t>(end - first);
    return digits > 20 || (digits == 20 && std::memcmp(first, "18446744073709551615", 20) > 0);
  }
  const char* at_;
  bool is_too_large_ = false;
  bool has_fraction_ = false;
};

/// From the numbers of a record to an object, in two steps.
class Objects {
 public:
  explicit Objects(const Layout& layout) {
    for (std::size_t i = 0; i < layout.objects.size(); ++i) {
      const Object& one = layout.objects[i];
      while (tasks_.size() <= one.application) tasks_.push_back(static_cast<std::uint32_t>(first_.size()));
      if (one.thread == 0) place(one.task, static_cast<ObjectIndex>(i));
    }
    tasks_.push_back(static_cast<std::uint32_t>(first_.size()));
    first_.push_back(static_cast<ObjectIndex>(layout.objects.size()));
  }

  /// Numbers as a .prv has them, from 1.
  [[nodiscard]] std::optional<ObjectIndex> find(std::uint64_t application, std::uint64_t task,
                                                std::uint64_t thread) const {
    if (application - 1 >= tasks_.size() - 1) return std::nullopt;
    const std::uint32_t begin = tasks_[application - 1];
    if (task - 1 >= tasks_[application] - begin) return std::nullopt;
    const std::size_t at = begin + (task - 1);
    if (thread - 1 >= first_[at + 1] - first_[at]) return std::nullopt;
    return first_[at] + static_cast<ObjectIndex>(thread - 1);
  }

 private:
  /// Tasks without threads have a place too.
  void place(std::uint32_t task, ObjectIndex object) {
    while (first_.size() <= tasks_.back() + task) first_.push_back(object);
  }
  std::vector<std::uint32_t> tasks_;  ///< the first of each application, into first_
  std::vector<ObjectIndex> first_;    ///< the first object of each task
};

/// What is done with the lines of a trace, one after the other.
class LineReader {
 public:
  LineReader(ReadReport& report, Sink& sink) : report_(&report), sink_(&sink) {}

  /// The line before it says "new format" in some traces.
  [[nodiscard]] bool wants_header() const { return !objects_; }
  Status take_header(std::string_view line) {
    number_ = report_->lines;
    if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    if (line == "new format" && number_ == 1) return Done{};
    auto header = parse_prv_header(line);
    if (!header) return header.error();
    layout_ = std::move(header.value().layout);
    note_utf8(layout_.created);
    unit_ = header.value().unit;
    report_->header_duration = layout_.duration;
    if (!header.value().has_unit) report_->note(TraceDefect::kNoUnit, number_);
    if (!header.value().is_consistent) report_->note(TraceDefect::kMalformed, number_);
    objects_.emplace(layout_);
    for (ObjectIndex i = 0; i < layout_.objects.size(); ++i) usual_cpus_.push_back(layout_.usual_cpu(i));
    for (const Object& one : layout_.objects) {
      if (one.task >= kPlacesOfParaver || one.thread >= kPlacesOfParaver)
        report_->note(TraceDefect::kWideObjects, number_);
    }
    return Done{};
  }

  /// A line feed follows the line.
  void take(std::string_view line) {
    number_ = report_->lines;
    if (line.empty()) return;
    const char kind = line.size() > 1 && line[1] == ':' ? line[0] : '\0';
    switch (kind) {
      case '1':
        if (!repeats(line)) take_state(line);
        break;
      case '2':
        if (!repeats(line)) take_events(line);
        break;
      case '3':
        take_communication(line);
        break;
      default:
        take_other(line, kind);
    }
  }

  /// The layout goes to the sink when the first record comes, after the lines of communicators.
  void begin() {
    if (begun_) return;
    begun_ = true;
    sink_->begin(layout_);
  }
  /// After the last line. States without an end last to that of the trace.
  void end() {
    const Nanoseconds last = std::max(report_->last_time, report_->known_duration());
    for (State& one : open_) {
      if (one.object != kNone) hand_on_open(one, last);
    }
    begin();
  }

 private:
  bool repeats(std::string_view line) {
    const bool same = line == previous_;
    if (same) report_->note(TraceDefect::kRepeated, number_);
    previous_ = line;
    return same;
  }

 public:
  /// To be called before the text of earlier lines is gone: the next line may repeat the last one.
  void keep_previous() {
    std::string kept(previous_);
    kept_.swap(kept);
    previous_ = kept_;
  }

 private:
  static constexpr ObjectIndex kNone = 0xffffffff;

  void note_utf8(std::string& text) {
    if (make_utf8(text)) report_->note(TraceDefect::kNotUtf8, number_);
  }

  void take_comment(std::string_view text) {
    comment_bytes_ += text.size() + sizeof(std::string);
    if (begun_ || comment_bytes_ > kMaxComments) return report_->note(TraceDefect::kLateComment, number_);
    note_utf8(layout_.comments.emplace_back(text));
  }

  void take_other(std::string_view line, char kind) {
    if (line[0] == '#') return take_comment(line.substr(1));
    if (kind == '4') {
      report_->note(TraceDefect::kOldRecord, number_);
    } else if (kind == 'c' || kind == 'i' || kind == 'C' || kind == 'I') {
      if (begun_ || !add_communicator(line, layout_)) report_->note(TraceDefect::kUnknownMember, number_);
    } else {
      report_->note(TraceDefect::kMalformed, number_);
    }
  }

  struct Place {
    ObjectIndex object;  ///< kNone where there is none
    std::uint32_t cpu;
  };
  /// CPU, application, task and thread.
  Place place(const std::uint64_t* numbers) {
    const auto found = objects_->find(numbers[1], numbers[2], numbers[3]);
    if (found && numbers[0] == usual_cpus_[*found]) return {*found, kUsualCpu};
    if (found && numbers[0] < kUsualCpu) return {*found, static_cast<std::uint32_t>(numbers[0])};
    report_->note(found ? TraceDefect::kOutOfRange : TraceDefect::kUnknownObject, number_);
    return {kNone, kUsualCpu};
  }
  bool in_range(const Fields& fields, const std::uint64_t* times, std::size_t count) {
    bool fits = !fields.is_too_large();
    for (std::size_t i = 0; i < count; ++i) fits = fits && times[i] <= kLatest / unit_;
    if (!fits) report_->note(TraceDefect::kOutOfRange, number_);
    return fits;
  }
  bool is_number32(std::uint64_t value) {
    const bool fits = value <= std::numeric_limits<std::uint32_t>::max();
    if (!fits) report_->note(TraceDefect::kOutOfRange, number_);
    return fits;
  }
  void ordered(Nanoseconds time, Nanoseconds last) {
    if (time < time_) report_->note(TraceDefect::kUnsorted, number_);
    time_ = time;
    report_->last_time = std::max(report_->last_time, last);
    begin();
  }
  bool ends(Fields& fields, std::string_view line) {
    const bool ended = fields.end() == line.data() + line.size();
    if (fields.has_fraction()) report_->note(TraceDefect::kFraction, number_);
    if (!ended) report_->note(TraceDefect::kMalformed, number_);
    return ended;
  }

  void take_state(std::string_view line) {
    Fields fields(line.data() + 1);
    std::array<std::uint64_t, 7> value{};
    if (!fields.all(value.data(), 5)) return report_->note(TraceDefect::kMalformed, number_);
    const bool has_minus = fields.sees_minus();
    if (!fields.all(&value[5], 2)) return report_->note(TraceDefect::kMalformed, number_);
    const bool is_open = has_minus && value[5] == ~std::uint64_t{0};
    if (is_open) value[5] = value[4];
    if (!ends(fields, line) || !in_range(fields, &value[4], 2) || !is_number32(value[6])) return;
    const Place where = place(value.data());
    if (where.object == kNone) return;
    if (value[5] < value[4]) return report_->note(TraceDefect::kBackward, number_);
    const State made{where.object, value[4] * unit_, value[5] * unit_, static_cast<std::uint32_t>(value[6]),
                     where.cpu};
    end_open(made);
    if (is_open) return keep_open(made);
    ordered(made.begin, made.end);
    ++report_->states;
    sink_->state(made);
  }

  /// A state without an end lasts to the next of its thread.
  void keep_open(const State& state) {
    report_->note(TraceDefect::kOpenState, number_);
    report_->last_time = std::max(report_->last_time, state.begin);
    if (open_.empty()) open_.resize(layout_.objects.size(), State{kNone});
    open_[state.object] = state;
  }
  void end_open(const State& next) {
    if (!open_.empty() && open_[next.object].object != kNone) hand_on_open(open_[next.object], next.begin);
  }
  /// Later records may have gone before it.
  void hand_on_open(State& state, Nanoseconds end) {
    state.end = std::max(state.begin, end);
    if (state.begin < time_) report_->note(TraceDefect::kUnsorted, number_);
    report_->last_time = std::max(report_->last_time, state.end);
    begin();
    ++report_->states;
    sink_->state(state);
    state.object = kNone;
  }

  void take_events(std::string_view line) {
    Fields fields(line.data() + 1);
    std::array<std::uint64_t, 5> value{};
    if (!fields.all(value.data(), value.size())) return report_->note(TraceDefect::kMalformed, number_);
    if (!in_range(fields, &value[4], 1)) return;
    const Place where = place(value.data());
    if (where.object == kNone) return;
    Event event{where.object, value[4] * unit_, 0, 0, where.cpu};
    ordered(event.time, event.time);
    ++report_->event_lines;
    bool has_fraction = false;
    while (fields.end() != line.data() + line.size()) {
      std::uint64_t type = 0;
      has_fraction = has_fraction || fields.has_fraction();
      Fields pair(fields.at());
      if (!pair.next(type)) return report_->note(TraceDefect::kMalformed, number_);
      event.is_negative = pair.sees_minus();
      if (!pair.next(event.value)) return report_->note(TraceDefect::kMalformed, number_);
      fields = pair;
      if (pair.is_too_large() || !is_number32(type)) {
        if (pair.is_too_large()) report_->note(TraceDefect::kOutOfRange, number_);
        continue;
      }
      event.type = static_cast<std::uint32_t>(type);
      ++report_->events;
      sink_->event(event);
    }
    if (has_fraction || fields.has_fraction()) report_->note(TraceDefect::kFraction, number_);
  }

  void take_communication(std::string_view line) {
    Fields fields(line.data() + 1);
    std::array<std::uint64_t, 14> value{};
    if (!fields.all(value.data(), 13)) return report_->note(TraceDefect::kMalformed, number_);
    const bool has_negative_tag = fields.sees_minus();
    if (!fields.next(value[13])) return report_->note(TraceDefect::kMalformed, number_);
    if (!ends(fields, line) || !in_range(fields, &value[4], 2) || !in_range(fields, &value[10], 2)) return;
    const Place sender = place(value.data());
    if (sender.object == kNone) return;
    const Place receiver = place(&value[6]);
    if (receiver.object == kNone) return;
    if (value[12] > kLatest) return report_->note(TraceDefect::kOutOfRange, number_);
    const Communication made{sender.object,     value[4] * unit_,  value[5] * unit_, receiver.object,
                             value[10] * unit_, value[11] * unit_, value[12],        value[13],
                             sender.cpu,        receiver.cpu,      has_negative_tag};
    ordered(made.physical_send, std::max(made.physical_send, made.physical_receive));
    ++report_->communications;
    sink_->communication(made);
  }

  ReadReport* report_;
  Sink* sink_;
  Layout layout_;
  std::optional<Objects> objects_;
  std::vector<std::uint32_t> usual_cpus_;  ///< of each object
  std::uint64_t unit_ = 1;
  std::uint64_t number_ = 0;
  Nanoseconds time_ = 0;
  std::string_view previous_;  ///< the last state or line of events
  std::string kept_;           ///< its text, where it was in the block before
  std::vector<State> open_;    ///< of each thread, where a state has no end
  std::size_t comment_bytes_ = 0;
  bool begun_ = false;
};

/// Where the bytes come from: `read(into, room)` gives their number, 0 at the end.
template <class Source>
class BlockReader {
 public:
  /// Reads as many bytes at once as fit `room`, more where a line is longer.
  BlockReader(Source& source, LineReader& lines, ReadReport& report, std::size_t room)
      : source_(&source), lines_(&lines), report_(&report), text_(room) {}

  Status run() {
    for (;;) {
      if (text_.size() - 1 <= used_) text_.resize(std::min(text_.size() * 2, 2 * kLongestLine));
      const std::size_t got = source_->read(text_.data() + used_, text_.size() - 1 - used_);
      if (got == 0) break;
      report_->bytes += got;
      used_ += got;
      if (const Status read = read_lines(used_ - got); !read) return read;
      if (used_ > kLongestLine) {
        return Error{"damaged", "line " + std::to_string(report_->lines + 1) + " does not end",
                     "check that the file is a trace of Paraver"};
      }
    }
    if (used_ > 0) {
      if (report_->lines > 0) report_->note(TraceDefect::kCutLine, report_->lines + 1);
      text_[used_++] = '\n';
      return read_lines(used_ - 1);
    }
    return Done{};
  }

 private:
  /// All lines that are complete; the rest moves to the front. No line ends before `searched`.
  Status read_lines(std::size_t searched) {
    const char* const end = text_.data() + used_;
    char* begin = text_.data();
    auto* stop = static_cast<char*>(std::memchr(text_.data() + searched, '\n', used_ - searched));
    for (; stop != nullptr;
         stop = static_cast<char*>(std::memchr(begin, '\n', static_cast<std::size_t>(end - begin)))) {
      if (const Status read = read_line(begin, stop); !read) return read;
      begin = stop + 1;
    }
    lines_->keep_previous();
    used_ = static_cast<std::size_t>(end - begin);
    std::memmove(text_.data(), begin, used_);
    return Done{};
  }

  Status read_line(char* begin, char* stop) {
    ++report_->lines;
    if (stop > begin && stop[-1] == '\r') *--stop = '\n';
    const std::string_view line(begin, static_cast<std::size_t>(stop - begin));
    if (lines_->wants_header()) return lines_->take_header(line);
    lines_->take(line);
    return Done{};
  }

  Source* source_;
  LineReader* lines_;
  ReadReport* report_;
  std::vector<char> text_;
  std::size_t used_ = 0;
};

struct TextInMemory {
  std::string_view text;
  std::size_t read(char* into, std::size_t room) {
    const std::size_t size = std::min(room, text.size());
    std::memcpy(into, text.data(), size);
    text.remove_prefix(size);
    return size;
  }
};

/// From the source to the sink, but for the names and the end.
template <class Source>
Status read_body(Source& source, ReadReport& report, LineReader& lines, std::size_t room) {
  if (Status read = BlockReader(source, lines, report, room).run(); !read) return read;
  if (lines.wants_header()) {
    return Error{"damaged", "the file is empty",
                 "name a .prv file; the program that wrote it may have failed"};
  }
  lines.end();
  if (!report.has_records()) report.note(TraceDefect::kNoRecords, 0);
  if (report.duration() != report.header_duration) report.note(TraceDefect::kWrongDuration, 1);
  return Done{};
}

/// NAME of NAME.prv or NAME.prv.gz.
std::string stem_of(std::string_view path) {
  for (const std::string_view ending : {".gz", ".prv"}) {
    if (path.ends_with(ending)) path.remove_suffix(ending.size());
  }
  return std::string(path);
}

std::optional<std::string> small_file(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::exists(path, none)) return std::nullopt;
  auto source = TextSource::open(path);
  if (!source) return std::nullopt;
  std::vector<char> text(kBlock);
  std::size_t used = 0;
  for (std::size_t got = 0; (got = source.value().read(text.data() + used, text.size() - used)) > 0;) {
    used += got;
    if (used >= kMaxNames) break;
    if (used == text.size()) text.resize(std::min(text.size() * 2, kMaxNames));
  }
  return std::string(text.data(), used);
}

/// The number of lines that were not.
std::uint64_t make_lines_utf8(std::string& text) {
  if (valid_utf8_prefix(text) == text.size()) return 0;
  std::uint64_t changed = 0;
  std::string made;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    std::string line = text.substr(at, end - at);
    if (make_utf8(line)) ++changed;
    made += line;
    at = end;
  }
  text = std::move(made);
  return changed;
}

Names names_beside(const std::string& path, ReadReport& report) {
  Names names;
  const std::string stem = stem_of(path);
  std::uint64_t unread = 0;
  auto labels = small_file(stem + ".pcf");
  auto rows = small_file(stem + ".row");
  for (auto* text : {&labels, &rows}) {
    const std::uint64_t changed = *text ? make_lines_utf8(**text) : 0;
    for (std::uint64_t i = 0; i < changed; ++i) report.note(TraceDefect::kNotUtf8, 0);
  }
  if (labels) unread += read_pcf(*labels, names);
  if (rows) unread += read_row(*rows, names);
  if (!labels || !rows) report.note(TraceDefect::kNoNames, 0);
  for (; unread > 0; --unread) report.note(TraceDefect::kMalformedNames, 0);
  return names;
}

struct DefectText {
  const char* code;
  const char* text;
};

constexpr std::array<DefectText, static_cast<std::size_t>(TraceDefect::kCount)> kDefectTexts{{
    {"no_unit", "the header names no unit of time that is known: times are taken as microseconds"},
    {"wrong_duration", "the duration of the header is not the time of the last record: the latter is used"},
    {"unsorted", "lines out of order: calls and messages around them may be wrong"},
    {"repeated", "lines of states or events that repeat the line before: left out"},
    {"old_record", "records of kind 4, which Paraver no longer reads: left out"},
    {"unknown_object", "records of threads that the header does not name: left out"},
    {"malformed", "lines that are no records, or say other than they hold: left out"},
    {"out_of_range", "lines with numbers that are too large, or negative where none may be: left out"},
    {"fraction", "lines with numbers that have a fraction: taken without it"},
    {"backward", "states that end before they begin: left out"},
    {"open_state", "states without an end: they last to the next of their thread, or to the end"},
    {"unknown_member", "lines of communicators that are wrong or come after the first record: left out"},
    {"late_comment", "comments after the first record: left out where the trace is written anew"},
    {"wide_objects", "tasks or threads above 65,535, which Paraver reads only when built for them"},
    {"cut_line", "the last line has no end: the file may be cut"},
    {"damaged_file", "the file cannot be read to its end: what comes after is missing"},
    {"no_records", "the file holds no records"},
    {"no_names", "no .pcf or no .row beside the trace: usual names are used"},
    {"malformed_names", "lines of the .pcf or the .row that say nothing: left out"},
    {"not_utf8", "texts that are not UTF-8: taken as ISO 8859-1"},
}};

}  // namespace

std::vector<Warning> ReadReport::warnings() const {
  std::vector<Warning> made;
  for (std::size_t i = 0; i < defects.size(); ++i) {
    if (defects[i].count > 0) made.push_back({kDefectTexts[i].code, kDefectTexts[i].text, defects[i]});
  }
  return made;
}

Names names_of_prv(const std::string& path) {
  ReadReport ignored;
  return names_beside(path, ignored);
}

Result<ReadReport> read_prv(const std::string& path, Sink& sink) {
  auto source = TextSource::open(path);
  if (!source) return source.error();
  ReadReport report;
  LineReader lines(report, sink);
  if (const Status read = read_body(source.value(), report, lines, kBlock); !read) {
    if (report.bytes == 0 && source.value().is_pipe()) {
      return Error{"damaged", path + " is a pipe that gave nothing; some commands read a trace twice",
                   "write the trace to a file, and name that"};
    }
    return Error{read.error().code, path + ": " + read.error().what, read.error().next};
  }
  if (source.value().is_damaged()) report.note(TraceDefect::kDamagedFile, report.lines);
  sink.end(names_beside(path, report));
  return report;
}

Result<ReadReport> read_prv_text(std::string_view text, Sink& sink) {
  TextInMemory source{text};
  ReadReport report;
  LineReader lines(report, sink);
  if (const Status read = read_body(source, report, lines, std::min(kBlock, text.size() + 2)); !read)
    return read.error();
  sink.end({});
  return report;
}

}  // namespace groma::trace
