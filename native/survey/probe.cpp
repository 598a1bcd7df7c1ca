#include "survey/probe.hpp"

#include <algorithm>
#include <charconv>
#include <deque>

namespace groma::survey {
namespace {

std::deque<Probe>& probes() {
  static std::deque<Probe> all;
  return all;
}

/// Parameters that every probe has beside its own.
const std::vector<Parameter>& common_parameters() {
  static const std::vector<Parameter> common = {
      {"budget", "2", "6", "30", "seconds after which sampling stops"},
      {"rounds", "12", "40", "200", "rounds after which sampling stops"},
      {"seed", "1", "1", "1", "seed of every random choice"},
  };
  return common;
}

std::string_view at_depth(const Parameter& parameter, std::string_view depth) {
  if (depth == "quick") return parameter.quick;
  return depth == "thorough" ? parameter.thorough : parameter.standard;
}

/// The whole text must be a number: "10x" and "" are not.
bool is_number(std::string_view text) {
  double parsed = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  return error == std::errc() && end == text.data() + text.size();
}

bool is_depth(std::string_view text) { return text == "quick" || text == "standard" || text == "thorough"; }

}  // namespace

std::vector<Parameter> parameters_of(const ProbeInfo& info) {
  std::vector<Parameter> all = info.parameters;
  for (const Parameter& common : common_parameters()) {
    const auto same_name = [&](const Parameter& own) { return own.name == common.name; };
    if (std::none_of(all.begin(), all.end(), same_name)) all.push_back(common);
  }
  return all;
}

Result<Parameters> Parameters::parse(const ProbeInfo& info, const std::vector<std::string>& assignments) {
  std::map<std::string, std::string, std::less<>> given;
  for (const std::string& assignment : assignments) {
    const auto equals = assignment.find('=');
    if (equals == std::string::npos) {
      return Error{"usage", "'" + assignment + "' is not of the form key=value", "write for example rounds=10"};
    }
    given[assignment.substr(0, equals)] = assignment.substr(equals + 1);
  }
  const std::string depth = given.contains("depth") ? given["depth"] : "standard";
  if (!is_depth(depth)) {
    return Error{"usage", "unknown depth '" + depth + "'", "choose quick, standard or thorough"};
  }
  Parameters result;
  result.values_["depth"] = depth;
  for (const Parameter& one : parameters_of(info)) result.values_[std::string(one.name)] = at_depth(one, depth);
  for (const auto& [key, value] : given) {
    if (!result.values_.contains(key)) {
      return Error{"usage", "probe " + std::string(info.name) + " has no parameter '" + key + "'",
                   "groma describe " + std::string(info.name) + " lists them"};
    }
    if (is_number(result.values_[key]) && !is_number(value)) {
      return Error{"usage", "parameter " + key + " takes a number, not '" + value + "'",
                   "write for example " + key + "=" + result.values_[key]};
    }
    result.values_[key] = value;
  }
  return result;
}

const std::string& Parameters::text(std::string_view name) const {
  static const std::string none;
  const auto found = values_.find(name);
  return found == values_.end() ? none : found->second;
}

double Parameters::number(std::string_view name) const {
  const std::string& value = text(name);
  double parsed = 0.0;
  std::from_chars(value.data(), value.data() + value.size(), parsed);
  return parsed;
}

std::uint64_t Parameters::count(std::string_view name) const {
  const double value = number(name);
  return value > 0.0 ? static_cast<std::uint64_t>(value) : 0;
}

SamplingRule Parameters::rule() const {
  SamplingRule rule;
  rule.budget = Seconds(number("budget"));
  rule.max_rounds = static_cast<std::uint32_t>(std::max<std::uint64_t>(count("rounds"), 1));
  rule.seed = count("seed");
  return rule;
}

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

Registration::Registration(ProbeInfo info, Run run) { probes().push_back({std::move(info), run}); }

}  // namespace groma::survey
