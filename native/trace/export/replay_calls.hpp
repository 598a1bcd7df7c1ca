// What calls that are no collectives do to messages, by their values in a trace.
#pragma once

#include <cstdint>

#include "trace/model/event_types.hpp"

namespace groma::trace::replay {

// Types of events.
constexpr std::uint32_t kOther = 50000003;  ///< calls that are neither messages nor collectives

/// What a call does to messages.
enum class MessageAction : std::uint8_t {
  kNothing,
  kSend,
  kBeginSend,
  kSendBuffered,  ///< begins a send for which nothing waits
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

/// By value of an event of type 50000001 or 50000003.
MessageAction action_of(std::uint32_t value);

/// True for the value of a call that asks whether something is there.
bool is_poll(std::uint32_t value);

}  // namespace groma::trace::replay
