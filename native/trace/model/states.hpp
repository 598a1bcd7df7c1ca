// The states of a thread, as Paraver numbers, names and paints them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>

namespace groma::trace {

struct StateOfParaver {
  std::uint32_t number;
  const char* label;
  const char* colour;
};
constexpr auto kStates = std::to_array<StateOfParaver>({
    {0, "Idle", "{117,195,255}"},
    {1, "Running", "{0,0,255}"},
    {2, "Not created", "{255,255,255}"},
    {3, "Waiting a message", "{255,0,0}"},
    {4, "Blocking Send", "{255,0,174}"},
    {5, "Synchronization", "{179,0,0}"},
    {6, "Test/Probe", "{0,255,0}"},
    {7, "Scheduling and Fork/Join", "{255,255,0}"},
    {8, "Wait/WaitAll", "{235,0,0}"},
    {9, "Blocked", "{0,162,0}"},
    {10, "Immediate Send", "{255,0,255}"},
    {11, "Immediate Receive", "{100,100,177}"},
    {12, "I/O", "{172,174,41}"},
    {13, "Group Communication", "{255,144,26}"},
    {14, "Tracing Disabled", "{2,255,177}"},
    {15, "Others", "{192,224,0}"},
    {16, "Send Receive", "{66,66,66}"},
    {20, "Remote memory access", "{255,0,96}"},
    {21, "Atomic memory operation", "{169,169,169}"},
    {22, "Memory ordering operation", "{169,0,0}"},
    {23, "Distributed locking", "{0,109,255}"},
    {24, "Overhead", "{200,61,68}"},
    {25, "One-sided communication", "{200,66,0}"},
});

inline const std::map<std::uint32_t, std::string>& names_of_states() {
  static const auto names = [] {
    std::map<std::uint32_t, std::string> made;
    for (const StateOfParaver& one : kStates) made.emplace(one.number, one.label);
    return made;
  }();
  return names;
}

/// Grey for a state that has none.
inline const char* colour_of_state(std::uint32_t state) {
  const auto* const found = std::ranges::find(kStates, state, &StateOfParaver::number);
  return found == kStates.end() ? "{128,128,128}" : found->colour;
}

}  // namespace groma::trace
