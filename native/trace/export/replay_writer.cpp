#include "trace/export/replay_writer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "base/json.hpp"
#include "trace/model/event_types.hpp"

namespace groma::trace {
namespace {

constexpr std::uint32_t kPointToPoint = 50000001;
constexpr std::uint32_t kCollectives = 50000002;
constexpr std::uint32_t kOther = 50000003;
constexpr std::uint32_t kSentBytes = 50100001;
constexpr std::uint32_t kReceivedBytes = 50100002;
constexpr std::uint32_t kIsRoot = 50100003;
constexpr std::uint32_t kCommunicator = 50100004;
constexpr std::uint32_t kNotCreated = 2;  // a state
/// A variant for large counts is that much more than the call of which it is one.
constexpr std::uint32_t kLargeCount = 1000;

/// What a call does to messages.
enum class Does : std::uint8_t {
  kNothing,
  kSend,
  kBeginSend,
  kReceive,
  kBeginReceive,
  kExchange,       ///< both, until both are complete
  kBeginExchange,  ///< begins any number of both
  kWait,           ///< for at least one request
  kWaitAll,
  kTest,
  kInit,
  kFinalize,
};

struct KnownCall {
  std::uint32_t value;
  Does does;
};
constexpr auto kKnown = std::to_array<KnownCall>({
    {1, Does::kSend},
    {33, Does::kSend},
    {34, Does::kSend},
    {35, Does::kSend},
    {3, Does::kBeginSend},
    {36, Does::kBeginSend},
    {37, Does::kBeginSend},
    {38, Does::kBeginSend},
    {2, Does::kReceive},
    {4, Does::kBeginReceive},
    {41, Does::kExchange},
    {42, Does::kExchange},
    {303, Does::kBeginExchange},
    {304, Does::kBeginExchange},
    {123, Does::kBeginExchange},
    {124, Does::kBeginExchange},
    {190, Does::kBeginReceive},
    {191, Does::kBeginReceive},
    {5, Does::kWait},
    {59, Does::kWait},
    {60, Does::kWait},
    {6, Does::kWaitAll},
    {39, Does::kTest},
    {125, Does::kTest},
    {126, Does::kTest},
    {128, Does::kTest},
    {31, Does::kInit},
    {300, Does::kInit},
    {32, Does::kFinalize},
});

Does done_by(std::uint32_t value) {
  const auto* const found = std::ranges::find(kKnown, value % kLargeCount, &KnownCall::value);
  return found == kKnown.end() ? Does::kNothing : found->does;
}

/// A program that asks again and again waits: what lies between two questions is no work of it.
constexpr Nanoseconds kBetweenPolls = 10'000;
bool is_poll(std::uint32_t value) {
  constexpr std::array<std::uint32_t, 7> polls{39, 125, 126, 128, 62, 191, 311};
  return std::ranges::find(polls, value) != polls.end();
}

/// How the sizes of a collective follow from the sums of its ranks.
enum class Sizes : std::uint8_t {
  kNone,
  kOne,          ///< the largest of all
  kOfSenders,    ///< what each sends
  kOfReceivers,  ///< what each receives
  kOfAll,        ///< what each sends to all and receives from all
  kShares,       ///< what all send, in equal parts
};

struct KnownCollective {
  std::uint32_t value;
  std::uint32_t begins;  ///< the call that does not block
  std::string_view name;
  Sizes sizes;
  bool has_root;
  bool computes;
};
constexpr auto kKnownCollectives = std::to_array<KnownCollective>({
    {8, 156, "barrier", Sizes::kNone, false, false},
    {7, 157, "bcast", Sizes::kOne, true, false},
    {9, 154, "reduce", Sizes::kOne, true, true},
    {10, 155, "allreduce", Sizes::kOne, false, true},
    {30, 167, "scan", Sizes::kOne, false, true},
    {214, 215, "exscan", Sizes::kOne, false, true},
    {11, 158, "alltoall", Sizes::kOfAll, false, false},
    {12, 159, "alltoall", Sizes::kOfAll, false, false},
    {170, 171, "alltoall", Sizes::kOfAll, false, false},
    {13, 162, "gather", Sizes::kOfSenders, true, false},
    {14, 163, "gather", Sizes::kOfSenders, true, false},
    {15, 164, "scatter", Sizes::kOfReceivers, true, false},
    {16, 165, "scatter", Sizes::kOfReceivers, true, false},
    {17, 160, "allgather", Sizes::kOfSenders, false, false},
    {18, 161, "allgather", Sizes::kOfSenders, false, false},
    {80, 166, "reducescatter", Sizes::kShares, false, true},
    {168, 169, "reducescatter", Sizes::kShares, false, true},
});

const KnownCollective* collective_of(std::uint32_t value) {
  const std::uint32_t plain = value % kLargeCount;
  const auto* const found = std::ranges::find_if(
      kKnownCollectives, [plain](const auto& one) { return one.value == plain || one.begins == plain; });
  return found == kKnownCollectives.end() ? nullptr : found;
}

bool is_of_topology(std::uint32_t value) {
  return value % kLargeCount >= 174 && value % kLargeCount <= 183;
}

using Bytes = std::vector<std::uint64_t>;

std::uint64_t sum(const Bytes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
}

bool are_equal(const Bytes& sizes) {
  return std::ranges::adjacent_find(sizes, std::ranges::not_equal_to{}) == sizes.end();
}

std::string text_of(const Bytes& sizes) {
  std::string text;
  for (const std::uint64_t one : sizes) text += ' ' + std::to_string(one);
  return text;
}

/// What a rank sends of a sum: as much to each as the sums of the receivers say.
Bytes parts(std::uint64_t whole, const Bytes& by) {
  Bytes made;
  const auto all = static_cast<double>(sum(by));
  for (const std::uint64_t one : by) {
    const double share = all > 0.0 ? static_cast<double>(one) / all : 1.0 / static_cast<double>(by.size());
    made.push_back(static_cast<std::uint64_t>(std::llround(static_cast<double>(whole) * share)));
  }
  return made;
}

}  // namespace

void ReplayWriter::refuse(const std::string& what, const std::string& next) {
  if (status_) status_ = Error{"validation", what, next};
}

void ReplayWriter::begin(const Layout& layout) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, Rank> numbers;
  for (const Object& one : layout.objects) {
    numbers.try_emplace({one.application, one.task}, static_cast<Rank>(numbers.size()));
    ranks_.push_back(numbers[{one.application, one.task}]);
    if (one.application > 0) refuse("the trace has several applications", "trace a program that spawns none");
  }
  programs_.resize(numbers.size());
  communicators_.emplace_back();
  for (Rank rank = 0; rank < programs_.size(); ++rank) communicators_[0].members.push_back(rank);
  for (const Communicator& one : layout.communicators) {
    const bool is_world = one.tasks == communicators_[0].members;
    communicator_places_[one.id] = is_world ? 0 : static_cast<std::uint32_t>(communicators_.size());
    if (!is_world) communicators_.push_back({one.id, one.tasks, {}, {}});
  }
  for (Ranks& one : communicators_) {
    for (const Rank member : one.members) {
      one.places.emplace(member, static_cast<std::uint32_t>(one.places.size()));
    }
  }
}

