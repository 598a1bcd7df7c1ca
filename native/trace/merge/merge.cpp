#include "trace/merge/merge.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <numeric>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/merge_heap.hpp"
#include "trace/merge/counter_types.hpp"
#include "trace/merge/gap_plans.hpp"
#include "trace/merge/layout.hpp"
#include "trace/merge/matcher.hpp"
#include "trace/merge/message_runs.hpp"
#include "trace/merge/processes.hpp"
#include "trace/merge/records.hpp"
#include "trace/model/states.hpp"

namespace groma::trace {
namespace {

constexpr std::size_t kMaxNamedPrograms = 4;

std::vector<std::filesystem::path> logs_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".log") found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string date_of(std::uint64_t nanoseconds) {
  const auto seconds = static_cast<std::time_t>(nanoseconds / 1'000'000'000U);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 40> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%d/%m/%Y at %H:%M", &parts);
  return {text.data(), length};
}

}  // namespace

class Merge::Work {
 public:
  explicit Work(std::vector<LogReader> logs, std::vector<Error> refused);
  Result<MergeSummary> run(Sink& sink, const std::filesystem::path& scratch, const SymbolSource& symbols);

 private:
  void make_threads();
  void place_threads();
  void find_missing();
  void make_objects(const std::map<std::uint32_t, std::uint32_t>& ranks);
  void write_missing(Sink& sink) const;
  Layout layout() const;
  Names names() const;
  std::string programs() const;
  bool find_gaps();
  Plans plans() const;
  UnknownSends unknown_sends() const;
  std::vector<Nanoseconds> clock_errors() const;
  void read_all(MessageRuns& messages);
  void write_all(Sink& sink, MessageRuns& messages);
  void summarize();

