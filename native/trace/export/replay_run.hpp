// The calls and messages of a whole trace, rank by rank.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "trace/export/replay_collectives.hpp"
#include "trace/model/call_pairing.hpp"
#include "trace/model/moment.hpp"
#include "trace/model/trace.hpp"

namespace groma::trace {

/// What a replay leaves out of a trace, or can only guess.
struct ReplayLosses {
  std::uint64_t other_calls = 0;  ///< one-sided, I/O: replayed as the time that they took
  std::uint64_t left_out = 0;     ///< collectives that are persistent, of a topology or of two groups
  std::uint64_t unplaced = 0;     ///< messages that belong to no call, left out
  std::uint64_t cut = 0;          ///< collectives in which some ranks are missing, left out
  std::uint64_t divided = 0;      ///< collectives whose sizes were derived from the sums of ranks
};

namespace replay {

using Rank = std::uint32_t;
constexpr std::uint32_t kNone = 0xFFFFFFFF;

struct Call {
  Nanoseconds begin = 0;
  Nanoseconds end = 0;
  std::uint32_t type = 0;
  std::uint32_t value = 0;
  std::uint32_t collective = kNone;  ///< its place in Run::collectives
};
struct Message {
  Rank from = 0;
  Rank to = 0;
  std::uint32_t tag = 0;  ///< numbers the messages of these two
  Nanoseconds posted = 0;
  Nanoseconds received = 0;
  Nanoseconds sent = 0;
  std::uint64_t bytes = 0;
};

/// A communicator.
struct Group {
  std::uint64_t id = 0;
  std::vector<Rank> members;
  std::map<Rank, std::uint32_t> places;
  std::vector<std::uint32_t> collectives;  ///< places in Run::collectives
};

/// Of the thread of a rank that calls.
struct Program {
  ObjectIndex object = kNone;
  Nanoseconds begin = 0;
  bool has_begun = false;
  Moment moment;        ///< of its last events
  CallPairing pairing;  ///< if a call is open, it is the last one
  std::vector<Call> calls;
  std::vector<std::uint32_t> sends;                    ///< places in Run::messages
  std::vector<std::uint32_t> receives;                 ///< likewise
  std::map<std::uint32_t, std::uint32_t> collectives;  ///< of each communicator so far
};

struct Run {
  std::vector<Program> programs;
  std::vector<Message> messages;
  std::vector<Group> groups;  ///< the first is that of all ranks
  std::vector<Collective> collectives;
  ReplayLosses losses;
};

}  // namespace replay
}  // namespace groma::trace