/// A trace that is a part of one has no event for the begin of the program.
void ReplayWriter::state(const State& state) {
  Program& program = programs_[rank_of(state.object)];
  if (program.has_begun || state.state == kNotCreated) return;
  program.begin = state.begin;
  program.has_begun = true;
}

void ReplayWriter::event(const Event& event) {
  last_ = std::max(last_, event.time);
  if (!line_.empty() && (line_[0].object != event.object || line_[0].time != event.time)) settle_line();
  line_.push_back(event);
}

void ReplayWriter::settle_line() {
  if (line_.empty()) return;
  const Rank rank = rank_of(line_[0].object);
  Program& program = programs_[rank];
  if (!program.has_begun) program.begin = line_[0].time;
  program.has_begun = true;
  for (const Event& event : line_) {
    if (!is_call(event.type)) continue;
    if (program.object == kNone) program.object = event.object;
    if (program.object != event.object) {
      refuse("several threads of rank " + std::to_string(rank) + " call MPI",
             "replay a program in which one thread of each rank does");
      break;
    }
    if (event.value != 0) {
      open_call(program, rank, event.type, event.value);
    } else if (program.is_open) {
      program.calls.back().end = event.time;
      program.is_open = false;
    }
  }
  line_.clear();
}

void ReplayWriter::open_call(Program& program, Rank rank, std::uint32_t type, std::uint64_t value) {
  Call call{line_[0].time, line_[0].time, type, static_cast<std::uint32_t>(value)};
  if (type == kCollectives && collective_of(call.value) != nullptr) {
    join_collective(rank, call, parameters());
  } else if (type == kCollectives && is_of_topology(call.value)) {
    ++losses_.left_out;
  } else if (type > kOther) {
    ++losses_.other_calls;
  }
  program.calls.push_back(call);
  program.is_open = true;
}