  std::vector<LogReader> logs_;
  HostClocks clocks_;
  std::vector<Thread> threads_;  ///< in the order of objects
  std::vector<Object> objects_;  ///< with those of missing ranks
  Groups groups_;
  Processes processes_{groups_};
  SharedNames shared_;
  MergeSummary summary_;
  std::vector<std::string> hosts_;
};

namespace {

std::vector<const log::Header*> headers_of(const std::vector<LogReader>& logs) {
  std::vector<const log::Header*> headers;
  for (const LogReader& log : logs) headers.push_back(&log.header());
  return headers;
}

}  // namespace

Merge::Work::Work(std::vector<LogReader> logs, std::vector<Error> refused)
    : logs_(std::move(logs)), clocks_(headers_of(logs_)) {
  summary_.refused = std::move(refused);
  make_threads();
  find_missing();
}

namespace {

/// Of each world, by its id, the number of its application: the one that began first is number 0.
std::map<std::uint64_t, std::uint32_t> applications_of(const std::vector<LogReader>& logs) {
  std::map<std::uint64_t, std::uint64_t> begins;
  for (const LogReader& log : logs) {
    const log::Header& header = log.header();
    std::uint64_t& begin = begins.try_emplace(header.world, header.begin.realtime).first->second;
    begin = std::min(begin, header.begin.realtime);
  }
  std::vector<std::pair<std::uint64_t, std::uint64_t>> begun;
  for (const auto& [world, begin] : begins) begun.emplace_back(begin, world);
  std::sort(begun.begin(), begun.end());
  std::map<std::uint64_t, std::uint32_t> applications;
  for (std::uint32_t i = 0; i < begun.size(); ++i) applications[begun[i].second] = i;
  return applications;
}

/// When the first thread began, on the common scale.
double origin_of(const std::vector<LogReader>& logs, const HostClocks& clocks) {
  double origin = std::numeric_limits<double>::infinity();
  for (const LogReader& log : logs) {
    origin = std::min(origin, clocks.of(log.header()).nanoseconds(log.header().begin_ticks));
  }
  return origin;
}

}  // namespace

void Merge::Work::make_threads() {
  const auto applications = applications_of(logs_);
  const double origin = origin_of(logs_, clocks_);
  for (LogReader& log : logs_) {
    const log::Header& header = log.header();
    threads_.push_back({.log = &log,
                        .time = TimeScale(clocks_.of(header), origin),
                        .object = {applications.at(header.world), header.rank, header.thread, 0, 0}});
  }
  std::sort(threads_.begin(), threads_.end(), [](const Thread& a, const Thread& b) {
    return std::tie(a.object.application, a.object.task, a.object.thread) <
           std::tie(b.object.application, b.object.task, b.object.thread);
  });
  for (Thread& thread : threads_) {
    for (const std::string& name : thread.log->counters()) {
      thread.counter_types.push_back(counter_type(name));
    }
    thread.process = processes_.of(thread.object.application, thread.object.task);
  }
  place_threads();
}

/// A cpu is a place of a thread: nothing says on which core it ran. They are numbered host by host.
void Merge::Work::place_threads() {
  for (const Thread& thread : threads_) hosts_.emplace_back(thread.log->header().host.data());
  std::sort(hosts_.begin(), hosts_.end());
  hosts_.erase(std::unique(hosts_.begin(), hosts_.end()), hosts_.end());
  std::vector<std::uint32_t> used(hosts_.size(), 0);
  for (Thread& thread : threads_) {
    const auto host = std::lower_bound(hosts_.begin(), hosts_.end(), thread.log->header().host.data());
    thread.object.node = static_cast<std::uint32_t>(host - hosts_.begin());
    thread.object.cpu = used[thread.object.node]++;
  }
  std::vector<std::uint32_t> first(hosts_.size(), 0);
  std::exclusive_scan(used.begin(), used.end(), first.begin(), 0U);
  for (Thread& thread : threads_) thread.object.cpu += first[thread.object.node];
}

void Merge::Work::make_objects(const std::map<std::uint32_t, std::uint32_t>& ranks) {
  std::vector<Object> known;
  for (const Thread& thread : threads_) known.push_back(thread.object);
  objects_ = without_gaps(known, ranks);
  std::size_t at = 0;
  for (Thread& thread : threads_) {
    while (!(objects_[at] == thread.object)) ++at;
    thread.index = static_cast<ObjectIndex>(at++);
  }
}

void Merge::Work::find_missing() {
  std::map<std::uint32_t, std::set<std::uint32_t>> seen;
  std::map<std::uint32_t, std::uint32_t> sizes;
  std::map<std::uint32_t, std::uint64_t> untraced;
  for (const Thread& thread : threads_) {
    seen[thread.object.application].insert(thread.object.task);
    sizes[thread.object.application] = thread.log->header().ranks;
    std::uint64_t& most = untraced[thread.object.application];
    most = std::max(most, thread.log->header().untraced);
  }
  for (const auto& [_, number] : untraced) summary_.untraced += number;
  make_objects(sizes);
  for (const auto& [application, size] : sizes) {
    summary_.ranks.push_back(size);
    constexpr std::uint32_t most_missing = 1024;
    for (std::uint32_t rank = 0; rank < size && summary_.missing.size() < most_missing; ++rank) {
      if (!seen[application].contains(rank)) summary_.missing.emplace_back(application, rank);
    }
  }
}

namespace {

/// All calls of all threads in the order of their ends.
void read_calls(std::vector<Thread>& threads, CallReader& reader, SharedNames& names) {
  MergeHeap<Nanoseconds, Thread> order;
  for (Thread& thread : threads) {
    thread.sums.resize(log::kCalls.size());
    if (const auto time = reader.advance(thread, names)) order.add(*time, &thread);
  }
  while (!order.empty()) {
    Thread& thread = order.front();
    reader.take(thread, order.key());
    if (const auto time = reader.advance(thread, names)) {
      order.update(*time);
    } else {
      order.pop();
    }
  }
}

}  // namespace

/// True if there are any.
bool Merge::Work::find_gaps() {
  bool found = false;
  for (const Thread& thread : threads_) {
    Process& process = *thread.process;
    const log::Header& header = thread.log->header();
    const bool is_whole =
        header.progress == log::Progress::finished && header.lost == 0 && header.no_logs == 0;
    process.is_whole = process.is_whole && is_whole;
    if (!thread.log->has_gap()) continue;
    const TickGap gap = thread.log->find_gap();
    process.gap.from = std::min(process.gap.from, gap.from);
    process.gap.to = std::max(process.gap.to, gap.to);
    found = true;
  }
  return found;
}

/// Counts messages, for which all logs are read.
Plans Merge::Work::plans() const {
  Groups groups;
  Processes processes(groups);
  SharedNames names;
  std::vector<Thread> threads = threads_;
  for (Thread& thread : threads) {
    Process& process = *processes.of(thread.object.application, thread.object.task);
    process.gap = thread.process->gap;
    process.is_whole = thread.process->is_whole;
    thread.process = &process;
  }
  MessageCounter counter;
  CallReader reader(processes, counter);
  read_calls(threads, reader, names);
  for (const Thread& thread : threads) thread.log->rewind();
  return plans_of(counter.counts(), processes);
}

namespace {

/// Of a time of this host less that of another one.
Nanoseconds error_of(const HostClock& clock) {
  const double error = std::ceil(2 * clock.error());
  const bool is_known = clock.alignment() != Alignment::kSystem && error < 0x1p62;  // a log may be damaged
  return is_known ? static_cast<Nanoseconds>(error) : ContendedClass::kUnknown;
}

Nanoseconds add_errors(Nanoseconds one, Nanoseconds other) {
  const bool are_known = one != ContendedClass::kUnknown && other != ContendedClass::kUnknown;
  return are_known ? one + other : ContendedClass::kUnknown;
}

/// How many messages a call sends at most.
std::uint64_t most_sent_by(const log::CallInfo& call) {
  constexpr std::uint64_t many = std::uint64_t{1} << 32U;
  switch (call.kind) {
    case log::Kind::send:
    case log::Kind::isend:
    case log::Kind::sendrecv:
    case log::Kind::isendrecv:
      return 1;
    case log::Kind::start:
      return many;
    default:
      return 0;
  }
}

}  // namespace

/// A message may arrive of a call that is not recorded, such as one in which its rank was killed.
UnknownSends Merge::Work::unknown_sends() const {
  UnknownSends made;
  made.of_any_rank = !summary_.missing.empty() || summary_.ranks.size() > 1;
  for (const Thread& thread : threads_) {
    const log::Header& header = thread.log->header();
    const bool has_all = header.lost == 0 && header.no_logs == 0 && header.unknown_comms == 0 &&
                         thread.log->damaged() == 0 && !thread.log->has_gap();
    made.of_any_rank = made.of_any_rank || !has_all;
    const std::uint64_t sent = thread.open_call() == nullptr ? 0 : most_sent_by(*thread.open_call());
    if (sent > 0) made.by_rank[thread.object.task] += sent;
  }
  for (const auto& [_, clock] : clocks_.hosts())
    made.clock_error = std::max(made.clock_error, error_of(clock));
  return made;
}

/// How much earlier a message may seem to arrive than its send began: each host is off by so much.
std::vector<Nanoseconds> Merge::Work::clock_errors() const {
  std::vector<Nanoseconds> errors(hosts_.size(), 0);
  for (const Thread& thread : threads_) {
    errors[thread.object.node] = error_of(clocks_.of(thread.log->header()));
  }
  return errors;
}

/// First pass.
void Merge::Work::read_all(MessageRuns& messages) {
  std::vector<const Process*> process_of(objects_.size(), nullptr);
  for (const Thread& thread : threads_) process_of[thread.index] = thread.process;
  const std::vector<Nanoseconds> errors = clock_errors();
  const auto is_early = [&](const Communication& message) {
    if (message.physical_receive >= message.logical_send) return false;
    const std::uint32_t from = objects_[message.sender].node;
    const std::uint32_t to = objects_[message.receiver].node;
    return from == to ||
           message.logical_send - message.physical_receive > add_errors(errors[from], errors[to]);
  };
  const auto is_off = [&process_of](ObjectIndex object, Nanoseconds time) {
    return process_of[object]->off.at(time);
  };
  const auto keep = [&](const Communication& message) {
    if (is_off(message.sender, message.logical_send) || is_off(message.receiver, message.logical_receive) ||
        is_off(message.receiver, message.physical_receive)) {
      return;
    }
    ++summary_.matched;
    summary_.early += is_early(message) ? 1 : 0;
    messages.add(message);
  };
  Matcher matcher(keep, find_gaps() ? plans() : Plans{});
  CallReader reader(processes_, matcher);
  read_calls(threads_, reader, shared_);
  matcher.finish(unknown_sends());
  summary_.undetermined = matcher.undetermined();
  summary_.left_out = matcher.left_out();
  const Matcher::Unmatched left = matcher.unmatched();
  summary_.unmatched_sends = left.sent;
  summary_.unmatched_receives = left.received;
  for (Thread& thread : threads_) {
    thread.end = std::max(thread.time(thread.log->last()), thread.time(thread.log->header().latest.ticks));
    if (thread.log->header().progress == log::Progress::finished)
      thread.end = thread.time(thread.log->last());
    if (thread.open_call() != nullptr) {
      thread.end = std::max(thread.end, thread.time(thread.log->header().entered));
    }
    summary_.duration = std::max(summary_.duration, thread.end);
  }
}

/// Ranks without a log were never there.
void Merge::Work::write_missing(Sink& sink) const {
  auto next = threads_.begin();
  for (ObjectIndex i = 0; i < objects_.size(); ++i) {
    if (next != threads_.end() && next->index == i) {
      ++next;
    } else if (summary_.duration > 0) {
      sink.state({i, 0, summary_.duration, static_cast<std::uint32_t>(log::State::not_created)});
    }
  }
}

/// Second pass, but for the end of the trace.
void Merge::Work::write_all(Sink& sink, MessageRuns& messages) {
  sink.begin(layout());
  write_missing(sink);
  MergeHeap<Nanoseconds, RecordStream> order;
  std::vector<RecordStream> streams;
  streams.reserve(threads_.size());
  for (Thread& thread : threads_) {
    thread.log->rewind();
    streams.emplace_back(thread, processes_, shared_);
    if (const auto time = streams.back().next_time()) order.add(*time, &streams.back());
  }
  while (!order.empty()) {
    while (messages.front() != nullptr && messages.front()->physical_send <= order.key()) {
      sink.communication(*messages.front());
      messages.pop();
    }
    RecordStream& stream = order.front();
    stream.write(sink);
    if (const auto time = stream.next_time()) {
      order.update(*time);
    } else {
      order.pop();
    }
  }
  for (; messages.front() != nullptr; messages.pop()) sink.communication(*messages.front());
}

Layout Merge::Work::layout() const {
  Layout made;
  made.created = date_of(threads_.front().log->header().begin.realtime);
  made.duration = summary_.duration;
  for (const std::string& host : hosts_) made.nodes.push_back({host, 0});
  made.objects = objects_;
  for (const Thread& thread : threads_) ++made.nodes[thread.object.node].cpus;
  add_communicators(groups_, made);
  return made;
}

Names Merge::Work::names() const {
  Names made = names_of_events(threads_, shared_.regions);
  shared_.sites.name(made);
  made.states = names_of_states();
  for (const Object& one : objects_) {
    made.threads.push_back("THREAD " + std::to_string(one.application + 1) + '.' +
                           std::to_string(one.task + 1) + '.' + std::to_string(one.thread + 1));
  }
  made.nodes = hosts_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cpus;
  for (const Thread& thread : threads_) cpus.emplace_back(thread.object.cpu, thread.object.node);
  std::sort(cpus.begin(), cpus.end());
  for (const auto& [cpu, node] : cpus) made.cpus.push_back(std::to_string(cpu + 1) + '.' + hosts_[node]);
  return made;
}

std::string Merge::Work::programs() const {
  std::vector<std::string_view> found;
  for (const Thread& thread : threads_) {
    const std::string_view one = thread.log->header().program.data();
    if (std::ranges::find(found, one) == found.end()) found.push_back(one);
  }
  std::string text(found.front());
  for (std::size_t i = 1; i < std::min(found.size(), kMaxNamedPrograms); ++i) {
    text.append(", ").append(found[i].substr(found[i].rfind('/') + 1));
  }
  const std::size_t more = found.size() - std::min(found.size(), kMaxNamedPrograms);
  return more == 0 ? text : text + " and " + std::to_string(more) + " more";
}

void Merge::Work::summarize() {
  summary_.logs = logs_.size();
  for (const LogReader& log : logs_) summary_.log_bytes += log.bytes();
  summary_.library = threads_.front().log->header().library.data();
  summary_.program = programs();
  for (const auto& [name, clock] : clocks_.hosts()) {
    summary_.hosts.push_back({name, clock.alignment(), clock.error(), clock.comparisons()});
  }
  for (const auto& [id, process] : processes_.all()) {
    if (process.application != 0) continue;
    for (const auto& [rank, sent] : process.sent) {
      summary_.matrix[{process.rank, rank}] = {sent.first, sent.second};
    }
  }
  for (Thread& thread : threads_) {
    summary_.threads.push_back(summary_of(thread));
    const log::Header& header = thread.log->header();
    const double scale = clocks_.of(header).nanoseconds_per_tick() / 256;
    summary_.threads.back().cost = static_cast<double>(header.cost) * scale;
    summary_.threads.back().cost_inside = static_cast<double>(header.cost_inside) * scale;
    for (const CallTotal& sum : summary_.threads.back().calls) summary_.calls += sum.count;
  }
}

Result<MergeSummary> Merge::Work::run(Sink& sink, const std::filesystem::path& scratch,
                                      const SymbolSource& symbols) {
  MessageRuns messages(scratch);
  read_all(messages);
  shared_.sites.resolve(symbols);
  if (const auto finished = messages.finish(); !finished) return finished.error();
  write_all(sink, messages);
  if (const auto read = messages.status(); !read) return read.error();
  sink.end(names());
  summarize();
  return std::move(summary_);
}

Result<Merge> Merge::open(const std::filesystem::path& folder) {
  std::error_code problem;
  if (!std::filesystem::is_directory(folder, problem)) {
    return Error{"no-logs", folder.string() + " is not a folder", "name the folder of a groma trace"};
  }
  std::vector<LogReader> logs;
  std::vector<Error> refused;
  for (const auto& path : logs_of(folder)) {
    auto log = LogReader::open(path);
    if (log) {
      logs.push_back(std::move(log).value());
    } else {
      refused.push_back(log.error());
    }
  }
  keep_one_run(logs, refused);
  if (logs.empty()) {
    return refused.empty()
               ? Error{"no-logs", folder.string() + " has no logs of groma's tracer",
                       "trace a program first: groma trace -o " + folder.string() + " -- mpirun …"}
               : refused.front();
  }
  return Merge(std::make_unique<Work>(std::move(logs), std::move(refused)));
}

Merge::Merge(std::unique_ptr<Work> work) : work_(std::move(work)) {}
Merge::Merge(Merge&&) noexcept = default;
Merge::~Merge() = default;

Result<MergeSummary> Merge::run(Sink& sink, const std::filesystem::path& scratch,
                                const SymbolSource& symbols) {
  return work_->run(sink, scratch, symbols);
}

}  // namespace groma::trace
