// The calls of MPI that a log knows. Made from mpi_calls.txt.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

namespace groma::trace::log {

/// What a record says of a call, in the order in which it says it. wrapper_generator/listed_calls.py has the
/// same list.
enum class Field : std::uint8_t {
  send_bytes,
  destination,
  send_tag,
  receive_bytes,
  source,
  receive_tag,
  bytes,
  target,
  root,
  communicator,
  new_communicator,
  request,
  message,
  flag,
};
constexpr unsigned kFieldCount = 14;
using FieldSet = std::uint32_t;
constexpr FieldSet field_bit(Field field) {
  return FieldSet{1} << static_cast<unsigned>(field);
}

/// Signed fields hold ranks and tags, where these stand for what the MPI calls otherwise.
constexpr std::int64_t kProcessNull = -1;
constexpr std::int64_t kAny = -2;            ///< MPI_ANY_SOURCE, MPI_ANY_TAG
constexpr std::int64_t kIntercommRoot = -3;  ///< MPI_ROOT
constexpr std::int64_t kUndefined = -4;
constexpr bool is_signed(Field field) {
  return field == Field::destination || field == Field::send_tag || field == Field::source ||
         field == Field::receive_tag || field == Field::target || field == Field::root ||
         field == Field::request || field == Field::message;
}

enum class Family : std::uint8_t { p2p, collective, other, rma, io };

/// States of Paraver.
enum class State : std::uint8_t {
  idle = 0,
  running = 1,
  not_created = 2,
  waiting_message = 3,
  blocking_send = 4,
  synchronization = 5,
  test = 6,
  wait = 8,
  immediate_send = 10,
  immediate_receive = 11,
  io = 12,
  group = 13,
  tracing_disabled = 14,
  others = 15,
  send_receive = 16,
  atomic = 21,
  locking = 23,
  one_sided = 25,
};

/// What a call does to messages, requests and communicators.
enum class Kind : std::uint8_t {
  init,
  finalize,
  abort,
  session,
  control,
  send,
  isend,
  receive,
  ireceive,
  sendrecv,
  isendrecv,
  send_init,
  receive_init,
  partitioned_send_init,
  partitioned_receive_init,
  start,
  partition,
  wait,
  cancel,
  request_free,
  other,
  probe,
  mprobe,
  mreceive,
  imreceive,
  collective,
  icollective,
  collective_init,
  new_communicator,
  idup,
  communicator_free,
  window,
  transfer,
  file,
};

struct CallInfo {
  std::string_view name;  ///< without MPI_
  std::uint32_t value;    ///< in a .prv
  Family family;
  State state;
  Kind kind;
  FieldSet fields;
};

inline constexpr auto kCalls = std::to_array<CallInfo>({
#define GROMA_MPI_CALL(name, value, family, state, kind, fields) \
  {#name, value, Family::family, State::state, Kind::kind, fields},
#include "trace/log/mpi_call_table.inc"
#undef GROMA_MPI_CALL
});

enum class CallIndex : std::uint16_t {
#define GROMA_MPI_CALL(name, value, family, state, kind, fields) name,
#include "trace/log/mpi_call_table.inc"
#undef GROMA_MPI_CALL
};

/// Whether messages, requests or communicators depend on a call: such calls are recorded also while tracing
/// is switched off, so that the messages after it find their partners.
constexpr bool is_kept_while_off(CallIndex call) {
  switch (kCalls[static_cast<std::size_t>(call)].kind) {
    case Kind::other:
    case Kind::probe:
    case Kind::partition:
    case Kind::collective:
    case Kind::window:
    case Kind::transfer:
    case Kind::file:
      return false;
    default:
      return true;
  }
}

/// Calls that ask for something that is not there yet, by the number that Paraver's event types give them.
enum class Miss : std::uint8_t { iprobe, request_get_status, test, improbe };
constexpr std::size_t kMisses = 4;

/// Tells lists of calls apart (FNV-1a): a log can be read only with the list that it was written with.
constexpr std::uint64_t calls_hash() {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  const auto add = [&hash](std::uint64_t byte) { hash = (hash ^ byte) * 0x100000001b3ULL; };
  for (const CallInfo& call : kCalls) {
    for (const char letter : call.name) {
      add(static_cast<unsigned char>(letter));
    }
    for (std::uint64_t rest = call.fields; rest != 0; rest >>= 8U) {
      add(rest & 0xffU);
    }
  }
  return hash;
}

}  // namespace groma::trace::log
