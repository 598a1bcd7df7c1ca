// A processor with a few counters, for tests of plans: the test says which event can stand on which counter.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "counters/system.hpp"

namespace groma::counters {

class FakeCounters : public System {
 public:
  /// Counters on which an event of the processor may stand, as bits, by its config; all where none is given.
  std::map<std::uint64_t, std::uint32_t> allowed;
  std::uint32_t slots = 4;
  /// Counters that something else holds: opening does not see it, starting does.
  std::uint32_t held = 0;
  int refusal = 0;              // errno of every opening
  int refusal_of_kernel = 0;    // errno of openings that count in the kernel
  int refusal_of_hardware = 0;  // errno of openings of the processor's events
  std::map<std::string, std::string> files;
  std::set<int> closed_by_program;  // descriptors that are other files now
  mutable std::uint64_t value = 0;
  mutable int open_descriptors = 0;
  mutable int openings = 0;

  int open(perf_event_attr& attributes, int /*process*/, int group) const noexcept override {
    const bool is_hardware = attributes.type != PERF_TYPE_SOFTWARE;
    if (refusal != 0) return -refusal;
    if (refusal_of_kernel != 0 && attributes.exclude_kernel == 0) return -refusal_of_kernel;
    if (refusal_of_hardware != 0 && is_hardware) return -refusal_of_hardware;
    ++openings;
    auto members = group < 0 ? std::vector<std::uint64_t>{} : groups_.at(group).hardware;
    if (is_hardware) members.push_back(attributes.config);
    if (!fit(members, slots)) return -EINVAL;
    const int descriptor = next_++;
    const int leader = group < 0 ? descriptor : group;
    groups_[leader].hardware = members;
    ++groups_[leader].size;
    ++open_descriptors;
    return descriptor;
  }
  void close(int /*descriptor*/) const noexcept override { --open_descriptors; }
  [[nodiscard]] bool is_own(int descriptor) const noexcept override {
    return !closed_by_program.contains(descriptor);
  }
  int control(int /*descriptor*/, unsigned long /*request*/,
              unsigned long /*argument*/) const noexcept override {
    return 0;
  }
  std::int64_t read(int descriptor, void* to, std::size_t bytes) const noexcept override {
    const Group& group = groups_.at(descriptor);
    if (!fit(group.hardware, slots - held)) return 0;
    auto* values = static_cast<std::uint64_t*>(to);
    if (bytes < (1 + group.size) * sizeof(*values)) return -ENOSPC;
    values[0] = group.size;
    for (std::size_t i = 0; i < group.size; ++i) values[1 + i] = value + i;
    return static_cast<std::int64_t>((1 + group.size) * sizeof(*values));
  }
  const perf_event_mmap_page* map(int /*descriptor*/) const noexcept override { return nullptr; }
  void unmap(const perf_event_mmap_page* /*page*/) const noexcept override {}
  std::uint64_t read_processor(std::uint32_t /*index*/) const noexcept override { return 0; }
  std::uint64_t usage(Usage what) const noexcept override { return 100 + static_cast<std::uint64_t>(what); }
  std::uint64_t ticks() const noexcept override { return ++value; }
  [[nodiscard]] std::optional<std::string> text(const std::string& path) const override {
    const auto found = files.find(path);
    return found == files.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  struct Group {
    std::vector<std::uint64_t> hardware;
    std::size_t size = 0;
  };
  mutable std::map<int, Group> groups_;
  mutable int next_ = 100;

  /// Whether each event finds a counter of its own, by augmenting paths.
  [[nodiscard]] bool fit(const std::vector<std::uint64_t>& events, std::uint32_t count) const {
    std::vector<int> holder(count, -1);
    for (std::size_t i = 0; i < events.size(); ++i) {
      std::vector<bool> seen(count);
      if (!place(events, static_cast<int>(i), holder, seen)) return false;
    }
    return true;
  }
  [[nodiscard]] bool place(const std::vector<std::uint64_t>& events, int event, std::vector<int>& holder,
                           std::vector<bool>& seen) const {
    const auto found = allowed.find(events[static_cast<std::size_t>(event)]);
    const std::uint32_t mask = found == allowed.end() ? ~0U : found->second;
    for (std::size_t slot = 0; slot < holder.size(); ++slot) {
      if ((mask >> slot & 1U) == 0 || seen[slot]) continue;
      seen[slot] = true;
      if (holder[slot] < 0 || place(events, holder[slot], holder, seen)) {
        holder[slot] = event;
        return true;
      }
    }
    return false;
  }
};

}  // namespace groma::counters
