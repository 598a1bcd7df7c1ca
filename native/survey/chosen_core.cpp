#include "survey/chosen_core.hpp"

#include <algorithm>
#include <limits>

#include "base/affinity.hpp"

namespace groma::survey {

LogicalCore chosen_core(const Context& context) {
  const double asked = context.parameters.number(kCoreParameter.name);
  constexpr double kMost = std::numeric_limits<std::uint32_t>::max();
  if (asked >= 0) return LogicalCore(static_cast<std::uint32_t>(std::min(asked, kMost)));
  return context.topology.allowed.empty() ? LogicalCore(0) : context.topology.allowed.front();
}

Status pin_to_chosen_core(const Context& context) {
  if (context.topology.allowed.empty()) return Done{};
  const LogicalCore core = chosen_core(context);
  if (core.number() >= context.topology.cores.size()) {
    return Error{"usage", "there is no core " + std::to_string(core.number()),
                 "groma-probe topology lists them"};
  }
  // The kernel would let a process leave its affinity mask.
  if (std::ranges::find(context.topology.allowed, core) == context.topology.allowed.end()) {
    return Error{"usage", "core " + std::to_string(core.number()) + " may not be used by this process",
                 "name an allowed core, or widen the affinity mask or the cpuset"};
  }
  return pin_this_thread(context.topology.physical(core));
}

}  // namespace groma::survey
