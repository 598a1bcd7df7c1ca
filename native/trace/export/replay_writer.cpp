#include "trace/export/replay_writer.hpp"

#include <algorithm>
#include <utility>

#include "base/json.hpp"
#include "trace/export/replay_program.hpp"
#include "trace/model/event_types.hpp"

namespace groma::trace {

using namespace replay;  // NOLINT(google-build-using-namespace): of this room

namespace {

constexpr std::uint32_t kNotCreated = 2;  // a state
constexpr Rank kNoRank = 0xFFFFFFFF;      // of a task of another application

}  // namespace

void ReplayWriter::refuse(const std::string& what, const std::string& next) {
  if (status_) status_ = Error{"usage", what, next};
}

/// Extrae has an application of its own for the counters of the uncore: it calls no MPI.
void ReplayWriter::refuse_applications() {
  refuse("several applications of the trace call MPI", "trace a program that spawns none");
}

void ReplayWriter::begin(const Layout& layout) {
  std::map<std::uint32_t, Rank> numbers;  // of tasks
  for (const Object& one : layout.objects) {
    if (one.application > 0) {
      ranks_.push_back(kNoRank);
      continue;
    }
    ranks_.push_back(numbers.try_emplace(one.task, static_cast<Rank>(numbers.size())).first->second);
  }
  run_.programs.resize(numbers.size());
  run_.groups.emplace_back();
  for (Rank rank = 0; rank < run_.programs.size(); ++rank) run_.groups[0].members.push_back(rank);
  for (const Communicator& one : layout.communicators) {
    if (one.application > 0) continue;
    const bool is_world = one.tasks == run_.groups[0].members;
    communicator_places_[one.id] = is_world ? 0 : static_cast<std::uint32_t>(run_.groups.size());
    if (!is_world) run_.groups.push_back({one.id, one.tasks, {}, {}});
  }
  for (Group& one : run_.groups) {
    for (const Rank member : one.members) {
      one.places.emplace(member, static_cast<std::uint32_t>(one.places.size()));
    }
  }
}

/// A trace that is a part of one has no event for the begin of the program.
void ReplayWriter::state(const State& state) {
  const Rank rank = rank_of(state.object);
  if (rank == kNoRank) return;
  Program& program = run_.programs[rank];
  if (program.has_begun || state.state == kNotCreated) return;
  program.begin = state.begin;
  program.has_begun = true;
}

void ReplayWriter::event(const Event& event) {
  const Rank rank = rank_of(event.object);
  if (rank == kNoRank) {
    if (is_call(event.type)) refuse_applications();
    return;
  }
  last_ = std::max(last_, event.time);
  Program& program = run_.programs[rank];
  if (!program.has_begun) program.begin = event.time;
  program.has_begun = true;
  if (is_call(event.type) && program.object == kNone) program.object = event.object;
  if (program.object != kNone && program.object != event.object) {
    if (is_call(event.type)) {
      refuse("several threads of rank " + std::to_string(rank) + " call MPI",
             "replay a program in which one thread of each rank does");
    }
    return;
  }
  if (program.moment.ends_before(event)) settle(rank);
  program.moment.add(event);
}

void ReplayWriter::settle(Rank rank) {
  Program& program = run_.programs[rank];
  const Events events = program.moment.events();
  Beside beside(events);
  for (auto one = events.begin(); one != events.end(); ++one) {
    if (!is_call(one->type)) continue;
    const Events there = one->value != 0 ? beside.begin(one) : Events();
    const CallPairing::Step step = program.pairing.take(*one);
    const bool replaces = step == CallPairing::Step::kReplaces;
    if (replaces || step == CallPairing::Step::kEnds) program.calls.back().end = one->time;
    if (replaces || step == CallPairing::Step::kBegins) open_call(rank, *one, parameters_in(there));
  }
  program.moment.clear();
}

void ReplayWriter::open_call(Rank rank, const Event& begin, const Parameters& given) {
  Call call{begin.time, begin.time, begin.type, static_cast<std::uint32_t>(begin.value)};
  if (begin.type == kCollectiveType && collective_of(call.value) != nullptr) {
    join_collective(rank, call, given);
  } else if (begin.type == kCollectiveType && is_of_topology(call.value)) {
    ++run_.losses.left_out;
  } else if (begin.type > kOther) {
    ++run_.losses.other_calls;
  }
  run_.programs[rank].calls.push_back(call);
}

ReplayWriter::Parameters ReplayWriter::parameters_in(Events beside) {
  Parameters given;
  for (const Event& event : beside) {
    if (event.type == kSentBytesType) given.sent = event.value;
    if (event.type == kReceivedBytesType) given.received = event.value;
    if (event.type == kRootType) given.is_root = event.value != 0;
    if (event.type == kCommunicatorType) given.communicator = event.value;
  }
  return given;
}

/// The n-th collective of each rank in a communicator is the same one. A communicator that the header does
/// not list joins two groups. Without a communicator it is one of all ranks.
void ReplayWriter::join_collective(Rank rank, Call& call, const Parameters& given) {
  const auto named = communicator_places_.find(given.communicator);
  const std::uint32_t place = named == communicator_places_.end() ? 0 : named->second;
  if (named == communicator_places_.end() && given.communicator != 0) {
    ++run_.losses.left_out;
    return;
  }
  Group& group = run_.groups[place];
  const auto own = group.places.find(rank);
  if (own == group.places.end()) {
    refuse("rank " + std::to_string(rank) + " is not in the communicator of its collective",
           "trace the program anew");
    return;
  }
  const std::uint32_t number = run_.programs[rank].collectives[place]++;
  if (number == group.collectives.size()) {
    group.collectives.push_back(static_cast<std::uint32_t>(run_.collectives.size()));
    const std::size_t members = group.members.size();
    run_.collectives.push_back(
        {place, call.value, 0, 0, std::vector<std::uint64_t>(members), std::vector<std::uint64_t>(members)});
  }
  call.collective = group.collectives[number];
  Collective& one = run_.collectives[call.collective];
  if (collective_of(one.value) != collective_of(call.value)) {
    refuse("ranks disagree about collective " + std::to_string(number + 1) + " of a communicator",
           "trace the whole run: no part of it, and no pause");
    return;
  }
  ++one.arrived;
  if (given.is_root) one.root = own->second;
  one.sent[own->second] = given.sent;
  one.received[own->second] = given.received;
}

void ReplayWriter::communication(const Communication& message) {
  const Rank from = rank_of(message.sender);
  const Rank to = rank_of(message.receiver);
  if (from == kNoRank || to == kNoRank) {
    refuse_applications();
    return;
  }
  const auto place = static_cast<std::uint32_t>(run_.messages.size());
  run_.messages.push_back({from, to, tags_[{from, to}]++, message.logical_receive, message.physical_receive,
                           message.logical_send, message.bytes});
  run_.programs[from].sends.push_back(place);
  run_.programs[to].receives.push_back(place);
}

void ReplayWriter::write_communicators() {
  for (std::size_t place = 1; place < run_.groups.size(); ++place) {
    const std::vector<Rank>& members = run_.groups[place].members;
    if (run_.groups[place].collectives.empty()) continue;
    out_ << "communicator " << place;
    for (std::size_t i = 0; i < members.size();) {
      std::size_t last = i;
      while (last + 1 < members.size() && members[last + 1] == members[last] + 1) ++last;
      out_ << ' ' << members[i];
      if (last > i) out_ << '-' << members[last];
      i = last + 1;
    }
    out_ << '\n';
  }
}

void ReplayWriter::end(const Names& /*names*/) {
  for (Rank rank = 0; rank < run_.programs.size(); ++rank) settle(rank);
  for (Program& program : run_.programs) {
    if (program.pairing.is_open()) program.calls.back().end = last_;
    if (program.calls.empty()) refuse("a rank has no call of MPI", "trace the whole program");
  }
  if (!status_) return;
  for (const Collective& one : run_.collectives) {
    if (one.arrived < run_.groups[one.communicator].members.size()) {
      ++run_.losses.cut;
    } else if (is_divided(one)) {
      ++run_.losses.divided;
    }
  }
  write_communicators();
  for (Rank rank = 0; rank < run_.programs.size(); ++rank) {
    write_program(run_, rank, out_);
    run_.programs[rank] = {};
  }
  write_losses();
}

/// As a remark, which a replay passes over.
void ReplayWriter::write_losses() {
  out_ << "# "
       << JsonObject()
              .add("other_calls", run_.losses.other_calls)
              .add("left_out", run_.losses.left_out)
              .add("unplaced", run_.losses.unplaced)
              .add("cut", run_.losses.cut)
              .add("divided", run_.losses.divided)
              .json()
              .text()
       << '\n';
}

}  // namespace groma::trace
