#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "trace/merge/records.hpp"
#include "trace/model/event_types.hpp"

namespace groma::trace {

using log::Field;

namespace {

// Types of events as Paraver's configurations know them.
constexpr std::uint32_t kPointToPointType = 50000001;
constexpr std::uint32_t kCollectiveType = 50000002;
constexpr std::uint32_t kOtherType = 50000003;
constexpr std::uint32_t kOneSidedType = 50000004;
constexpr std::uint32_t kIoType = 50000005;
constexpr std::uint32_t kOneSidedBytes = 50001000;
constexpr std::uint32_t kOneSidedTarget = 50001001;
constexpr std::uint32_t kIoBytes = 50000110;
// groma's own.
constexpr std::uint32_t kRegionType = 90000000;
constexpr std::uint32_t kFirstValueType = 90000001;

std::uint32_t type_of(log::Family family) {
  switch (family) {
    case log::Family::p2p:
      return kPointToPointType;
    case log::Family::collective:
      return kCollectiveType;
    case log::Family::rma:
      return kOneSidedType;
    case log::Family::io:
      return kIoType;
    case log::Family::other:
      break;
  }
  return kOtherType;
}

/// A .pcf has a line for each name.
std::string on_one_line(const std::string& name) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string made;
  for (const char letter : name) {
    const auto code = static_cast<unsigned char>(letter);
    if (code >= 0x20 && code != 0x7f) {
      made += letter;
    } else {
      made += std::string("\\x") + digits[code >> 4U] + digits[code & 0xfU];
    }
  }
  return made;
}

/// Users between two calls that are kept in memory; beyond, the state between the calls is cut.
constexpr std::size_t kMaxUsers = 4096;

}  // namespace

std::uint32_t RegionNames::number(const std::string& name, bool is_region) {
  const auto [place, is_new] = numbers_.try_emplace(name, static_cast<std::uint32_t>(uses_.size()));
  if (is_new) uses_.push_back({on_one_line(name)});
  (is_region ? uses_[place->second].is_region : uses_[place->second].is_value) = true;
  return place->second;
}

RecordStream::RecordStream(Thread& thread, const Processes& processes, SharedNames& names)
    : thread_(&thread), processes_(&processes), names_(&names) {
  begin_ = thread.time(thread.log->header().begin_ticks);
  if (begin_ == 0) {
    step_ = Step::kBegin;
  }
  find_next_call();
}

/// Reads up to the next call; what the program logged before it is kept.
void RecordStream::find_next_call() {
  has_call_ = false;
  while (users_.size() < kMaxUsers) {
    const LogItem item = thread_->log->next();
    thread_->log->take_definitions();
    if (item == LogItem::kEnd) return;
    if (item == LogItem::kCall) {
      const CallRecord& call = thread_->log->call();
      entered_ = thread_->time(call.entered);
      has_call_ = !thread_->process->off.at(entered_);
      if (!has_call_) continue;
      left_ = thread_->time(call.left);
      return;
    }
    UserRecord user = thread_->log->user();
    user.name = names_->regions.number(thread_->log->names()[user.name], user.is_region);
    users_.push_back(user);
  }
}

/// The step after a begin, a user record or the end of a call.
void RecordStream::go_on() {
  if (!users_.empty()) {
    step_ = Step::kUser;
    time_ = std::max(time_, thread_->time(users_.front().ticks));
  } else if (has_call_) {
    step_ = Step::kEntry;
    time_ = std::max(time_, entered_);
  } else if (thread_->open_call() != nullptr) {
    step_ = Step::kOpen;
    time_ = std::max(time_, thread_->time(thread_->log->header().entered));
  } else {
    step_ = Step::kEnd;
    time_ = std::max(time_, thread_->end);
  }
}

void RecordStream::run_until_next(Sink& sink, Nanoseconds from) {
  Nanoseconds until = thread_->end;
  if (has_call_) {
    until = entered_;
  } else if (users_.size() == kMaxUsers) {
    until = thread_->time(users_.back().ticks);
  } else if (thread_->open_call() != nullptr) {
    until = thread_->time(thread_->log->header().entered);
  }
  runs_until_ = until;
  write_state(sink, from, until,
              thread_->process->off.at(from) ? log::State::tracing_disabled : log::State::running);
}

void RecordStream::write_state(Sink& sink, Nanoseconds from, Nanoseconds to, log::State state) {
  if (to > from) sink.state({thread_->index, from, to, static_cast<std::uint32_t>(state)});
}

void RecordStream::write_event(Sink& sink, std::uint32_t type, std::uint64_t value) {
  sink.event({thread_->index, time_, type, value});
}

