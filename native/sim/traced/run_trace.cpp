#include "sim/traced/run_trace.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <tuple>
#include <utility>

namespace groma::sim::traced {
namespace {

using torus::Cycles;
using torus::Doing;
using torus::Place;
using trace::AnyRecord;
using trace::Nanoseconds;

constexpr double kLatestTime = 0x1p62;  ///< ns; later times would not fit

/// Simulated time has no date, and the same run gives the same trace.
constexpr const char* kCreated = "01/01/1970 at 00:00";

/// Numbers of Paraver (trace/model/states.hpp).
std::uint32_t state_of(Doing doing) {
  switch (doing) {
    case Doing::kIdle:
      return 0;
    case Doing::kComputing:
      return 1;
    case Doing::kSending:
      return 10;
    case Doing::kReceiving:
      return 11;
    case Doing::kWaitingForPackets:
      return 3;
    case Doing::kWaitingForRoom:
      break;
  }
  return 9;
}

auto parts_of(const trace::State& one) {
  return std::tie(one.object, one.end, one.state);
}

auto parts_of(const trace::Communication& one) {
  return std::tie(one.sender, one.receiver, one.logical_send, one.logical_receive, one.physical_receive,
                  one.bytes, one.tag);
}

}  // namespace

bool RunTrace::Earlier::operator()(const AnyRecord& a, const AnyRecord& b) const {
  if (a.time() != b.time()) return a.time() < b.time();
  if (a.kind != b.kind) return a.kind < b.kind;
  if (a.kind == AnyRecord::Kind::state) return parts_of(a.state) < parts_of(b.state);
  return parts_of(a.communication) < parts_of(b.communication);
}

Result<std::unique_ptr<RunTrace>> RunTrace::create(RunTracePlan plan) {
  auto writer = trace::PrvWriter::create(plan.path);
  if (!writer) return writer.error();
  return std::unique_ptr<RunTrace>(new RunTrace(std::move(plan), std::move(writer).value()));
}

RunTrace::RunTrace(RunTracePlan plan, trace::PrvWriter writer)
    : plan_(std::move(plan)),
      writer_(std::move(writer)),
      open_(plan_.places.count),
      records_(std::filesystem::absolute(plan_.path).parent_path()) {}

Nanoseconds RunTrace::time_of(Cycles at) const {
  const double time = static_cast<double>(at) * plan_.nanoseconds_per_cycle;
  return static_cast<Nanoseconds>(std::llround(std::min(time, kLatestTime)));
}

void RunTrace::begins(Place place, Cycles at, Doing doing) {
  if (doing == open_[place].doing) return;
  close(place, at);
  open_[place] = {at, doing};
}

/// States that are shorter than a nanosecond may vanish; those beside them still meet.
void RunTrace::close(Place place, Cycles at) {
  const Open& open = open_[place];
  const Nanoseconds begin = time_of(open.since);
  const Nanoseconds end = time_of(at);
  if (begin < end) keep(AnyRecord(trace::State{place, begin, end, state_of(open.doing)}));
}

void RunTrace::delivered(const torus::Delivery& one) {
  keep(AnyRecord(trace::Communication{one.from, time_of(one.called), time_of(one.sent), one.to,
                                      time_of(one.asked), time_of(one.received), one.bytes, one.tag}));
}

void RunTrace::keep(const AnyRecord& record) {
  const std::scoped_lock lock(keeping_);
  records_.add(record);
}

Result<RunTrace::Counts> RunTrace::write(Cycles end) {
  if (static_cast<double>(end) * plan_.nanoseconds_per_cycle > kLatestTime) {
    return Error{"usage", "the run takes more than 2^62 ns, which a trace cannot tell",
                 "set trace.nanoseconds_per_cycle to that of a processor"};
  }
  for (Place place = 0; place < plan_.places.count; ++place) close(place, std::max(end, open_[place].since));
  Counts counts;
  if (const auto kept = records_.finish(); kept) hand_over(time_of(end), counts);
  for (const Status& status : {records_.status(), writer_.status()}) {
    if (!status) return status.error();
  }
  return counts;
}

/// What a core had begun when the run ended is cut there.
void RunTrace::hand_over(Nanoseconds duration, Counts& counts) {
  writer_.begin(layout(duration));
  for (; records_.front() != nullptr; records_.pop()) {
    AnyRecord record = *records_.front();
    if (record.kind == AnyRecord::Kind::communication) {
      ++counts.messages;
      counts.bytes += record.communication.bytes;
    } else {
      record.state.end = std::min(record.state.end, duration);
      if (record.state.begin >= record.state.end) continue;
      ++counts.states;
    }
    record.hand_to(writer_);
  }
  if (records_.status()) writer_.end(names());
}

std::uint32_t RunTrace::nodes() const {
  return (plan_.places.count + plan_.places.each_node - 1) / plan_.places.each_node;
}

/// Each core is a task of its own.
trace::Layout RunTrace::layout(Nanoseconds duration) const {
  trace::Layout layout;
  layout.created = kCreated;
  layout.duration = duration;
  for (std::uint32_t node = 0; node < nodes(); ++node) {
    layout.nodes.push_back({name_of(node), plan_.places.each_node});
  }
  trace::Communicator all{0, 1, {}};
  for (Place place = 0; place < plan_.places.count; ++place) {
    layout.objects.push_back({0, place, 0, place, place / plan_.places.each_node});
    all.tasks.push_back(place);
  }
  layout.communicators.push_back(std::move(all));
  return layout;
}

trace::Names RunTrace::names() const {
  trace::Names names;
  for (std::uint32_t node = 0; node < nodes(); ++node) names.nodes.push_back(name_of(node));
  for (std::uint32_t cpu = 0; cpu < nodes() * plan_.places.each_node; ++cpu) {
    const std::string of_node = name_of(cpu / plan_.places.each_node);
    const std::string core = " core " + std::to_string(cpu % plan_.places.each_node);
    names.cpus.push_back(plan_.places.each_node == 1 ? of_node : of_node + core);
  }
  names.threads.assign(names.cpus.begin(), names.cpus.begin() + plan_.places.count);
  return names;
}

/// By its coordinates.
std::string RunTrace::name_of(std::uint32_t node) const {
  std::string name = "node ";
  for (std::size_t d = 0; d < plan_.shape.size(); ++d) {
    name += (d == 0 ? "" : ",") + std::to_string(node % plan_.shape[d]);
    node /= plan_.shape[d];
  }
  return name;
}

}  // namespace groma::sim::traced
