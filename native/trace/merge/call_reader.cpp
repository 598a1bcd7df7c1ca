#include "trace/merge/records.hpp"

namespace groma::trace {

using log::Field;
using log::Kind;

std::optional<Nanoseconds> CallReader::advance(Thread& thread, SharedNames& names) {
  while (true) {
    const LogItem item = thread.log->next();
    for (const CommunicatorDefinition& one : thread.log->take_definitions()) {
      processes_.define(*thread.process, one);
    }
    switch (item) {
      case LogItem::kEnd:
        return std::nullopt;
      case LogItem::kCall:
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

void CallReader::take(Thread& thread) {
  const CallRecord& call = thread.log->call();
  Process& process = *thread.process;
  const Times at{thread.index, thread.time(call.entered), thread.time(call.left)};
  if (call.call->kind == Kind::control && !call.failed) take_control(process, call, at);
  if (!process.off.at(at.entered)) {
    CallTotal& sum = thread.sums[static_cast<std::size_t>(call.call - log::kCalls.data())];
    ++sum.count;
    sum.time += at.left - at.entered;
  }
  if (!call.failed) {
    take_message(process, call, at);
    take_request(process, call, at);
  }
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
      send(process, call, later);
      process.requests.erase(call.at(Field::request));
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
      keep_init(process, call, true);
      break;
    case Kind::receive_init:
    case Kind::partitioned_receive_init:
      keep_init(process, call, false);
      break;
    case Kind::start:
      if (call.has(Field::request)) start(process, call.at(Field::request), at);
      for (const RequestMark& mark : call.requests) start(process, mark.handle, at);
      break;
    case Kind::wait:
      for (const RequestMark& mark : call.requests) complete(process, mark, at);
      break;
    case Kind::request_free:
      complete(process, {call.at(Field::request), log::Completion::plain, log::kAny, log::kAny}, at);
      process.requests.erase(call.at(Field::request));
      break;
    case Kind::icollective:
    case Kind::collective_init:
      process.requests.erase(call.at(Field::request));
      break;
    default:
      break;
  }
}

void CallReader::count(Process& process, const MessageClass& to, std::uint64_t bytes) {
  auto& [messages, sum] = process.sent[to.destination];
  ++messages;
  sum += bytes;
}

std::optional<MessageClass> CallReader::sent_class(Process& process, const CallRecord& call) {
  const auto communicator = processes_.communicator(process, call.at(Field::communicator));
  if (!communicator) return std::nullopt;
  const auto partner = processes_.partner(*communicator, call.signed_at(Field::destination));
  if (!partner) return std::nullopt;
  return MessageClass{communicator->group, process.rank, *partner, call.signed_at(Field::send_tag),
                      call.call->kind == Kind::partitioned_send_init};
}

void CallReader::send(Process& process, const CallRecord& call, const SentMessage& times) {
  const auto to = sent_class(process, call);
  if (!to) return;
  SentMessage message = times;
  message.bytes = call.at(Field::send_bytes);
  if (!process.off.at(times.logical)) count(process, *to, message.bytes);
  matcher_.send(*to, message);
}

/// What a receive waits for; nothing for one from MPI_PROC_NULL.
std::optional<Request> CallReader::receive_of(Process& process, const CallRecord& call) {
  const auto communicator = processes_.communicator(process, call.at(Field::communicator));
  const std::int64_t source = call.signed_at(Field::source);
  const std::int64_t tag = call.signed_at(Field::receive_tag);
  if (!communicator || source == log::kProcessNull) return std::nullopt;
  Request request;
  request.group = communicator->group;
  request.any = source == log::kAny || tag == log::kAny;
  request.message = {communicator->group, 0, process.rank, tag,
                     call.call->kind == Kind::partitioned_receive_init};
  if (!request.any) {
    const auto partner = processes_.partner(*communicator, source);
    if (!partner) return std::nullopt;
    request.message.source = *partner;
  }
  return request;
}

ReceiveId CallReader::post(Request& request, const Process& process, const Times& at, Nanoseconds logical) {
  const ReceiveId id = request.any ? matcher_.post_any(process.rank, request.group, at.object, logical)
                                   : matcher_.post(request.message, at.object, logical);
  request.receive = id;
  return id;
}

void CallReader::receive(Process& process, const CallRecord& call, const Times& at, Nanoseconds logical) {
  auto request = receive_of(process, call);
  if (!request || request->any) return;
  matcher_.complete(post(*request, process, at, logical), at.left);
}

void CallReader::receive_later(Process& process, const CallRecord& call, const Times& at) {
  auto request = receive_of(process, call);
  if (!request) {
    process.requests.erase(call.at(Field::request));
    return;
  }
  post(*request, process, at, at.left);
  process.requests[call.at(Field::request)] = *request;
}

void CallReader::keep_init(Process& process, const CallRecord& call, bool sends) {
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
  if (request) {
    process.requests[call.at(Field::request)] = *request;
  } else {
    process.requests.erase(call.at(Field::request));
  }
}

void CallReader::start(Process& process, std::uint64_t handle, const Times& at) {
  const auto found = process.requests.find(handle);
  if (found == process.requests.end()) return;
  Request& request = found->second;
  if (request.kind == Request::Kind::kSendInit) {
    if (!process.off.at(at.entered)) count(process, request.message, request.bytes);
    matcher_.send(request.message, {at.object, at.entered, at.left, request.bytes});
  } else if (request.kind == Request::Kind::kReceiveInit) {
    post(request, process, at, at.left);
  }
}

void CallReader::complete(Process& process, const RequestMark& mark, const Times& at) {
  const auto found = process.requests.find(mark.handle);
  if (found == process.requests.end()) return;
  Request& request = found->second;
  if (request.receive) finish(process, request, mark, at);
  request.receive.reset();
  if (request.kind == Request::Kind::kReceive) process.requests.erase(found);
}

void CallReader::finish(Process& process, Request& request, const RequestMark& mark, const Times& at) {
  const ReceiveId id = *request.receive;
  if (mark.how == log::Completion::cancelled) {
    matcher_.abandon(id);
    return;
  }
  if (!request.any) {
    matcher_.complete(id, at.left);
    return;
  }
  MessageClass from = request.message;
  from.tag = mark.tag;
  std::optional<std::uint32_t> partner;
  for (const auto& communicator : process.communicators) {
    if (communicator && communicator->group == request.group) {
      partner = processes_.partner(*communicator, mark.source);
      break;
    }
  }
  if (!partner || mark.how == log::Completion::plain) {
    matcher_.abandon(id);
    return;
  }
  from.source = *partner;
  matcher_.complete_any(id, from, at.left);
}

void CallReader::probed(Process& process, const CallRecord& call, const Times& at) {
  if (call.has(Field::flag) && call.at(Field::flag) == 0) return;
  auto request = receive_of(process, call);
  if (!request || request->any) return;
  process.messages[call.at(Field::message)] = post(*request, process, at, at.left);
}

void CallReader::received_probed(Process& process, const CallRecord& call, const Times& at) {
  const auto found = process.messages.find(call.at(Field::message));
  if (found == process.messages.end()) return;
  if (call.call->kind == Kind::mreceive) {
    matcher_.complete(found->second, at.left);
  } else {
    Request request;
    request.receive = found->second;
    process.requests[call.at(Field::request)] = request;
  }
  process.messages.erase(found);
}

}  // namespace groma::trace
