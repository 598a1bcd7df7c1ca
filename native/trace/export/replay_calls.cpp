#include "trace/export/replay_calls.hpp"

#include <algorithm>
#include <array>

namespace groma::trace::replay {
namespace {

struct KnownCall {
  std::uint32_t value;
  MessageAction action;
};
constexpr auto kKnown = std::to_array<KnownCall>({
    {1, MessageAction::kSend},
    {33, MessageAction::kSendBuffered},
    {34, MessageAction::kSend},
    {35, MessageAction::kSend},
    {3, MessageAction::kBeginSend},
    {36, MessageAction::kSendBuffered},
    {37, MessageAction::kBeginSend},
    {38, MessageAction::kBeginSend},
    {2, MessageAction::kReceive},
    {192, MessageAction::kReceive},
    {4, MessageAction::kBeginReceive},
    {41, MessageAction::kExchange},
    {42, MessageAction::kExchange},
    {303, MessageAction::kBeginExchange},
    {304, MessageAction::kBeginExchange},
    {123, MessageAction::kBeginExchange},
    {124, MessageAction::kBeginExchange},
    {190, MessageAction::kBeginReceive},
    {191, MessageAction::kBeginReceive},
    {5, MessageAction::kWait},
    {59, MessageAction::kWait},
    {60, MessageAction::kWait},
    {6, MessageAction::kWaitAll},
    {39, MessageAction::kTest},
    {125, MessageAction::kTest},
    {126, MessageAction::kTest},
    {128, MessageAction::kTest},
    {31, MessageAction::kInit},
    {300, MessageAction::kInit},
    {32, MessageAction::kFinalize},
});

}  // namespace

MessageAction action_of(std::uint32_t value) {
  const auto* const found = std::ranges::find(kKnown, value % kLargeCount, &KnownCall::value);
  return found == kKnown.end() ? MessageAction::kNothing : found->action;
}

bool is_poll(std::uint32_t value) {
  constexpr std::array<std::uint32_t, 7> polls{39, 125, 126, 128, 62, 191, 311};
  return std::ranges::find(polls, value) != polls.end();
}

}  // namespace groma::trace::replay