/// Differences to the reading before, as Extrae writes them.
void RecordStream::write_counters(Sink& sink, std::span<const std::uint64_t> values) {
  for (std::size_t i = 0; i < values.size() && i < thread_->counter_types.size(); ++i) {
    write_event(sink, thread_->counter_types[i], values[i]);
  }
}

void RecordStream::write(Sink& sink) {
  switch (step_) {
    case Step::kCreation:
      write_state(sink, 0, begin_, log::State::not_created);
      step_ = Step::kBegin;
      time_ = begin_;
      return;
    case Step::kBegin:
      run_until_next(sink, time_);
      write_event(sink, kApplicationType, 1);
      write_tracer(sink);
      go_on();
      return;
    case Step::kUser:
      write_user(sink);
      return;
    case Step::kEntry:
      write_entry(sink);
      return;
    case Step::kExit:
      write_exit(sink);
      return;
    case Step::kOpen:
      write_open(sink);
      return;
    case Step::kEnd:
      write_event(sink, kApplicationType, 0);
      if (const Misses* const left = thread_->log->misses_left()) write_misses(sink, *left);
      step_ = Step::kDone;
      return;
    case Step::kDone:
      return;
  }
}

void RecordStream::write_tracer(Sink& sink) {
  const log::Header& header = thread_->log->header();
  write_event(sink, kCallCostType, thread_->time.picoseconds(header.cost));
  write_event(sink, kCallCostInsideType, thread_->time.picoseconds(header.cost_inside));
  write_event(sink, kClockErrorType, thread_->time.error());
}

void RecordStream::write_user(Sink& sink) {
  const UserRecord user = std::move(users_.front());
  users_.pop_front();
  const auto name = static_cast<std::uint32_t>(user.name);
  if (!user.is_region) {
    write_event(sink, kFirstValueType + name, user.value);
  } else if (user.value != 0) {
    region_stack_.push_back(name);
    write_event(sink, kRegionType, name + 1);
  } else {
    if (!region_stack_.empty()) region_stack_.pop_back();
    // Paraver shows the last value: at the end of an inner region that of the outer one.
    write_event(sink, kRegionType, region_stack_.empty() ? 0 : region_stack_.back() + 1);
  }
  write_counters(sink, user.counters);
  if (users_.empty() && !has_call_) {
    find_next_call();
    run_until_next(sink, std::max(runs_until_, time_));
  }
  go_on();
}

void RecordStream::write_entry(Sink& sink) {
  const CallRecord& call = thread_->log->call();
  write_state(sink, time_, left_, call.call->state);
  write_event(sink, type_of(call.call->family), call.call->value);
  if (call.site != 0) {
    const SiteNames::Values site = names_->sites.of(thread_->sites[call.site - 1]);
    write_event(sink, kCallerType, site.function);
    write_event(sink, kCallerLineType, site.line);
  }
  if (!call.failed) write_arguments(sink, call);
  write_counters(sink, std::span(call.counters).first(call.counters.size() / 2));
  if (call.has_misses) write_misses(sink, call.misses);
  step_ = Step::kExit;
  time_ = std::max(time_, left_);
}

void RecordStream::write_arguments(Sink& sink, const CallRecord& call) {
  switch (call.call->family) {
    case log::Family::collective:
      write_collective(sink);
      break;
    case log::Family::rma:
      write_one_sided(sink, call);
      break;
    case log::Family::io:
      if (call.has(Field::bytes)) write_event(sink, kIoBytes, call.at(Field::bytes));
      break;
    default:
      break;
  }
}

/// A target of MPI_PROC_NULL gets nothing. Others are ranks of the group of the window.
void RecordStream::write_one_sided(Sink& sink, const CallRecord& call) {
  if (!call.has(Field::target) || call.signed_at(Field::target) < 0) return;
  if (call.has(Field::bytes)) write_event(sink, kOneSidedBytes, call.at(Field::bytes));
  write_event(sink, kOneSidedTarget, call.at(Field::target));
}

void RecordStream::write_exit(Sink& sink) {
  const std::uint32_t type = type_of(thread_->log->call().call->family);
  const Nanoseconds from = time_;
  within_ = thread_->log->call().counters;
  within_.erase(within_.begin(), within_.begin() + static_cast<std::ptrdiff_t>(within_.size() / 2));
  find_next_call();
  const bool is_last = !has_call_ && users_.empty() && thread_->open_call() == nullptr;
  if (!is_last || thread_->end > from) run_until_next(sink, from);
  write_event(sink, type, 0);
  write_counters(sink, within_);
  go_on();
}

