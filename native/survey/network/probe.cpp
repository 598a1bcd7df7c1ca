#include "survey/network/probe.hpp"

#include <algorithm>
#include <deque>
#include <utility>

namespace groma::survey::network {
namespace {

std::deque<Probe>& probes() {
  static std::deque<Probe> all;
  return all;
}

}  // namespace

std::vector<const Probe*> registered_probes() {
  std::vector<const Probe*> sorted;
  for (const Probe& probe : probes()) sorted.push_back(&probe);
  std::sort(sorted.begin(), sorted.end(), [](const Probe* a, const Probe* b) {
    return std::pair(a->info.order, a->info.name) < std::pair(b->info.order, b->info.name);
  });
  return sorted;
}

const Probe* find_probe(std::string_view name) {
  for (const Probe& probe : probes()) {
    if (probe.info.name == name) return &probe;
  }
  return nullptr;
}

Registration::Registration(ProbeInfo info, Run run) {
  probes().push_back({std::move(info), run});
}

}  // namespace groma::survey::network
