// The description of a probe, and the parameters that it runs with.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/sampling.hpp"
#include "base/units.hpp"

namespace groma {

/// A parameter of a probe, with its value at each depth of the survey.
struct Parameter {
  std::string_view name;
  std::string_view quick;
  std::string_view standard;
  std::string_view thorough;
  std::string_view help;
  std::string_view type = {};  ///< see type_of
};

struct ProbeInfo {
  std::string_view name;
  std::string_view title;
  std::string_view measures;          ///< the quantities, with units
  std::string_view method;            ///< one sentence; the page docs/probes/<name>.md has the rest
  std::string_view traffic;           ///< bytes and flops per sample
  std::string_view reference;         ///< paper and section
  std::uint32_t order = 100;          ///< lower ones run first in a survey
  std::string_view ranks = {};        ///< of a network probe: pairs, layers, one_per_node, processes_per_node
  std::vector<Parameter> parameters;  ///< besides those of every probe: budget, rounds, seed
};

/// Values of a probe's parameters: the depth's, overridden by key=value of the caller.
class Parameters {
 public:
  /// Errors: what is not key=value, an unknown key or depth, no number or a negative one where the default is
  /// a number that is not negative.
  static Result<Parameters> parse(const ProbeInfo& info, const std::vector<std::string>& assignments);

  [[nodiscard]] const std::string& text(std::string_view name) const;
  [[nodiscard]] double number(std::string_view name) const;  ///< 0 where it is not a finite number
  /// At most 1 PiB, of which sums and small multiples do not overflow.
  [[nodiscard]] Bytes bytes(std::string_view name) const;
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

/// The parameters of a probe with those that every probe has (its own definition wins).
std::vector<Parameter> parameters_of(const ProbeInfo& info);

/// What values a parameter takes: `bytes`, `seconds`, `count` (whole, not negative), `integer`, `number`,
/// `text`, choices such as `auto|cores`, or `found` for one that a survey finds out. What is not declared
/// follows from the values at the depths.
std::string_view type_of(const Parameter& parameter);

/// groma.launch.native.ProbeInfo
Json to_json(const ProbeInfo& info);

/// The part of the protocol's first line that only the caller of a probe knows.
JsonObject begin_header(const ProbeInfo& info, const Parameters& parameters);

}  // namespace groma