/// The call in which the thread ended.
void RecordStream::write_open(Sink& sink) {
  const log::CallInfo& call = *thread_->open_call();
  write_state(sink, time_, thread_->end, call.state);
  write_event(sink, type_of(call.family), call.value);
  step_ = Step::kEnd;
  time_ = std::max(time_, thread_->end);
}

/// Beside the call after them, as Extrae does it, or at the end of the thread.
void RecordStream::write_misses(Sink& sink, const Misses& misses) {
  for (std::uint32_t i = 0; i < log::kMisses; ++i) {
    const MissSum& sum = misses[i];
    if (sum.count == 0) continue;
    write_event(sink, kFirstMissType + 2 * i, sum.count);
    write_event(sink, kFirstMissType + 2 * i + 1, thread_->time.length(sum.ticks));
    thread_->misses[i] = true;
  }
}

void RecordStream::write_collective(Sink& sink) {
  const CallRecord& call = thread_->log->call();
  const Process& process = *thread_->process;
  const auto communicator = processes_->communicator(process, call.at(Field::communicator));
  bool is_root = false;
  if (call.has(Field::root) && communicator) {
    const std::int64_t root = call.signed_at(Field::root);
    const Group& group = processes_->groups().at(communicator->group);
    is_root = root == log::kIntercommRoot || (!group.inter && rank_in(group.members, root) == process.rank);
  }
  std::uint64_t sent = call.has(Field::send_bytes) ? call.at(Field::send_bytes) : 0;
  std::uint64_t received = call.has(Field::receive_bytes) ? call.at(Field::receive_bytes) : 0;
  if (call.has(Field::bytes)) {
    // One count for both sides. With a root, either it sends (broadcast) or it receives (reduction); that of
    // an intercommunicator does nothing else.
    const bool broadcast = call.call->name.find("cast") != std::string_view::npos;
    const bool rooted = call.has(Field::root);
    const bool is_apart = is_root && call.signed_at(Field::root) == log::kIntercommRoot;
    sent = (rooted && broadcast ? is_root : !is_apart) ? call.at(Field::bytes) : 0;
    received = !rooted || broadcast != is_root ? call.at(Field::bytes) : 0;
  }
  write_event(sink, kSentBytesType, sent);
  write_event(sink, kReceivedBytesType, received);
  if (is_root) write_event(sink, kRootType, 1);
  if (communicator) write_event(sink, kCommunicatorType, communicator->group + 1);
}

namespace {

constexpr std::uint32_t kGeneral = 6;  // a gradient of colours

constexpr std::uint32_t kOfCollectives = 1;
constexpr std::uint32_t kOfCounters = 7;
constexpr std::uint32_t kOfMpi = 9;

void name_tracer(Names& names) {
  names.events[kCallCostType] = {kGeneral, "Cost of recording a call (ps)", {}};
  names.events[kCallCostInsideType] = {kGeneral, "Cost of recording within a call (ps)", {}};
  names.events[kClockErrorType] = {kGeneral, "Error of the clock of the host (ns)", {}};
}

void name_call(const log::CallInfo& call, Names& names) {
  static constexpr std::array<const char*, 5> titles{"MPI Point-to-point", "MPI Collective Comm", "MPI Other",
                                                     "MPI One-sided", "MPI I/O"};
  EventType& type = names.events[type_of(call.family)];
  type.gradient = kOfMpi;
  type.label = titles[type_of(call.family) - kPointToPointType];
  type.values[0] = "Outside MPI";
  type.values[call.value] = "MPI_" + std::string(call.name);
}

/// What stands beside calls of the families that the trace has.
void name_arguments(Names& names) {
  if (names.events.contains(kCollectiveType)) {
    names.events[kSentBytesType] = {kOfCollectives, "Send Size in MPI Global OP", {}};
    names.events[kReceivedBytesType] = {kOfCollectives, "Recv Size in MPI Global OP", {}};
    names.events[kRootType] = {kOfCollectives, "Root in MPI Global OP", {}};
    names.events[kCommunicatorType] = {kOfCollectives, "Communicator in MPI Global OP", {}};
  }
  if (names.events.contains(kOneSidedType)) {
    names.events[kOneSidedBytes] = {kOfMpi, "MPI One-sided size", {}};
    names.events[kOneSidedTarget] = {kOfMpi, "MPI One-sided target rank", {}};
  }
  if (names.events.contains(kIoType)) names.events[kIoBytes] = {kOfMpi, "MPI-IO size", {}};
}

void name_misses(const std::vector<Thread>& threads, Names& names) {
  static constexpr std::array<const char*, log::kMisses> calls{"MPI_Iprobe", "MPI_Request_get_status",
                                                               "MPI_Test", "MPI_Improbe"};
  for (std::uint32_t i = 0; i < log::kMisses; ++i) {
    if (std::ranges::none_of(threads, [i](const Thread& thread) { return thread.misses[i]; })) continue;
    const std::string call = calls[i];
    names.events[kFirstMissType + 2 * i] = {kGeneral, call + " misses", {}};
    names.events[kFirstMissType + 2 * i + 1] = {kGeneral, "Time in " + call + " misses", {}};
  }
}

void name_counters(const std::vector<Thread>& threads, Names& names) {
  for (const Thread& thread : threads) {
    const auto counters = thread.log->counters();
    for (std::size_t i = 0; i < counters.size(); ++i) {
      names.events[thread.counter_types[i]] = {kOfCounters, counters[i], {}};
    }
  }
}

void name_regions(const RegionNames& regions, Names& names) {
  for (std::uint32_t i = 0; i < regions.all().size(); ++i) {
    const RegionNames::Use& use = regions.all()[i];
    if (use.is_value) names.events[kFirstValueType + i] = {kGeneral, "Value " + use.name, {}};
    if (!use.is_region) continue;
    EventType& type = names.events[kRegionType];
    type.gradient = kGeneral;
    type.label = "Region";
    type.values[0] = "End";
    type.values[i + 1] = use.name;
  }
}

}  // namespace

