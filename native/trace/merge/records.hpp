// From the items of logs: messages in the first pass, records of the trace in the second.
#pragma once

#include <array>
#include <cmath>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/merge/host_clocks.hpp"
#include "trace/merge/merge.hpp"
#include "trace/merge/processes.hpp"
#include "trace/merge/site_names.hpp"

namespace groma::trace {

/// From ticks of a host to times of the trace.
class TimeScale {
 public:
  TimeScale(const HostClock& clock, double origin) : clock_(&clock), origin_(origin - 0.5) {}
  Nanoseconds operator()(std::uint64_t ticks) const {
    const double time = clock_->nanoseconds(ticks) - origin_;
    if (!(time > 0)) return 0;
    return time < kMost ? static_cast<Nanoseconds>(time) : static_cast<Nanoseconds>(kMost);
  }
  /// Of a number of ticks.
  [[nodiscard]] Nanoseconds length(std::uint64_t ticks) const {
    return whole(static_cast<double>(ticks) * clock_->nanoseconds_per_tick());
  }
  /// Of a cost in 1/256 ticks.
  [[nodiscard]] std::uint64_t picoseconds(std::uint64_t cost) const {
    return whole(static_cast<double>(cost) * clock_->nanoseconds_per_tick() * (1000.0 / 256));
  }
  /// Bounds what is left of the difference between the clocks of hosts.
  [[nodiscard]] Nanoseconds error() const { return whole(clock_->error()); }

 private:
  static std::uint64_t whole(double value) {
    return value < kMost ? static_cast<std::uint64_t>(std::llround(value))
                         : static_cast<std::uint64_t>(kMost);
  }
  static constexpr double kMost = 0x1p62;  ///< 146 years: a damaged log may say anything

  const HostClock* clock_;
  double origin_;  ///< half a nanosecond early: the conversion to whole numbers cuts
};

/// A thread with its log.
struct Thread {
  LogReader* log;
  TimeScale time;
  Object object;
  ObjectIndex index = 0;
  Process* process = nullptr;
  std::vector<NumberedDefinition> made = {};  ///< communicators that the next call makes
  std::vector<CallTotal> sums = {};
  std::vector<std::uint32_t> counter_types = {};  ///< of the events that its counters are
  Nanoseconds end = 0;
  std::array<bool, log::kMisses> misses = {};  ///< kinds of which the trace has some
  std::vector<std::uint32_t> sites = {};       ///< by their numbers in the log, less 1

  /// The call in which it ended without a return.
  [[nodiscard]] const log::CallInfo* open_call() const {
    const log::Header& header = log->header();
    const bool known = header.in_call >= 1 && header.in_call <= log::kCalls.size();
    return known && header.progress == log::Progress::running ? &log::kCalls[header.in_call - 1] : nullptr;
  }
};

/// Names of regions and values of all threads; equal names are one.
class RegionNames {
 public:
  struct Use {
    std::string name;
    bool is_region = false;
    bool is_value = false;
  };
  std::uint32_t number(const std::string& name, bool is_region);
  [[nodiscard]] const std::vector<Use>& all() const { return uses_; }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<Use> uses_;
};

/// What threads of the run name in common.
struct SharedNames {
  RegionNames regions;
  SiteNames sites;
};

/// First pass: requests, messages and sums.
class CallReader {
 public:
  CallReader(Processes& processes, MessageSink& messages) : processes_(processes), messages_(messages) {}

  /// Goes to the next call of a thread and returns its end; nothing after the last.
  std::optional<Nanoseconds> advance(Thread& thread, SharedNames& names);
  /// `left`: what advance() returned.
  void take(Thread& thread, Nanoseconds left);

