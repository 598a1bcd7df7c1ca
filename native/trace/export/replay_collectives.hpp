// Collectives of a trace as a replay names them, with sizes from the sums of their ranks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/export/replay_calls.hpp"

namespace groma::trace::replay {

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

/// By value of an event of type 50000002; nullptr for what is no collective of a communicator.
const KnownCollective* collective_of(std::uint32_t value);
bool is_of_topology(std::uint32_t value);
/// By value of an event of type 50000003: a call that makes a request of a collective.
bool makes_persistent(std::uint32_t value);

/// A collective of a communicator, with the sums of its ranks in their order there.
struct Collective {
  std::uint32_t communicator = 0;
  std::uint32_t value = 0;
  std::uint32_t root = 0;
  std::uint32_t arrived = 0;
  std::vector<std::uint64_t> sent;
  std::vector<std::uint64_t> received;
};

/// Its sizes are derived: what each rank sends to each other one is unknown.
bool is_divided(const Collective& one);

/// Name and arguments of a collective for the rank at place `own` of its communicator; `value` is that of the
/// rank's own call, which may block or not.
std::string action_of(const Collective& one, std::uint32_t value, std::size_t own);

}  // namespace groma::trace::replay