ReplayWriter::Parameters ReplayWriter::parameters() const {
  Parameters told;
  for (const Event& event : line_) {
    if (event.type == kSentBytes) told.sent = event.value;
    if (event.type == kReceivedBytes) told.received = event.value;
    if (event.type == kIsRoot) told.is_root = event.value != 0;
    if (event.type == kCommunicator) told.communicator = event.value;
    told.is_collective = told.is_collective || (event.type >= kSentBytes && event.type <= kCommunicator);
  }
  return told;
}

/// The n-th collective of each rank in a communicator is the same one. A communicator that the header does
/// not list joins two groups. Without a communicator it is one of all ranks.
void ReplayWriter::join_collective(Rank rank, Call& call, const Parameters& told) {
  const auto named = communicator_places_.find(told.communicator);
  const std::uint32_t place = named == communicator_places_.end() ? 0 : named->second;
  if (named == communicator_places_.end() && told.communicator != 0) {
    ++losses_.left_out;
    return;
  }
  Ranks& group = communicators_[place];
  const auto own = group.places.find(rank);
  if (own == group.places.end()) {
    refuse("rank " + std::to_string(rank) + " is not in the communicator of its collective",
           "trace the program anew");
    return;
  }
  const std::uint32_t number = programs_[rank].collectives[place]++;
  if (number == group.collectives.size()) {
    group.collectives.push_back(static_cast<std::uint32_t>(collectives_.size()));
    const std::size_t members = group.members.size();
    collectives_.push_back({place, call.value, 0, 0, Bytes(members), Bytes(members)});
  }
  call.collective = group.collectives[number];
  Collective& one = collectives_[call.collective];
  if (collective_of(one.value) != collective_of(call.value)) {
    refuse("ranks disagree about collective " + std::to_string(number + 1) + " of a communicator",
           "trace the whole run: no part of it, and no pause");
    return;
  }
  ++one.arrived;
  if (told.is_root) one.root = own->second;
  one.sent[own->second] = told.sent;
  one.received[own->second] = told.received;
}

void ReplayWriter::communication(const Communication& message) {
  const Rank from = rank_of(message.sender);
  const Rank to = rank_of(message.receiver);
  const auto place = static_cast<std::uint32_t>(messages_.size());
  messages_.push_back({from, to, tags_[{from, to}]++, message.logical_receive, message.physical_receive,
                       message.logical_send, message.bytes});
  programs_[from].sends.push_back(place);
  programs_[to].receives.push_back(place);
}

/// Writes the lines of one rank, call by call.
class ReplayWriter::Writing {
 public:
  Writing(ReplayWriter& whole, Rank rank)
      : whole_(whole), out_(whole.out_), program_(whole.programs_[rank]), rank_(std::to_string(rank)) {}

  void write();

 private:
  struct Queue {
    std::vector<std::uint32_t> places;
    std::size_t at = 0;
  };
  using Time = Nanoseconds Message::*;

  /// The next message that a call at this time has to do with.
  std::optional<std::uint32_t> take(Queue& queue, Time time, Nanoseconds at) {
    const auto time_of_next = [&] { return whole_.messages_[queue.places[queue.at]].*time; };
    for (; queue.at < queue.places.size() && time_of_next() < at; ++queue.at) ++whole_.losses_.unplaced;
    if (queue.at == queue.places.size() || time_of_next() != at) return std::nullopt;
    return queue.places[queue.at++];
  }
  void compute(Nanoseconds time) { computed_ += time; }
  void say(std::string_view action, const std::string& arguments = "") {
    if (computed_ > 0) out_ << rank_ << " compute " << std::exchange(computed_, 0) << '\n';
    out_ << rank_ << ' ' << action << arguments << '\n';
  }
  void begin_send(std::string_view action, std::uint32_t place) {
    const Message& one = whole_.messages_[place];
    say(action,
        ' ' + std::to_string(one.to) + ' ' + std::to_string(one.tag) + ' ' + std::to_string(one.bytes));
  }
  void begin_receive(std::string_view action, std::uint32_t place) {
    const Message& one = whole_.messages_[place];
    say(action,
        ' ' + std::to_string(one.from) + ' ' + std::to_string(one.tag) + ' ' + std::to_string(one.bytes));
  }
  void wait_for(std::uint32_t place) {
    const Message& one = whole_.messages_[place];
    say("wait",
        ' ' + std::to_string(one.from) + ' ' + std::to_string(one.to) + ' ' + std::to_string(one.tag));
  }

