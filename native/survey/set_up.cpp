#include "survey/set_up.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "survey/beyond_cache.hpp"

namespace groma::survey {
namespace {

constexpr Bytes kStep = 16_MiB;

/// Sampling goes on for a third of the budget after this; the caller of a probe ends it later.
constexpr double kMaxBudgets = 2.0;
constexpr Seconds kMaxBeyond{30.0};

std::string in_seconds(Seconds time) {
  return std::to_string(static_cast<long>(std::ceil(time.value()))) + " s";
}

Error too_long(const std::string& what, Seconds budget) {
  return {"probe.no_time", what + ", its budget is " + in_seconds(budget) + ": not measured",
          "use a smaller max_size, or give it more time (--budget TIME)"};
}

}  // namespace

Status refuse_too_long(const std::string& measured, Bytes largest, Seconds needed, Seconds budget) {
  if (needed <= std::max(budget, kNeverRefused)) return Done{};
  return too_long(measured + " up to " + in_mib(largest) + " takes about " + in_seconds(needed) +
                      " for one sample of each size",
                  budget);
}

Status touch(const Block& block, const Context& context) {
  const Seconds budget(context.parameters.number("budget"));
  const Seconds most = budget * kMaxBudgets + kMaxBeyond;
  for (std::size_t begin = 0; begin < block.size(); begin += kStep.value()) {
    if (context.cancelled) return Done{};
    const Seconds taken = context.clock.now() - context.started;
    if (taken > most) return too_long("after " + in_seconds(taken) + " its memory is not set up", budget);
    block.touch(begin, std::min(begin + kStep.value(), block.size()));
  }
  return Done{};
}

Status interrupted(const Context& context) {
  context.sample({}, std::vector{Task{[](Recorder& /*none*/) {}}}, context.parameters.rule());
  return Done{};
}

}  // namespace groma::survey
