#include "counters/event.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace groma::counters {
namespace {

constexpr std::uint64_t cache(std::uint64_t level, std::uint64_t operation, std::uint64_t result) {
  return level | operation << 8 | result << 16;
}

constexpr std::uint32_t kSoftware = PERF_TYPE_SOFTWARE;
constexpr std::uint32_t kHardware = PERF_TYPE_HARDWARE;
constexpr std::uint32_t kCache = PERF_TYPE_HW_CACHE;

constexpr auto kPortable = std::to_array<PortableName>({
    {"task-clock", "processor time of the thread (ns)", kSoftware, PERF_COUNT_SW_TASK_CLOCK},
    {"cpu-clock", "time on a processor (ns)", kSoftware, PERF_COUNT_SW_CPU_CLOCK},
    {"page-faults", "pages that the kernel had to map", kSoftware, PERF_COUNT_SW_PAGE_FAULTS},
    {"minor-faults", "page faults without input", kSoftware, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"major-faults", "page faults with input", kSoftware, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"context-switches", "times the thread left its processor", kSoftware, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", "moves to another processor", kSoftware, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"alignment-faults", "accesses that the kernel aligned", kSoftware, PERF_COUNT_SW_ALIGNMENT_FAULTS},
    {"emulation-faults", "instructions that the kernel emulated", kSoftware, PERF_COUNT_SW_EMULATION_FAULTS},
    {"cycles", "cycles of the core", kHardware, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", "instructions that were completed", kHardware, PERF_COUNT_HW_INSTRUCTIONS},
    {"ref-cycles", "cycles at the nominal frequency", kHardware, PERF_COUNT_HW_REF_CPU_CYCLES},
    {"bus-cycles", "cycles of the bus", kHardware, PERF_COUNT_HW_BUS_CYCLES},
    {"branches", "branches that were completed", kHardware, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", "branches that were mispredicted", kHardware, PERF_COUNT_HW_BRANCH_MISSES},
    {"cache-references", "accesses to the last cache", kHardware, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", "misses of the last cache", kHardware, PERF_COUNT_HW_CACHE_MISSES},
    {"stalled-cycles-frontend", "cycles without instructions", kHardware,
     PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    {"stalled-cycles-backend", "cycles without resources", kHardware, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    {"L1-dcache-loads", "loads", kCache, cache(0, 0, 0)},
    {"L1-dcache-load-misses", "loads that missed the first cache", kCache, cache(0, 0, 1)},
    {"L1-dcache-stores", "stores", kCache, cache(0, 1, 0)},
    {"L1-icache-load-misses", "fetches that missed the first cache", kCache, cache(1, 0, 1)},
    {"LLC-loads", "loads that reached the last cache", kCache, cache(2, 0, 0)},
    {"LLC-load-misses", "loads that missed the last cache", kCache, cache(2, 0, 1)},
    {"LLC-stores", "stores that reached the last cache", kCache, cache(2, 1, 0)},
    {"LLC-store-misses", "stores that missed the last cache", kCache, cache(2, 1, 1)},
    {"dTLB-loads", "loads that were translated", kCache, cache(3, 0, 0)},
    {"dTLB-load-misses", "loads without an entry of the TLB", kCache, cache(3, 0, 1)},
    {"dTLB-stores", "stores that were translated", kCache, cache(3, 1, 0)},
    {"dTLB-store-misses", "stores without an entry of the TLB", kCache, cache(3, 1, 1)},
    {"iTLB-load-misses", "fetches without an entry of the TLB", kCache, cache(4, 0, 1)},
    {"node-loads", "loads from memory", kCache, cache(6, 0, 0)},
    {"node-load-misses", "loads from the memory of another node", kCache, cache(6, 0, 1)},
});

struct Alias {
  std::string_view name;
  std::string_view stands_for;
};

constexpr std::array kAliases{Alias{"faults", "page-faults"}, Alias{"cs", "context-switches"},
                              Alias{"migrations", "cpu-migrations"}, Alias{"cpu-cycles", "cycles"},
                              Alias{"branch-instructions", "branches"}};

struct UsageOf {
  std::uint64_t config;
  Usage usage;
};

constexpr std::array kUsages{UsageOf{PERF_COUNT_SW_PAGE_FAULTS, Usage::kPageFaults},
                             UsageOf{PERF_COUNT_SW_PAGE_FAULTS_MIN, Usage::kMinorFaults},
                             UsageOf{PERF_COUNT_SW_PAGE_FAULTS_MAJ, Usage::kMajorFaults},
                             UsageOf{PERF_COUNT_SW_CONTEXT_SWITCHES, Usage::kContextSwitches},
                             UsageOf{PERF_COUNT_SW_TASK_CLOCK, Usage::kTaskClock}};

constexpr std::string_view kDevices = "/sys/bus/event_source/devices/";

std::optional<std::uint64_t> number(std::string_view text) {
  const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (is_hexadecimal) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, is_hexadecimal ? 16 : 10);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.back() <= ' ') text.remove_suffix(1);
  while (!text.empty() && text.front() <= ' ') text.remove_prefix(1);
  return text;
}

/// Cuts what is before `separator` off `text`; all of it where there is none.
std::string_view cut(std::string_view& text, char separator) {
  const auto at = text.find(separator);
  const std::string_view part = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view{} : text.substr(at + 1);
  return part;
}

std::optional<Event> portable(std::string_view name) {
  const auto* alias = std::ranges::find(kAliases, name, &Alias::name);
  if (alias != kAliases.end()) name = alias->stands_for;
  const auto* found = std::ranges::find(kPortable, name, &PortableName::name);
  if (found == kPortable.end()) return std::nullopt;
  Event event;
  event.type = found->type;
  event.config = found->config;
  if (event.type != kSoftware) return event;
  const auto* usage = std::ranges::find(kUsages, event.config, &UsageOf::config);
  if (usage != kUsages.end()) event.usage = usage->usage;
  event.is_clock = event.config == PERF_COUNT_SW_TASK_CLOCK || event.config == PERF_COUNT_SW_CPU_CLOCK;
  event.is_counted_in_kernel =
      event.config == PERF_COUNT_SW_CONTEXT_SWITCHES || event.config == PERF_COUNT_SW_CPU_MIGRATIONS;
  return event;
}

std::optional<Event> raw(std::string_view name) {
  if (name.size() < 2 || name.front() != 'r') return std::nullopt;
  const std::optional<std::uint64_t> code = number("0x" + std::string(name.substr(1)));
  if (!code) return std::nullopt;
  Event event;
  event.type = PERF_TYPE_RAW;
  event.config = *code;
  return event;
}

/// Puts the low bits of `value` where a line of `format/` says, such as "config:0-7,32-35".
bool place(Event& event, std::string_view format, std::uint64_t value) {
  format = trimmed(format);
  const std::string_view word = cut(format, ':');
  std::uint64_t* config = word == "config"    ? &event.config
                          : word == "config1" ? &event.config1
                          : word == "config2" ? &event.config2
                                              : nullptr;
  if (config == nullptr) return false;
  while (!format.empty()) {
    std::string_view range = cut(format, ',');
    const auto low = number(cut(range, '-'));
    const auto high = range.empty() ? low : number(range);
    if (!low || !high || *high < *low || *high > 63) return false;
    const std::uint64_t width = *high - *low + 1;
    const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    *config = (*config & ~(mask << *low)) | (value & mask) << *low;
    value = width == 64 ? 0 : value >> width;
  }
  return value == 0;
}

/// A unit that counts, a folder of /sys/bus/event_source/devices.
struct Unit {
  const System& system;
  std::string name;

  [[nodiscard]] std::optional<std::string> text(std::string_view file) const {
    return system.text(std::string(kDevices) + name + "/" + std::string(file));
  }
  /// Sets the fields of terms such as "event=0x3c,umask=1"; empty on success, else the reason.
  std::string set(Event& event, std::string_view terms) const {
    while (!terms.empty()) {
      std::string_view value = cut(terms, ',');
      const std::string field(trimmed(cut(value, '=')));
      const auto format = text("format/" + field);
      if (!format) return "the unit " + name + " has no event and no field " + field;
      const auto wanted = value.empty() ? std::optional<std::uint64_t>(1) : number(trimmed(value));
      if (!wanted || !place(event, *format, *wanted))
        return "the field " + field + " of the unit " + name + " cannot be " + std::string(trimmed(value));
    }
    return {};
  }
};

std::optional<Event> native(std::string_view unit_name, std::string_view terms, const System& system,
                            std::string& reason) {
  if (unit_name.find('/') != std::string_view::npos || unit_name.find("..") != std::string_view::npos) {
    reason = "a unit has no slash in its name";
    return std::nullopt;
  }
  const Unit unit{system, std::string(unit_name)};
  const auto type = unit.text("type");
  const auto type_number = type ? number(trimmed(*type)) : std::nullopt;
  if (!type_number) {
    reason = "this machine has no unit " + unit.name + " (see " + std::string(kDevices) + ")";
    return std::nullopt;
  }
  Event event;
  event.type = static_cast<std::uint32_t>(*type_number);
  const bool is_name = terms.find_first_of("=,/.") == std::string_view::npos;
  const auto described = is_name ? unit.text("events/" + std::string(terms)) : std::nullopt;
  const std::string all(described ? trimmed(*described) : terms);
  reason = unit.set(event, all);
  if (!reason.empty()) return std::nullopt;
  return event;
}

bool is_of_core(const Event& event) {
  return event.type == kHardware || event.type == kCache || event.type == PERF_TYPE_RAW;
}

/// Edges and durations are counted by comparing what happens in a cycle with a threshold of one.
std::string set_kind(Event& event, Kind kind, std::string_view unit_name, const System& system) {
  if (kind == Kind::kOccurrences) return {};
  if (event.source != Source::kPerf || event.type == kSoftware)
    return "only hardware counts edges and durations";
  if (event.type == kHardware || event.type == kCache)
    return "edges and durations need a native or raw name, such as cpu/event=0x3c/:edge";
  const Unit unit{system, std::string(unit_name.empty() ? "cpu" : unit_name)};
  if (kind == Kind::kEdge) return unit.set(event, "edge=1,cmask=1");
  return unit.set(event, kind == Kind::kIdle ? "inv=1,cmask=1" : "cmask=1");
}

std::optional<Kind> kind_of(std::string_view word) {
  if (word == "edge") return Kind::kEdge;
  if (word == "duration" || word == "level") return Kind::kDuration;
  if (word == "idle") return Kind::kIdle;
  return std::nullopt;
}

std::string modify(Event& event, std::string_view modifiers, std::string_view unit, const System& system) {
  while (!modifiers.empty()) {
    const std::string_view word = cut(modifiers, ':');
    if (word == "u" || word == "k" || word == "uk" || word == "ku") {
      event.user = word != "k";
      event.kernel = word != "u";
      event.usage.reset();
    } else if (const auto kind = kind_of(word)) {
      if (std::string why = set_kind(event, *kind, unit, system); !why.empty()) return why;
    } else {
      return "the modifier " + std::string(word) + " is none of u, k, edge, duration, idle";
    }
  }
  return {};
}

/// Without modifiers. `rest` keeps these, `unit` the name of a native event's unit.
std::optional<Event> unmodified(std::string_view name, std::string_view& rest, std::string_view& unit,
                                const System& system, std::string& reason) {
  if (const auto slash = name.find('/'); slash != std::string_view::npos) {
    rest = name.substr(slash + 1);
    unit = name.substr(0, slash);
    const std::string_view terms = cut(rest, '/');
    if (rest.starts_with(':')) rest.remove_prefix(1);
    return native(unit, terms, system, reason);
  }
  rest = name;
  const std::string_view word = cut(rest, ':');
  Event event;
  event.source = word == "papi" ? Source::kPapi : Source::kTicks;
  if (word == "papi") {
    if (rest.empty()) reason = "papi: needs the name of an event";
    if (rest.empty()) return std::nullopt;
    rest = {};
    return event;
  }
  if (word == "tsc") return event;
  if (auto found = portable(word)) return found;
  if (auto found = raw(word)) return found;
  reason = "unknown event or group (groma counters lists those of this machine)";
  return std::nullopt;
}

}  // namespace

std::span<const PortableName> portable_names() noexcept {
  return kPortable;
}

std::vector<std::string_view> listed_names(std::string_view list) {
  std::vector<std::string_view> names;
  bool is_in_unit = false;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= list.size(); ++at) {
    const char sign = at < list.size() ? list[at] : ',';
    if (sign == '/') is_in_unit = !is_in_unit;
    if (at < list.size() && (sign != ',' || is_in_unit)) continue;
    if (at > begin) names.push_back(list.substr(begin, at - begin));
    begin = at + 1;
  }
  return names;
}

std::optional<Event> find_event(std::string_view name, const System& system, std::string& reason) {
  std::string_view rest;
  std::string_view unit;
  std::optional<Event> event = unmodified(name, rest, unit, system, reason);
  if (!event) return std::nullopt;
  event->name = name;
  if (event->source != Source::kPerf && !rest.empty()) {
    reason = "only perf events have modifiers";
    return std::nullopt;
  }
  reason = modify(*event, rest, is_of_core(*event) ? std::string_view{} : unit, system);
  if (!reason.empty()) return std::nullopt;
  return event;
}

}  // namespace groma::counters