  void call(const Call& call);
  void send(const Call& call, bool blocks);
  void receive(const Call& call, bool blocks);
  void exchange(const Call& call);
  void begin_exchange(const Call& call);
  /// Receives that are complete at the end of a call: how many.
  std::size_t complete(const Call& call);
  void complete_others(Does does, std::size_t arrived);
  void collective(const Call& call);
  [[nodiscard]] std::string sizes(const Collective& one, const KnownCollective& known, std::size_t own,
                                  std::string& name) const;

  ReplayWriter& whole_;
  std::ostream& out_;
  Program& program_;
  std::string rank_;
  Queue sends_;
  Queue receives_;
  std::vector<std::uint32_t> open_sends_;
  std::vector<std::uint32_t> open_receives_;
  std::size_t open_collectives_ = 0;
  Nanoseconds computed_ = 0;  ///< since the last line
};

void ReplayWriter::Writing::write() {
  const auto sorted = [&](std::vector<std::uint32_t>& places, Time time) {
    std::ranges::sort(places, {}, [&](std::uint32_t place) {
      return std::pair(whole_.messages_[place].*time, place);  // equal ones as the trace has them
    });
    return Queue{std::move(places)};
  };
  sends_ = sorted(program_.sends, &Message::sent);
  receives_ = sorted(program_.receives, &Message::posted);
  say("init");
  Nanoseconds from = program_.begin;
  std::uint32_t before = 0;
  for (const Call& one : program_.calls) {
    const Does does = one.type == kOther ? done_by(one.value) : Does::kNothing;
    const Nanoseconds burst = one.begin > from ? one.begin - from : 0;
    const bool polls = one.value == before && burst < kBetweenPolls && is_poll(one.value);
    if (does != Does::kInit && !polls) compute(burst);
    if (does == Does::kFinalize) break;
    call(one);
    from = std::max(from, one.end);
    before = one.value;
  }
  whole_.losses_.unplaced += (sends_.places.size() - sends_.at) + (receives_.places.size() - receives_.at);
  say("waitall");
  say("finalize");
}

void ReplayWriter::Writing::call(const Call& call) {
  if (call.type > kOther) {  // its messages are not told: its time is all that is known
    compute(call.end - call.begin);
    return;
  }
  if (call.collective != kNone) {
    collective(call);
    return;
  }
  if (call.type == kCollectives) return;
  const Does does = done_by(call.value);
  const std::size_t arrived = complete(call);
  if (does == Does::kSend || does == Does::kBeginSend) send(call, does == Does::kSend);
  if (does == Does::kReceive || does == Does::kBeginReceive) receive(call, does == Does::kReceive);
  if (does == Does::kExchange) exchange(call);
  if (does == Does::kBeginExchange) begin_exchange(call);
  complete_others(does, arrived);
}

void ReplayWriter::Writing::send(const Call& call, bool blocks) {
  const auto place = take(sends_, &Message::sent, call.begin);
  if (!place) return;
  begin_send(blocks ? "send" : "isend", *place);
  if (!blocks) open_sends_.push_back(*place);
}

void ReplayWriter::Writing::receive(const Call& call, bool blocks) {
  const auto place = take(receives_, &Message::posted, blocks ? call.begin : call.end);
  if (!place) return;
  begin_receive(blocks ? "recv" : "irecv", *place);
  if (!blocks) open_receives_.push_back(*place);
}

void ReplayWriter::Writing::exchange(const Call& call) {
  const auto received = take(receives_, &Message::posted, call.begin);
  const auto sent = take(sends_, &Message::sent, call.begin);
  if (received) begin_receive("irecv", *received);
  if (sent) begin_send("isend", *sent);
  if (received) wait_for(*received);
  if (sent) wait_for(*sent);
}

void ReplayWriter::Writing::begin_exchange(const Call& call) {
  while (const auto place = take(receives_, &Message::posted, call.end)) {
    begin_receive("irecv", *place);
    open_receives_.push_back(*place);
  }
  while (const auto place = take(sends_, &Message::sent, call.begin)) {
    begin_send("isend", *place);
    open_sends_.push_back(*place);
  }
}

std::size_t ReplayWriter::Writing::complete(const Call& call) {
  return std::erase_if(open_receives_, [&](std::uint32_t place) {
    const bool is_complete = whole_.messages_[place].received == call.end;
    if (is_complete) wait_for(place);
    return is_complete;
  });
}

