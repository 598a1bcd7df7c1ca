// Probes register themselves.
#pragma once

#include <string_view>
#include <utility>

#include "base/probe_info.hpp"
#include "base/registry.hpp"

namespace groma {

template <class Run>
struct RegisteredProbe {
  ProbeInfo info;
  Run run;
};

template <class Run>
std::pair<std::uint32_t, std::string_view> key_of(const RegisteredProbe<Run>& probe) {
  return {probe.info.order, probe.info.name};
}

/// Those that are run by a function of type `Run`.
template <class Run>
class ProbeRegistry : public Registry<RegisteredProbe<Run>> {
 public:
  using Probe = RegisteredProbe<Run>;

  /// Defines a probe: `const Registration kRegistered(kInfo, run);`
  class Registration : public Registry<Probe>::Registration {
   public:
    Registration(ProbeInfo info, Run run) : Registry<Probe>::Registration({std::move(info), run}) {}
  };
};

}  // namespace groma
