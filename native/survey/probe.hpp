// What a probe is. A probe is one source file that defines its ProbeInfo and its run function and registers
// itself with a static Registration; no list is edited anywhere.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "base/sampling.hpp"
#include "base/topology.hpp"

namespace groma::survey {

/// A knob of a probe with its value at each depth of the survey.
struct Parameter {
  std::string_view name;
  std::string_view quick;
  std::string_view standard;
  std::string_view thorough;
  std::string_view help;
};

struct ProbeInfo {
  std::string_view name;
  std::string_view title;
  std::string_view measures;          ///< the quantities, with units
  std::string_view method;            ///< one sentence; the page docs/probes/<name>.md has the rest
  std::string_view moves;             ///< bytes and flops per sample
  std::string_view reference;         ///< paper and section
  std::uint32_t order = 100;          ///< lower ones run first in a survey
  std::vector<Parameter> parameters;  ///< beside those every probe has: budget, rounds, seed
};

/// Values of a probe's parameters: the depth's, overridden by key=value of the caller.
class Parameters {
 public:
  /// Errors: what is not key=value, an unknown key or depth, no number or a negative one where the default is
  /// a number that is not negative.
  static Result<Parameters> parse(const ProbeInfo& info, const std::vector<std::string>& assignments);

  [[nodiscard]] const std::string& text(std::string_view name) const;
  [[nodiscard]] double number(std::string_view name) const;  ///< 0 where it is not a finite number
  [[nodiscard]] std::uint64_t count(
      std::string_view name) const;  ///< 0 for negative ones, exact for integers
  /// The text cut at its commas: at least one part, which may be empty.
  [[nodiscard]] std::vector<std::string> list(std::string_view name) const;
  [[nodiscard]] const std::map<std::string, std::string, std::less<>>& all() const { return values_; }

  /// The rule built from budget, rounds and seed.
  [[nodiscard]] SamplingRule rule() const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

/// What a probe works with; all of it can be faked.
struct Context {
  const Parameters& parameters;
  const Topology& topology;
  const Clock& clock;
  const std::atomic<bool>& cancelled;
  Bytes memory;     ///< what may be allocated in total
  Seconds started;  ///< when the probe began by `clock`: setting up counts against its budget
  SampleSink& sink;

  /// sample_interleaved with this context and what is left of the rule's budget.
  Ended sample(const std::vector<Case>& cases, std::span<const Task> tasks, SamplingRule rule) const {
    rule.budget = rule.budget - (clock.now() - started);
    return sample_interleaved(cases, tasks, rule, clock, cancelled, sink);
  }
};

using Run = Status (*)(const Context&);

struct Probe {
  ProbeInfo info;
  Run run;
};

/// The parameters of a probe with those that every probe has (its own definition wins).
std::vector<Parameter> parameters_of(const ProbeInfo& info);

/// All probes, by their order, then name.
std::vector<const Probe*> registered_probes();
const Probe* find_probe(std::string_view name);

/// Defines a probe: `const Registration kRegistered(kInfo, run);`
class Registration {
 public:
  Registration(ProbeInfo info, Run run);
};

}  // namespace groma::survey
