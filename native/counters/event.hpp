// Events by name: portable names, native names of /sys/bus/event_source, raw codes, the time stamp, PAPI.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "counters/system.hpp"

namespace groma::counters {

enum class Source { kPerf, kUsage, kTicks, kPapi };

/// What of an event is counted, as the UPC unit of Blue Gene/L has it: every occurrence, the moments at which
/// a state begins (edge), the cycles for which it lasts (duration), or the cycles without it (idle).
enum class Kind { kOccurrences, kEdge, kDuration, kIdle };

struct Event {
  std::string name;  // as it was asked for
  Source source = Source::kPerf;
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  std::uint64_t config2 = 0;
  bool user = true;
  bool kernel = true;
  bool is_counted_in_kernel = false;  // its occurrences lie in the kernel: user mode alone would see none
  bool is_clock = false;              // counts time in all modes, whichever are asked for
  std::optional<Usage> usage;         // what stands in where perf events are forbidden
};

/// The event called `name`, as README of groma counters spells them; else none and the reason, one line.
/// Modifiers follow a colon: u, k, edge, duration, idle.
std::optional<Event> find_event(std::string_view name, const System& system, std::string& reason);

/// The names in a list. They are separated by commas; those between the strokes of a native name belong to
/// it.
std::vector<std::string_view> listed_names(std::string_view list);

struct PortableName {
  std::string_view name;
  std::string_view what;
  std::uint32_t type;
  std::uint64_t config;
};

/// All portable names of perf events, of the kernel's software first.
std::span<const PortableName> portable_names() noexcept;

}  // namespace groma::counters