void ReplayWriter::Writing::complete_others(Does does, std::size_t arrived) {
  if (does == Does::kWaitAll) {
    for (const std::uint32_t place : open_sends_) wait_for(place);
    open_sends_.clear();
    for (; open_collectives_ > 0; --open_collectives_) say("waitcollective");
  }
  if (does != Does::kWait || arrived > 0) return;
  if (!open_sends_.empty()) {
    wait_for(open_sends_.front());
    open_sends_.erase(open_sends_.begin());
  } else if (open_collectives_ > 0) {
    say("waitcollective");
    --open_collectives_;
  }
}

void ReplayWriter::Writing::collective(const Call& call) {
  const Collective& one = whole_.collectives_[call.collective];
  const KnownCollective& known = *collective_of(call.value);
  const Ranks& group = whole_.communicators_[one.communicator];
  if (one.arrived < group.members.size()) return;  // it would wait for ever
  const bool begins = call.value % kLargeCount == known.begins;
  open_collectives_ += begins ? 1 : 0;
  std::string name(known.name);
  const auto own = group.places.at(static_cast<Rank>(std::stoul(rank_)));
  std::string arguments = sizes(one, known, own, name);
  if (known.computes) arguments += " 0";
  if (known.has_root) arguments += ' ' + std::to_string(one.root);
  if (one.communicator != 0) arguments += " @" + std::to_string(one.communicator);
  say((begins ? "i" : "") + name, arguments);
}

/// Sums as MPI counts them: of an alltoall over all ranks, of others the own part. MPI_IN_PLACE leaves the
/// sum of a side 0.
std::string ReplayWriter::Writing::sizes(const Collective& one, const KnownCollective& known, std::size_t own,
                                         std::string& name) const {
  const std::uint64_t ranks = one.sent.size();
  const std::uint64_t most = std::max(std::ranges::max(one.sent), std::ranges::max(one.received));
  Bytes each = known.sizes == Sizes::kOfReceivers ? one.received : one.sent;
  if (known.sizes == Sizes::kNone) return "";
  if (known.sizes == Sizes::kOne) return ' ' + std::to_string(most);
  if (known.sizes == Sizes::kShares) return text_of(Bytes(ranks, most / ranks));
  if (known.sizes == Sizes::kOfAll) {
    const Bytes& sent = sum(one.sent) > 0 ? one.sent : one.received;
    const Bytes& received = sum(one.received) > 0 ? one.received : one.sent;
    if (are_equal(sent) && are_equal(received)) return text_of({sent[own] / ranks, received[own] / ranks});
    name += 'v';
    return ' ' + std::to_string(sent[own]) + text_of(parts(sent[own], received)) + ' ' +
           std::to_string(received[own]) + text_of(parts(received[own], sent));
  }
  if (sum(each) == 0 && !known.has_root) each = Bytes(ranks, most / ranks);  // an allgather in place
  if (known.has_root) each[one.root] = each[one.root == 0 ? ranks - 1 : 0];  // what it keeps travels nowhere
  if (are_equal(each)) return text_of({each[own], each[own]});
  name += 'v';
  const std::string own_size = ' ' + std::to_string(each[own]);
  return known.sizes == Sizes::kOfReceivers ? text_of(each) + own_size : own_size + text_of(each);
}

void ReplayWriter::write_communicators() {
  for (std::size_t place = 1; place < communicators_.size(); ++place) {
    const std::vector<Rank>& members = communicators_[place].members;
    if (communicators_[place].collectives.empty()) continue;
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
  settle_line();
  for (Program& program : programs_) {
    if (program.is_open) program.calls.back().end = last_;
    if (program.calls.empty()) refuse("a rank has no call of MPI", "trace the whole program");
  }
  if (!status_) return;
  for (const Collective& one : collectives_) {
    const KnownCollective& known = *collective_of(one.value);
    if (one.arrived < communicators_[one.communicator].members.size()) ++losses_.cut;
    const bool differs = known.sizes == Sizes::kOfAll && !(are_equal(one.sent) && are_equal(one.received));
    if (differs || known.sizes == Sizes::kShares) ++losses_.divided;
  }
  write_communicators();
  for (Rank rank = 0; rank < programs_.size(); ++rank) {
    Writing(*this, rank).write();
    programs_[rank] = {};
  }
  write_losses();
}

/// As a remark, which a replay passes over.
void ReplayWriter::write_losses() {
  out_ << "# "
       << JsonObject()
              .add("other_calls", losses_.other_calls)
              .add("left_out", losses_.left_out)
              .add("unplaced", losses_.unplaced)
              .add("cut", losses_.cut)
              .add("divided", losses_.divided)
              .json()
              .text()
       << '\n';
}

}  // namespace groma::trace
