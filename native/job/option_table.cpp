#include "job/option_table.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace groma::job {
namespace {

constexpr std::array kSizes = std::to_array<Suffix>({{"", 1.0},
                                                     {"B", 1.0},
                                                     {"KiB", 0x1p10},
                                                     {"MiB", 0x1p20},
                                                     {"GiB", 0x1p30},
                                                     {"TiB", 0x1p40},
                                                     {"kB", 1e3},
                                                     {"MB", 1e6},
                                                     {"GB", 1e9},
                                                     {"TB", 1e12}});

/// Characters, not bytes: … takes three.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

Error unknown(const std::string& text, std::string_view program) {
  return {"usage", "unknown option or verb '" + text + "'", std::string(program) + " --help lists them"};
}

Status take(const Option& option, const std::string& value) {
  if (value.empty() == option.takes.empty() && option.take(value)) return Done{};
  const std::string takes = option.takes.empty() ? "no value" : std::string(option.takes);
  return Error{"usage", std::string(option.name) + " takes " + takes + ", not '" + value + "'",
               std::string(option.help)};
}

}  // namespace

Result<std::string> CommandLine::parse(const std::vector<std::string>& arguments) const {
  auto next = arguments.begin();
  std::string verb(verbs.front());
  if (next != arguments.end() && std::ranges::find(verbs, *next) != verbs.end()) verb = *next++;
  while (next != arguments.end()) {
    const std::string text = *next++;
    if (text == "--help" || text == "-h") {
      verb = "help";
      continue;
    }
    const auto equals = text.find('=');
    const auto found = std::ranges::find(options, text.substr(0, equals), &Option::name);
    if (found == options.end()) return unknown(text, program);
    std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
    if (!found->takes.empty() && equals == std::string::npos && next != arguments.end()) value = *next++;
    if (const Status status = take(*found, value); !status) return status.error();
  }
  return verb;
}

std::string CommandLine::help() const {
  constexpr std::size_t kColumn = 24;
  std::string help;
  for (const Option& one : options) {
    const std::string line = "  " + std::string(one.name) + " " + std::string(one.takes);
    const std::size_t wide = std::min(width_of(line), kColumn - 1);
    help += line + std::string(kColumn - wide, ' ') + std::string(one.help) + "\n";
  }
  return help;
}

std::vector<std::string> cut(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
  return parts;
}

std::optional<double> scaled(std::string_view text, std::span<const Suffix> suffixes) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const auto suffix = std::ranges::find(suffixes, rest, &Suffix::name);
  if (error != std::errc() || suffix == suffixes.end() || value < 0.0) return std::nullopt;
  const double amount = value * suffix->factor;
  return std::isfinite(amount) ? std::optional(amount) : std::nullopt;
}

std::optional<double> bytes_in(std::string_view text) {
  return scaled(text, kSizes);
}

bool take_time(const std::string& text, Seconds& into) {
  static constexpr std::array kTimes =
      std::to_array<Suffix>({{"", 1.0}, {"s", 1.0}, {"m", 60.0}, {"min", 60.0}, {"h", 3600.0}});
  const auto seconds = scaled(text, kTimes);
  if (!seconds) return false;
  into = Seconds(*seconds);
  return true;
}

}  // namespace groma::job
