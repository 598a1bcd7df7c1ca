#include "base/probe_info.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace groma {
namespace {

/// Parameters that every probe has besides its own.
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

/// The whole text must be a finite number: "10x", "", "inf" and "nan" are not.
std::optional<double> parse_number(std::string_view text) {
  double parsed = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(parsed) ? std::optional(parsed) : std::nullopt;
}

/// What is wrong with a value, judged by the default: numbers stay numbers, and only those whose default is
/// negative (for "choose yourself") may be so.
std::optional<Error> fault_of(const std::string& key, const std::string& value, const std::string& standard) {
  const auto expected = parse_number(standard);
  const auto given = parse_number(value);
  if (!expected || (given && (*given >= 0.0 || *expected < 0.0))) return std::nullopt;
  const std::string kind = given ? "takes no negative number" : "takes a number";
  return Error{"usage", "parameter " + key + " " + kind + ": '" + value + "'",
               "write for example " + key + "=" + standard};
}

bool is_depth(std::string_view text) {
  return text == "quick" || text == "standard" || text == "thorough";
}

using Assignments = std::map<std::string, std::string, std::less<>>;

Result<Assignments> split_assignments(const std::vector<std::string>& texts) {
  Assignments given;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    if (equals == std::string::npos) {
      return Error{"usage", "'" + text + "' is not of the form key=value", "write for example rounds=10"};
    }
    given[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return given;
}

Json parameter_json(const Parameter& one) {
  return JsonObject()
      .add("name", one.name)
      .add("quick", one.quick)
      .add("standard", one.standard)
      .add("thorough", one.thorough)
      .add("help", one.help)
      .add("type", type_of(one))
      .json();
}

}  // namespace

std::vector<Parameter> parameters_of(const ProbeInfo& info) {
  std::vector<Parameter> all = info.parameters;
  for (const Parameter& common : common_parameters()) {
    const auto same_name = [&](const Parameter& own) { return own.name == common.name; };
    if (std::none_of(all.begin(), all.end(), same_name)) all.push_back(common);
  }
  return all;
}

std::string_view type_of(const Parameter& parameter) {
  if (!parameter.type.empty()) return parameter.type;
  if (parameter.name == "budget") return "seconds";
  if (parameter.name == "bytes") return "bytes";
  bool whole = true;
  bool negative = false;
  for (const std::string_view value : {parameter.quick, parameter.standard, parameter.thorough}) {
    const auto number = parse_number(value);
    if (!number) return "text";
    whole = whole && *number == std::floor(*number);
    negative = negative || *number < 0.0;
  }
  if (!whole) return "number";
  return negative ? "integer" : "count";
}

Result<Parameters> Parameters::parse(const ProbeInfo& info, const std::vector<std::string>& assignments) {
  const Result<Assignments> split = split_assignments(assignments);
  if (!split) return split.error();
  const Assignments& given = split.value();
  const auto chosen = given.find("depth");
  const std::string depth = chosen == given.end() ? "standard" : chosen->second;
  if (!is_depth(depth)) {
    return Error{"usage", "unknown depth '" + depth + "'", "choose quick, standard or thorough"};
  }
  Parameters result;
  result.values_["depth"] = depth;
  for (const Parameter& one : parameters_of(info))
    result.values_[std::string(one.name)] = at_depth(one, depth);
  for (const auto& [key, value] : given) {
    const auto standard = result.values_.find(key);
    if (standard == result.values_.end()) {
      return Error{"usage", "probe " + std::string(info.name) + " has no parameter '" + key + "'",
                   "groma describe " + std::string(info.name) + " lists them"};
    }
    if (const auto fault = fault_of(key, value, standard->second)) return *fault;
    standard->second = value;
  }
  return result;
}

const std::string& Parameters::text(std::string_view name) const {
  static const std::string none;
  const auto found = values_.find(name);
  return found == values_.end() ? none : found->second;
}

double Parameters::number(std::string_view name) const {
  return parse_number(text(name)).value_or(0.0);
}

std::uint64_t Parameters::count(std::string_view name) const {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  const std::string& value = text(name);
  std::uint64_t whole = 0;  // a double would lose digits of long seeds
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), whole);
  if (error == std::errc() && end == value.data() + value.size()) return whole;
  const double rounded = number(name);
  if (rounded >= static_cast<double>(kMost)) return kMost;
  return rounded > 0.0 ? static_cast<std::uint64_t>(rounded) : 0;
}

Bytes Parameters::bytes(std::string_view name) const {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 50U;
  return Bytes(std::min(count(name), kMost));
}

std::vector<std::string> Parameters::list(std::string_view name) const {
  std::vector<std::string> parts(1);
  for (const char letter : text(name)) {
    if (letter == ',') {
      parts.emplace_back();
    } else {
      parts.back() += letter;
    }
  }
  return parts;
}

SamplingRule Parameters::rule() const {
  constexpr std::uint64_t kMaxRounds = std::numeric_limits<std::uint32_t>::max();
  SamplingRule rule;
  rule.budget = Seconds(number("budget"));
  rule.max_rounds = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(count("rounds"), 1, kMaxRounds));
  rule.seed = count("seed");
  return rule;
}

Json to_json(const ProbeInfo& info) {
  std::vector<Json> parameters;
  for (const Parameter& one : parameters_of(info)) parameters.push_back(parameter_json(one));
  return JsonObject()
      .add("name", info.name)
      .add("title", info.title)
      .add("measures", info.measures)
      .add("method", info.method)
      .add("traffic", info.traffic)
      .add("reference", info.reference)
      .add("order", info.order)
      .add("ranks", info.ranks)
      .add("parameters", parameters)
      .json();
}

JsonObject begin_header(const ProbeInfo& info, const Parameters& parameters) {
  JsonObject given;
  for (const auto& [name, value] : parameters.all()) given.add(name, value);
  return JsonObject()
      .add("event", "begin")
      .add("probe", info.name)
      .add("seed", parameters.count("seed"))
      .add("parameters", given.json());
}

}  // namespace groma
