#include "counters/counter_set.hpp"

#include <cerrno>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "counters/mapped_counter.hpp"
#include "counters/papi.hpp"
#include "counters/reason.hpp"

namespace groma::counters {
namespace {

constexpr std::string_view kUserMode = "user mode only";
constexpr std::string_view kFromUsage = "from the kernel's accounts of the thread";

/// Generic names of the processor and its native ones compete for the same counters.
std::uint32_t unit_of(const Event& event) {
  const bool is_core = event.type == PERF_TYPE_HARDWARE || event.type == PERF_TYPE_HW_CACHE;
  return is_core ? std::uint32_t{PERF_TYPE_RAW} : event.type;
}

perf_event_attr attributes_of(const Event& event, bool leads) {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.config1 = event.config1;
  attributes.config2 = event.config2;
  attributes.disabled = leads ? 1 : 0;
  // A pinned group counts always, or not at all: then it reads as empty, and the collision is seen.
  attributes.pinned = leads ? 1 : 0;
  attributes.exclude_user = event.user ? 0 : 1;
  attributes.exclude_kernel = event.kernel ? 0 : 1;
  attributes.exclude_hv = event.kernel ? 0 : 1;
  attributes.read_format = PERF_FORMAT_GROUP;
  return attributes;
}

bool is_forbidden(int error) {
  return error == EACCES || error == EPERM;
}

}  // namespace

struct CounterSet::Content {
  struct Member {
    int descriptor;
    std::size_t index;  // of its event in the set
    const perf_event_mmap_page* page;
  };

  /// Events that the kernel starts, stops and reads together; the first member leads.
  struct Group {
    std::uint32_t unit;
    std::vector<Member> members;
    std::vector<std::uint64_t> values;  // room for a read: how many, then one for each member
    bool is_mapped = false;             // user mode reads all of them
  };

  struct SoftwareEvent {  // without a descriptor of perf
    std::size_t index;
    Source source;
    Usage usage;
  };

  explicit Content(const System& around) : system(around) {}
  ~Content();
  Content(const Content&) = delete;
  Content& operator=(const Content&) = delete;

  const System& system;
  std::vector<std::string> owned_names;
  std::vector<std::string_view> names;
  std::vector<std::string_view> remarks;
  std::vector<Group> groups;
  std::vector<SoftwareEvent> software_events;
  std::vector<std::string> papi_names;
  std::vector<std::size_t> papi_indices;
  std::unique_ptr<PapiSet> papi;
  std::vector<std::uint64_t> papi_values;

  std::string add(const Event& event, std::size_t index);
  std::string start();
  bool read(std::span<std::uint64_t> values) noexcept;