 private:
  struct Times {
    ObjectIndex object;
    Nanoseconds entered;
    Nanoseconds left;
    HandleUse use;
  };
  void define_used(Thread& thread, const CallRecord* call);
  void define_made(Thread& thread, const CallRecord& call);
  bool enter_part(Process& process, const HandleUse& call);
  void pass_gap(Process& process);
  void take_message(Process& process, const CallRecord& call, const Times& at);
  static void take_control(Process& process, const CallRecord& call, const Times& at);
  void take_request(Process& process, const CallRecord& call, const Times& at);
  std::optional<Request> send(Process& process, const CallRecord& call, const SentMessage& times);
  void send(Process& process, Request& request, SentMessage message);
  void withdraw(Process& process, const Request& request);
  std::optional<Request> receive_of(Process& process, const CallRecord& call);
  std::optional<MessageClass> sent_class(Process& process, const CallRecord& call);
  ReceiveId post(Request& request, const Times& at, Nanoseconds logical);
  void receive(Process& process, const CallRecord& call, const Times& at, Nanoseconds logical);
  void receive_later(Process& process, const CallRecord& call, const Times& at);
  void keep_init(Process& process, const CallRecord& call, const Times& at, bool sends);
  static void keep(Process& process, const CallRecord& call, const Times& at, const Request& request);
  void start(Process& process, std::uint64_t handle, const Times& at);
  void cancel(Process& process, std::uint64_t handle);
  void end_send(Process& process, const Request& request, const RequestMark& mark);
  void complete(Process& process, const RequestMark& mark, const Times& at);
  Request* ended_request(Process& process, std::uint64_t handle, const Times& at);
  void free_request(Process& process, const CallRecord& call, const Times& at);
  void finish(const Request& request, const RequestMark& mark, const Times& at);
  void probed(Process& process, const CallRecord& call, const Times& at);
  void received_probed(Process& process, const CallRecord& call, const Times& at);

  Processes& processes_;
  MessageSink& messages_;
  SendId last_send_ = 0;
};

/// Second pass: the states and events of one thread in their order.
class RecordStream {
 public:
  RecordStream(Thread& thread, const Processes& processes, SharedNames& names);

  /// When the next records are; nothing after the last.
  [[nodiscard]] std::optional<Nanoseconds> next_time() const {
    return step_ == Step::kDone ? std::nullopt : std::optional(time_);
  }
  /// Writes the records of that time and goes on.
  void write(Sink& sink);

 private:
  enum class Step : std::uint8_t { kCreation, kBegin, kUser, kEntry, kExit, kOpen, kEnd, kDone };
  void find_next_call();
  void go_on();
  void run_until_next(Sink& sink, Nanoseconds from);
  void write_entry(Sink& sink);
  void write_exit(Sink& sink);
  void write_open(Sink& sink);
  void write_user(Sink& sink);
  void write_arguments(Sink& sink, const CallRecord& call);
  void write_collective(Sink& sink);
  void write_one_sided(Sink& sink, const CallRecord& call);
  void write_misses(Sink& sink, const Misses& misses);
  void write_tracer(Sink& sink);
  void write_state(Sink& sink, Nanoseconds from, Nanoseconds to, log::State state);
  void write_event(Sink& sink, std::uint32_t type, std::uint64_t value);
  void write_counters(Sink& sink, std::span<const std::uint64_t> values);

  Thread* thread_;
  const Processes* processes_;
  SharedNames* names_;
  Step step_ = Step::kCreation;
  Nanoseconds time_ = 0;
  Nanoseconds begin_ = 0;
  Nanoseconds runs_until_ = 0;  ///< the end of the last state between calls
  bool has_call_ = false;
  Nanoseconds entered_ = 0;
  Nanoseconds left_ = 0;
  std::vector<std::uint64_t> within_;  ///< counts of the call that is left next
  std::deque<UserRecord> users_;
  std::vector<std::uint32_t> region_stack_;
};

Names names_of_events(const std::vector<Thread>& threads, const RegionNames& regions);
/// Takes the sums out of the thread.
ThreadSummary summary_of(Thread& thread);
/// Leaves the logs of the run that has most of them, one for each thread.
void keep_one_run(std::vector<LogReader>& logs, std::vector<Error>& refused);

}  // namespace groma::trace
