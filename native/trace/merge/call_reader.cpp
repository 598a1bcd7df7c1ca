#include <utility>

#include "trace/merge/records.hpp"

namespace groma::trace {

using log::Field;
using log::Kind;

std::optional<Nanoseconds> CallReader::advance(Thread& thread, SharedNames& names) {
  while (true) {
    const LogItem item = thread.log->next();
    for (const CommunicatorDefinition& one : thread.log->take_definitions()) {
      thread.made.push_back(processes_.number(one));
    }
    switch (item) {
      case LogItem::kEnd:
        define_used(thread, nullptr);
        return std::nullopt;
      case LogItem::kCall:
        if (!thread.made.empty()) define_used(thread, &thread.log->call());
        while (thread.sites.size() < thread.log->sites().size()) {
          thread.sites.push_back(names.sites.number(thread.log->sites()[thread.sites.size()]));
        }
        return thread.time(thread.log->call().left);
      case LogItem::kUser: {
        const UserRecord& user = thread.log->user();
        names.regions.number(thread.log->names()[user.name], user.is_region);
        break;
      }
      case LogItem::kCommunicator:
        break;
    }
  }
}

/// A log names communicators before the call that makes them or is the first to use them. Those that are only
/// used may be used by calls of other threads that end before. Those that are made count in the order of the
/// calls that make them, which take() sees.
void CallReader::define_used(Thread& thread, const CallRecord* call) {
  std::erase_if(thread.made, [&](const NumberedDefinition& one) {
    const bool is_made = call != nullptr && call->has(Field::communicator) &&
                         call->has(Field::new_communicator) && call->at(Field::new_communicator) == one.id;
    if (!is_made) processes_.define(*thread.process, one);
    return !is_made;
  });
}

void CallReader::define_made(Thread& thread, const CallRecord& call) {
  for (const NumberedDefinition& one : thread.made) {
    processes_.define(*thread.process, one, call.at(Field::communicator));
  }
  thread.made.clear();
}

void CallReader::take(Thread& thread, Nanoseconds left) {
  const CallRecord& call = thread.log->call();
  Process& process = *thread.process;
  if (!thread.made.empty()) [[unlikely]]
    define_made(thread, call);
  const Times at{thread.index, thread.time(call.entered), left, {thread.index, call.entered, call.left}};
  if (call.call->kind == Kind::control && !call.failed) take_control(process, call, at);
  if (!process.off.at(at.entered)) {
    CallTotal& sum = thread.sums[static_cast<std::size_t>(call.call - log::kCalls.data())];
    ++sum.count;
    sum.time += at.left - at.entered;
  }
  if (!call.failed && enter_part(process, at.use)) {
    take_message(process, call, at);
    take_request(process, call, at);
  }
}

/// False for a call that is not to be used, as other threads' logs do not have what belongs to it.
bool CallReader::enter_part(Process& process, const HandleUse& call) {
  const Part part = process.has_gap() ? part_of(process, call) : Part::kHead;
  messages_.set_tail(part == Part::kTail);
  if (part == Part::kTail && !process.is_past_gap) pass_gap(process);
  return part != Part::kBetween;
}

/// What ended during the gap is not known: handles stand for other objects now, but for those that last.
void CallReader::pass_gap(Process& process) {
  process.is_past_gap = true;
  LiveHandles<Request> persistent;
  process.requests.for_each([&](std::uint64_t handle, const HandleUse& made, Request& request) {
    if (request.receive) messages_.discard(*std::exchange(request.receive, std::nullopt));
    request.send.reset();
    if (request.is_persistent()) persistent.add(handle, made, request);
  });
  process.requests = std::move(persistent);
  process.messages.for_each([this](std::uint64_t /*handle*/, const HandleUse& /*made*/, ReceiveId& message) {
    messages_.discard(message);
  });
  process.messages.clear();
  messages_.pass_gap(process.application, process.rank);
}

/// The call that switches tracing on is traced, as is the one that switches it off.
void CallReader::take_control(Process& process, const CallRecord& call, const Times& at) {
  if (call.at(Field::flag) == 0) {
    process.off.switch_off(at.left);
  } else {
    process.off.switch_on(at.entered);
  }
}

/// Calls that send or receive by themselves.
void CallReader::take_message(Process& process, const CallRecord& call, const Times& at) {
  const SentMessage later{at.object, at.entered, at.left, 0};
  switch (call.call->kind) {
    case Kind::send:
      send(process, call, later);
      break;
    case Kind::isend:
      keep(process, call, at, send(process, call, later).value_or(Request{.kind = Request::Kind::kOther}));
      break;
    case Kind::receive:
      receive(process, call, at, at.entered);
      break;
    case Kind::ireceive:
      receive_later(process, call, at);
      break;
    case Kind::sendrecv:
      send(process, call, {at.object, at.entered, at.entered, 0});
      receive(process, call, at, at.entered);
      break;
    case Kind::isendrecv:
      send(process, call, later);
      receive_later(process, call, at);
      break;
    case Kind::mprobe:
      probed(process, call, at);
      break;
    case Kind::mreceive:
    case Kind::imreceive:
      received_probed(process, call, at);
      break;
    default:
      break;
  }
}

/// Calls that make, start, complete or free requests.
void CallReader::take_request(Process& process, const CallRecord& call, const Times& at) {
  switch (call.call->kind) {
    case Kind::send_init:
    case Kind::partitioned_send_init:
      keep_init(process, call, at, true);
      break;
    case Kind::receive_init:
    case Kind::partitioned_receive_init:
      keep_init(process, call, at, false);
      break;
    case Kind::start:
      if (call.has(Field::request)) start(process, call.at(Field::request), at);
      for (const RequestMark& mark : call.requests) start(process, mark.handle, at);
      break;
    case Kind::wait:
      for (const RequestMark& mark : call.requests) complete(process, mark, at);
      break;
    case Kind::cancel:
      cancel(process, call.at(Field::request));
      break;
    case Kind::request_free:
      free_request(process, call, at);
      break;
    case Kind::icollective:
    case Kind::collective_init:
    case Kind::idup:
    case Kind::transfer:
    case Kind::file:
      if (call.has(Field::request)) keep(process, call, at, {.kind = Request::Kind::kOther});
      break;
    default:
      break;
  }
}

void CallReader::send(Process& process, Request& request, SentMessage message) {
  request.send = message.id = ++last_send_;
  request.is_doubted = false;
  request.is_counted = !process.off.at(message.logical);
  message.bytes = request.bytes;
  if (request.is_counted) {
    auto& [messages, sum] = process.sent[request.message.destination];
    ++messages;
    sum += request.bytes;
  }
  messages_.send(request.message, message);
}

/// The message of a request was cancelled.
void CallReader::withdraw(Process& process, const Request& request) {
  if (request.is_counted) {
    const auto sent = process.sent.find(request.message.destination);
    auto& [messages, sum] = sent->second;
    sum -= request.bytes;
    if (--messages == 0) process.sent.erase(sent);
  }
  messages_.withdraw(request.message, *request.send);
}

std::optional<MessageClass> CallReader::sent_class(Process& process, const CallRecord& call) {
  const auto communicator = processes_.communicator(process, call.at(Field::communicator));
  if (!communicator) return std::nullopt;
  const auto partner = processes_.partner(*communicator, call.signed_at(Field::destination));
  if (!partner) return std::nullopt;
  return MessageClass{communicator->group, process.rank, *partner, call.signed_at(Field::send_tag),
                      call.call->kind == Kind::partitioned_send_init};
}

/// The request of the message; nothing for one to MPI_PROC_NULL.
std::optional<Request> CallReader::send(Process& process, const CallRecord& call, const SentMessage& times) {
  const auto to = sent_class(process, call);
  if (!to) return std::nullopt;
  Request request{.kind = Request::Kind::kSend, .message = *to, .bytes = call.at(Field::send_bytes)};
  send(process, request, times);
  return request;
}

/// What a receive waits for; nothing for one from MPI_PROC_NULL.
std::optional<Request> CallReader::receive_of(Process& process, const CallRecord& call) {
  const auto communicator = processes_.communicator(process, call.at(Field::communicator));
  const std::int64_t source = call.signed_at(Field::source);
  const std::int64_t tag = call.signed_at(Field::receive_tag);
  if (!communicator || source == log::kProcessNull) return std::nullopt;
  Request request;
  request.communicator = *communicator;
  request.any = source == log::kAny || tag == log::kAny;
  request.message = {communicator->group, kAnySource, process.rank, tag,
                     call.call->kind == Kind::partitioned_receive_init};
  if (source != log::kAny) {
    const auto partner = processes_.partner(*communicator, source);
    if (!partner) return std::nullopt;
    request.message.source = *partner;
  }
  return request;
}

ReceiveId CallReader::post(Request& request, const Times& at, Nanoseconds logical) {
  const ReceiveId id = request.any ? messages_.post_any(request.message, at.object, logical)
                                   : messages_.post(request.message, at.object, logical);
  request.receive = id;
  return id;
}

void CallReader::receive(Process& process, const CallRecord& call, const Times& at, Nanoseconds logical) {
  auto request = receive_of(process, call);
  if (!request || request->any) return;
  messages_.complete(post(*request, at, logical), at.object, at.left);
}

void CallReader::keep(Process& process, const CallRecord& call, const Times& at, const Request& request) {
  process.requests.add(call.at(Field::request), at.use, request);
}

void CallReader::receive_later(Process& process, const CallRecord& call, const Times& at) {
  auto request = receive_of(process, call);
  if (request) post(*request, at, at.left);
  keep(process, call, at, request.value_or(Request{.kind = Request::Kind::kOther}));
}

void CallReader::keep_init(Process& process, const CallRecord& call, const Times& at, bool sends) {
  std::optional<Request> request;
  if (sends) {
    if (const auto to = sent_class(process, call)) {
      request =
          Request{.kind = Request::Kind::kSendInit, .message = *to, .bytes = call.at(Field::send_bytes)};
    }
  } else {
    request = receive_of(process, call);
    if (request) request->kind = Request::Kind::kReceiveInit;
  }
  keep(process, call, at, request.value_or(Request{.kind = Request::Kind::kOther}));
}

void CallReader::start(Process& process, std::uint64_t handle, const Times& at) {
  Request* const request = process.requests.newest(handle);
  if (request == nullptr) return;
  if (request->kind == Request::Kind::kSendInit) {
    send(process, *request, {at.object, at.entered, at.left});
  } else if (request->kind == Request::Kind::kReceiveInit) {
    post(*request, at, at.left);
  }
}

Request* CallReader::ended_request(Process& process, std::uint64_t handle, const Times& at) {
  return process.requests.ended_by(handle, at.use, [this, &process](const Request& unseen) {
    if (unseen.receive) messages_.discard(*unseen.receive);
    if (unseen.send && unseen.is_doubted) withdraw(process, unseen);
  });
}

/// What comes of it, the call says that completes the request.
void CallReader::cancel(Process& process, std::uint64_t handle) {
  Request* const request = process.requests.newest(handle);
  if (request == nullptr) return;
  if (request->receive) messages_.doubt(*request->receive);
  if (!request->send) return;
  request->is_doubted = true;
  messages_.doubt(request->message, *request->send);
}

void CallReader::complete(Process& process, const RequestMark& mark, const Times& at) {
  Request* const request = ended_request(process, mark.handle, at);
  if (request == nullptr) return;
  if (request->receive) finish(*request, mark, at);
  request->receive.reset();
  if (request->send) end_send(process, *request, mark);
  request->send.reset();
  if (!request->is_persistent()) process.requests.remove(mark.handle, request);
}

void CallReader::end_send(Process& process, const Request& request, const RequestMark& mark) {
  if (mark.how == log::Completion::cancelled) {
    withdraw(process, request);
  } else if (request.is_doubted) {
    messages_.confirm(request.message, *request.send);
  }
}

void CallReader::free_request(Process& process, const CallRecord& call, const Times& at) {
  const std::uint64_t handle = call.at(Field::request);
  Request* const request = ended_request(process, handle, at);
  if (request == nullptr) return;
  if (request->receive) messages_.free(*request->receive, at.left);
  if (request->send && request->is_doubted) withdraw(process, *request);
  process.requests.remove(handle, request);
}

void CallReader::finish(const Request& request, const RequestMark& mark, const Times& at) {
  const ReceiveId id = *request.receive;
  if (mark.how == log::Completion::cancelled) {
    messages_.abandon(id);
    return;
  }
  if (!request.any || mark.how == log::Completion::plain) {
    messages_.complete(id, at.object, at.left);
    return;
  }
  const auto partner = processes_.partner(request.communicator, mark.source);
  if (!partner) {
    messages_.abandon(id);
    return;
  }
  MessageClass from = request.message;
  from.tag = mark.tag;
  from.source = *partner;
  messages_.complete_any(id, from, at.object, at.left);
}

void CallReader::probed(Process& process, const CallRecord& call, const Times& at) {
  if (call.has(Field::flag) && call.at(Field::flag) == 0) return;
  auto request = receive_of(process, call);
  if (!request || request->any) return;
  process.messages.add(call.at(Field::message), at.use, post(*request, at, at.left));
}

void CallReader::received_probed(Process& process, const CallRecord& call, const Times& at) {
  const std::uint64_t handle = call.at(Field::message);
  const ReceiveId* const found =
      process.messages.ended_by(handle, at.use, [this](ReceiveId unseen) { messages_.discard(unseen); });
  Request request{.kind = Request::Kind::kOther};
  if (found != nullptr) {
    request = {.kind = Request::Kind::kReceive, .receive = *found};
    process.messages.remove(handle, found);
  }
  if (call.call->kind != Kind::mreceive) {
    keep(process, call, at, request);
  } else if (request.receive) {
    messages_.complete(*request.receive, at.object, at.left);
  }
}

}  // namespace groma::trace
