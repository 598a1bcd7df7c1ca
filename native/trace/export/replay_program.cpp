#include "trace/export/replay_program.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "trace/export/replay_calls.hpp"

namespace groma::trace::replay {
namespace {

/// A program that asks again and again waits: what lies between two questions is no work of it.
constexpr Nanoseconds kBetweenPolls = 10'000;

bool is_send(MessageAction action) {
  return action == MessageAction::kSend || action == MessageAction::kBeginSend ||
         action == MessageAction::kSendBuffered;
}

/// Writes the lines of one rank, call by call.
class Writing {
 public:
  Writing(Run& run, Rank rank, std::ostream& out)
      : run_(run), out_(out), program_(run.programs[rank]), number_(rank), rank_(std::to_string(rank)) {}

  void write();

 private:
  struct Queue {
    std::vector<std::uint32_t> places;
    std::size_t at = 0;
  };
  using Time = Nanoseconds Message::*;

  /// The next message that a call at this time has to do with.
  std::optional<std::uint32_t> take(Queue& queue, Time time, Nanoseconds at) {
    const auto time_of_next = [&] { return run_.messages[queue.places[queue.at]].*time; };
    for (; queue.at < queue.places.size() && time_of_next() < at; ++queue.at) ++run_.losses.unplaced;
    if (queue.at == queue.places.size() || time_of_next() != at) return std::nullopt;
    return queue.places[queue.at++];
  }
  void compute(Nanoseconds time) { computed_ += time; }
  void say(std::string_view action, const std::string& arguments = "") {
    if (computed_ > 0) out_ << rank_ << " compute " << std::exchange(computed_, 0) << '\n';
    out_ << rank_ << ' ' << action << arguments << '\n';
  }
  void begin_send(std::string_view action, std::uint32_t place) {
    const Message& one = run_.messages[place];
    say(action,
        ' ' + std::to_string(one.to) + ' ' + std::to_string(one.tag) + ' ' + std::to_string(one.bytes));
  }
  void begin_receive(std::string_view action, std::uint32_t place) {
    const Message& one = run_.messages[place];
    say(action,
        ' ' + std::to_string(one.from) + ' ' + std::to_string(one.tag) + ' ' + std::to_string(one.bytes));
  }
  void wait_for(std::uint32_t place) {
    const Message& one = run_.messages[place];
    say("wait",
        ' ' + std::to_string(one.from) + ' ' + std::to_string(one.to) + ' ' + std::to_string(one.tag));
  }

  void call(const Call& call);
  void send(const Call& call, MessageAction action);
  void receive(const Call& call, bool blocks);
  void exchange(const Call& call);
  void begin_exchange(const Call& call);
  /// Receives that are complete at the end of a call: how many.
  std::size_t complete(const Call& call);
  void complete_others(MessageAction action, std::size_t arrived);
  void collective(const Call& call);