Names names_of_events(const std::vector<Thread>& threads, const RegionNames& regions) {
  Names made;
  made.events[kApplicationType] = {kGeneral, "Application", {{0, "End"}, {1, "Begin"}}};
  name_tracer(made);
  for (const Thread& thread : threads) {
    for (std::size_t i = 0; i < thread.sums.size(); ++i) {
      if (thread.sums[i].count > 0) name_call(log::kCalls[i], made);
    }
    if (thread.open_call() != nullptr) name_call(*thread.open_call(), made);
  }
  name_arguments(made);
  name_misses(threads, made);
  name_counters(threads, made);
  name_regions(regions, made);
  return made;
}

ThreadSummary summary_of(Thread& thread) {
  const log::Header& header = thread.log->header();
  ThreadSummary made;
  made.object = thread.object;
  made.host = header.host.data();
  made.finished = header.progress == log::Progress::finished;
  made.in_call = thread.open_call() != nullptr ? std::string(thread.open_call()->name) : "";
  made.lost = header.lost;
  made.overwritten = thread.log->missing();
  made.no_counters = header.no_counters.data();
  made.unnamed = header.unnamed;
  made.no_logs = header.no_logs;
  made.unknown_comms = header.unknown_comms;
  const auto names = thread.log->counters();
  for (std::size_t i = 0; i < names.size(); ++i) {
    made.counters.push_back({names[i], static_cast<double>(header.counted_inside[i]) / 256,
                             static_cast<double>(header.counted_outside[i]) / 256});
  }
  made.damaged = thread.log->damaged();
  made.begin = thread.time(header.begin_ticks);
  made.end = thread.end;
  made.calls = std::move(thread.sums);
  return made;
}

namespace {

/// That of most logs; of several the newest. One damaged header does not decide.
std::uint64_t main_run(const std::vector<LogReader>& logs) {
  struct Logs {
    std::size_t logs = 0;
    std::uint64_t newest = 0;
  };
  std::map<std::uint64_t, Logs> runs;
  for (const LogReader& log : logs) {
    Logs& run = runs[log.header().run];
    ++run.logs;
    run.newest = std::max(run.newest, log.header().begin.realtime);
  }
  // A pair, as gcc 13.2 fails on a default <=> here.
  const auto frequency = [](const auto& run) { return std::pair(run.second.logs, run.second.newest); };
  const auto most = std::ranges::max_element(runs, {}, frequency);
  return most == runs.end() ? 0 : most->first;
}

}  // namespace

void keep_one_run(std::vector<LogReader>& logs, std::vector<Error>& refused) {
  const std::uint64_t run = main_run(logs);
  std::set<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>> seen;
  std::erase_if(logs, [&](const LogReader& log) {
    const log::Header& header = log.header();
    if (header.run != run) {
      refused.push_back({"other-run", log.path() + " belongs to another run", "trace into an empty folder"});
      return true;
    }
    if (seen.insert({header.world, header.rank, header.thread}).second) return false;
    refused.push_back(
        {"repeated", log.path() + " is of a thread that has a log already", "remove one of them"});
    return true;
  });
}

}  // namespace groma::trace
