#include "trace/export/replay_calls.hpp"

#include <algorithm>
#include <array>

namespace groma::trace::replay {
namespace {

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

}  // namespace

Does done_by(std::uint32_t value) {
  const auto* const found = std::ranges::find(kKnown, value % kLargeCount, &KnownCall::value);
  return found == kKnown.end() ? Does::kNothing : found->does;
}

bool is_poll(std::uint32_t value) {
  constexpr std::array<std::uint32_t, 7> polls{39, 125, 126, 128, 62, 191, 311};
  return std::ranges::find(polls, value) != polls.end();
}

}  // namespace groma::trace::replay