  Run& run_;
  std::ostream& out_;
  Program& program_;
  Rank number_;
  std::string rank_;
  Queue sends_;
  Queue receives_;
  std::vector<std::uint32_t> open_sends_;
  std::vector<std::uint32_t> open_receives_;
  std::size_t open_collectives_ = 0;
  bool has_persistent_ = false;  ///< collectives: a start without a message may be of one
  Nanoseconds computed_ = 0;     ///< since the last line
};

void Writing::write() {
  const auto sorted = [&](std::vector<std::uint32_t>& places, Time time) {
    std::ranges::sort(places, {}, [&](std::uint32_t place) {
      return std::pair(run_.messages[place].*time, place);  // equal ones as the trace has them
    });
    return Queue{std::move(places)};
  };
  sends_ = sorted(program_.sends, &Message::sent);
  receives_ = sorted(program_.receives, &Message::posted);
  say("init");
  Nanoseconds from = program_.begin;
  std::uint32_t before = 0;
  for (const Call& one : program_.calls) {
    const MessageAction action = one.type == kOther ? action_of(one.value) : MessageAction::kNothing;
    const Nanoseconds burst = one.begin > from ? one.begin - from : 0;
    const bool polls = one.value == before && burst < kBetweenPolls && is_poll(one.value);
    if (action != MessageAction::kInit && !polls) compute(burst);
    if (action == MessageAction::kFinalize) break;
    call(one);
    from = std::max(from, one.end);
    before = one.value;
  }
  run_.losses.unplaced += (sends_.places.size() - sends_.at) + (receives_.places.size() - receives_.at);
  say("waitall");
  say("finalize");
}

void Writing::call(const Call& call) {
  if (call.type > kOther) {  // its messages are unknown: all there is is its time
    compute(call.end - call.begin);
    return;
  }
  if (call.collective != kNone) {
    collective(call);
    return;
  }
  if (call.type == kCollectiveType) return;
  if (call.type == kOther && makes_persistent(call.value)) has_persistent_ = true;
  const MessageAction action = action_of(call.value);
  const std::size_t arrived = complete(call);
  if (is_send(action)) send(call, action);
  if (action == MessageAction::kReceive || action == MessageAction::kBeginReceive)
    receive(call, action == MessageAction::kReceive);
  if (action == MessageAction::kExchange) exchange(call);
  if (action == MessageAction::kBeginExchange) begin_exchange(call);
  complete_others(action, arrived);
}

void Writing::send(const Call& call, MessageAction action) {
  const auto place = take(sends_, &Message::sent, call.begin);
  if (!place) return;
  begin_send(action == MessageAction::kSend ? "send" : "isend", *place);
  if (action == MessageAction::kBeginSend) open_sends_.push_back(*place);
}

void Writing::receive(const Call& call, bool blocks) {
  const auto place = take(receives_, &Message::posted, blocks ? call.begin : call.end);
  if (!place) return;
  begin_receive(blocks ? "recv" : "irecv", *place);
  if (!blocks) open_receives_.push_back(*place);
}

void Writing::exchange(const Call& call) {
  const auto received = take(receives_, &Message::posted, call.begin);
  const auto sent = take(sends_, &Message::sent, call.begin);
  if (received) begin_receive("irecv", *received);
  if (sent) begin_send("isend", *sent);
  if (received) wait_for(*received);
  if (sent) wait_for(*sent);
}

void Writing::begin_exchange(const Call& call) {
  bool is_empty = true;
  for (const Nanoseconds posted : {call.begin, call.end}) {  // by Extrae and by groma
    while (const auto place = take(receives_, &Message::posted, posted)) {
      begin_receive("irecv", *place);
      open_receives_.push_back(*place);
      is_empty = false;
    }
  }
  while (const auto place = take(sends_, &Message::sent, call.begin)) {
    begin_send("isend", *place);
    open_sends_.push_back(*place);
    is_empty = false;
  }
  if (is_empty && has_persistent_) ++run_.losses.left_out;
}

std::size_t Writing::complete(const Call& call) {
  return std::erase_if(open_receives_, [&](std::uint32_t place) {
    const bool is_complete = run_.messages[place].received == call.end;
    if (is_complete) wait_for(place);
    return is_complete;
  });
}

void Writing::complete_others(MessageAction action, std::size_t arrived) {
  if (action == MessageAction::kWaitAll) {
    for (const std::uint32_t place : open_sends_) wait_for(place);
    open_sends_.clear();
    for (; open_collectives_ > 0; --open_collectives_) say("waitcollective");
  }
  if (action != MessageAction::kWait || arrived > 0) return;
  if (!open_sends_.empty()) {
    wait_for(open_sends_.front());
    open_sends_.erase(open_sends_.begin());
  } else if (open_collectives_ > 0) {
    say("waitcollective");
    --open_collectives_;
  }
}

void Writing::collective(const Call& call) {
  const Collective& one = run_.collectives[call.collective];
  const Group& group = run_.groups[one.communicator];
  if (one.arrived < group.members.size()) return;  // it would wait for ever
  const bool begins = call.value % kLargeCount == collective_of(call.value)->begins;
  open_collectives_ += begins ? 1 : 0;
  say(action_of(one, call.value, group.places.at(number_)));
}

}  // namespace

void write_program(Run& run, Rank rank, std::ostream& out) {
  Writing(run, rank, out).write();
}

}  // namespace groma::trace::replay