 private:
  std::string add_perf(Event event, std::size_t index);
  int join(const Event& event, std::size_t index);
  int lead(const Event& event, std::size_t index);
  bool read_group(Group& group, std::span<std::uint64_t> values) const noexcept;
  bool read_pages(const Group& group, std::span<std::uint64_t> values) const noexcept;
  [[nodiscard]] bool has_unit(std::uint32_t unit) const;
  [[nodiscard]] std::uint64_t software_value(const SoftwareEvent& one) const noexcept;
};

CounterSet::Content::~Content() {
  for (const Group& group : groups) {
    for (const Member& member : group.members) {
      if (member.page != nullptr) system.unmap(member.page);
      if (system.is_own(member.descriptor)) system.close(member.descriptor);
    }
  }
}

std::string CounterSet::Content::add(const Event& event, std::size_t index) {
  remarks.emplace_back();
  if (event.source == Source::kPerf) return add_perf(event, index);
  if (event.source == Source::kPapi) {
    papi_names.push_back(event.name.substr(event.name.find(':') + 1));
    papi_indices.push_back(index);
    return {};
  }
  software_events.push_back({index, event.source, event.usage.value_or(Usage::kTaskClock)});
  return {};
}

std::string CounterSet::Content::add_perf(Event event, std::size_t index) {
  int error = join(event, index);
  if (is_forbidden(error) && event.kernel && event.user && !event.is_counted_in_kernel) {
    event.kernel = false;
    error = join(event, index);
    if (!event.is_clock) remarks.back() = kUserMode;
  }
  if (error == 0) return {};
  if (!event.usage) return reason_for(error, event, system);
  software_events.push_back({index, Source::kUsage, *event.usage});
  remarks.back() = kFromUsage;
  return {};
}

/// Tries the groups that are there, then one of its own, unless its unit is in use: two groups of one unit
/// would share its counters in time.
int CounterSet::Content::join(const Event& event, std::size_t index) {
  int error = EINVAL;
  for (Group& group : groups) {
    perf_event_attr attributes = attributes_of(event, false);
    const int opened = system.open(attributes, 0, group.members.front().descriptor);
    if (opened >= 0) {
      group.members.push_back({opened, index, nullptr});
      return 0;
    }
    error = -opened;
    if (error != EINVAL) return error;
  }
  return has_unit(unit_of(event)) ? error : lead(event, index);
}

int CounterSet::Content::lead(const Event& event, std::size_t index) {
  perf_event_attr attributes = attributes_of(event, true);
  const int opened = system.open(attributes, 0, -1);
  if (opened < 0) return -opened;
  groups.push_back({unit_of(event), {{opened, index, nullptr}}, {}, false});
  return 0;
}

bool CounterSet::Content::has_unit(std::uint32_t unit) const {
  for (const Group& group : groups) {
    if (group.unit == unit) return true;
  }
  return false;
}

std::string CounterSet::Content::start() {
  for (Group& group : groups) {
    group.values.resize(1 + group.members.size());
    const int error = system.control(group.members.front().descriptor, PERF_EVENT_IOC_ENABLE, 0);
    if (error < 0) return std::string("the counters do not start: ") + std::strerror(-error);
    group.is_mapped = group.unit != PERF_TYPE_SOFTWARE;
    for (Member& member : group.members) {
      if (group.is_mapped) member.page = system.map(member.descriptor);
      group.is_mapped = member.page != nullptr && member.page->cap_user_rdpmc != 0;
    }
  }
  if (!papi_names.empty()) {
    std::string reason;
    papi = PapiSet::open(papi_names, reason);
    papi_values.resize(papi_names.size());
    if (papi == nullptr) return reason;
  }
  std::vector<std::uint64_t> values(names.size());
  return read(values) ? std::string{}
                      : "no counter is free: something else holds them (often the NMI watchdog)";
}

std::uint64_t CounterSet::Content::software_value(const SoftwareEvent& one) const noexcept {
  return one.source == Source::kTicks ? system.ticks() : system.usage(one.usage);
}

bool CounterSet::Content::read_pages(const Group& group, std::span<std::uint64_t> values) const noexcept {
  for (const Member& member : group.members) {
    const auto value = read_mapped(*member.page, system);
    if (!value) return false;
    values[member.index] = *value;
  }
  return true;
}

bool CounterSet::Content::read_group(Group& group, std::span<std::uint64_t> values) const noexcept {
  if (group.is_mapped && read_pages(group, values)) return true;
  const std::size_t bytes = group.values.size() * sizeof(std::uint64_t);
  const int leader = group.members.front().descriptor;
  if (!system.is_own(leader)) return false;
  const std::int64_t count = system.read(leader, group.values.data(), bytes);
  if (count != static_cast<std::int64_t>(bytes)) return false;
  for (std::size_t i = 0; i < group.members.size(); ++i) values[group.members[i].index] = group.values[1 + i];
  return true;
}

bool CounterSet::Content::read(std::span<std::uint64_t> values) noexcept {
  if (values.size() < names.size()) return false;
  for (Group& group : groups) {
    if (!read_group(group, values)) return false;
  }
  for (const SoftwareEvent& one : software_events) values[one.index] = software_value(one);
  if (papi == nullptr) return true;
  if (!papi->read(papi_values)) return false;
  for (std::size_t i = 0; i < papi_indices.size(); ++i) values[papi_indices[i]] = papi_values[i];
  return true;
}

CounterSet::CounterSet(std::unique_ptr<Content> content) noexcept : content_(std::move(content)) {}
CounterSet::CounterSet(CounterSet&&) noexcept = default;
CounterSet& CounterSet::operator=(CounterSet&&) noexcept = default;
CounterSet::~CounterSet() = default;

std::optional<CounterSet> CounterSet::open(std::span<const Event> events, const System& system,
                                           std::string& reason) try {
  auto content = std::make_unique<Content>(system);
  for (const Event& event : events) content->owned_names.push_back(event.name);
  content->names.assign(content->owned_names.begin(), content->owned_names.end());
  for (std::size_t i = 0; i < events.size(); ++i) {
    reason = content->add(events[i], i);
    if (reason.empty()) continue;
    reason.insert(0, events[i].name + ": ");
    return std::nullopt;
  }
  reason = content->start();
  if (!reason.empty()) return std::nullopt;
  return CounterSet(std::move(content));
} catch (const std::bad_alloc&) {
  return std::nullopt;
}

std::optional<CounterSet> CounterSet::open(std::span<const std::string_view> events,
                                           std::string& reason) try {
  std::vector<Event> found;
  for (const std::string_view name : events) {
    auto event = find_event(name, this_system(), reason);
    if (!event) {
      reason.insert(0, std::string(name) + ": ");
      return std::nullopt;
    }
    found.push_back(std::move(*event));
  }
  return open(found, this_system(), reason);
} catch (const std::bad_alloc&) {
  return std::nullopt;
}

std::size_t CounterSet::size() const noexcept {
  return content_->names.size();
}

std::span<const std::string_view> CounterSet::names() const noexcept {
  return content_->names;
}

std::string_view CounterSet::remark(std::size_t index) const noexcept {
  return content_->remarks[index];
}

bool CounterSet::read(std::span<std::uint64_t> values) noexcept {
  return content_->read(values);
}

}  // namespace groma::counters
