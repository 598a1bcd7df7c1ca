// Probes register themselves: a static Registration in the file of a probe is all that there is to adding
// one.
#pragma once

#include <algorithm>
#include <deque>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/probe_info.hpp"

namespace groma {

/// Those that are run by a function of type `Run`. Filled before main() begins and only read afterwards.
template <class Run>
class ProbeRegistry {
 public:
  struct Probe {
    ProbeInfo info;
    Run run;
  };

  /// Defines a probe: `const Registration kRegistered(kInfo, run);`
  class Registration {
   public:
    Registration(ProbeInfo info, Run run) { probes().push_back({std::move(info), run}); }
  };

  /// By their order, then name.
  static std::vector<const Probe*> all() {
    std::vector<const Probe*> sorted;
    for (const Probe& probe : probes()) sorted.push_back(&probe);
    std::ranges::sort(sorted, {}, [](const Probe* one) { return std::tie(one->info.order, one->info.name); });
    return sorted;
  }

  /// Null where no probe has that name.
  static const Probe* find(std::string_view name) {
    for (const Probe& probe : probes()) {
      if (probe.info.name == name) return &probe;
    }
    return nullptr;
  }

 private:
  static std::deque<Probe>& probes() {
    static std::deque<Probe> registered;
    return registered;
  }
};

}  // namespace groma
