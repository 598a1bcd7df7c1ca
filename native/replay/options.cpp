#include "replay/options.hpp"

#include "job/option_table.hpp"

namespace groma::replay {
namespace {

constexpr double kMinTriad = 4096.0;
constexpr double kMaxTriad = 0x1p40;

bool take_size(const std::string& text, std::optional<Bytes>& into) {
  const auto bytes = job::bytes_in(text);
  if (!bytes || *bytes < kMinTriad || *bytes > kMaxTriad) return false;
  into = Bytes(static_cast<std::uint64_t>(*bytes));
  return true;
}

job::CommandLine command_line(Options& to) {
  return {kProgram,
          {"run", "build", "help"},
          {
              {"--pattern", "FILE", "messages of one iteration, lines of: source target bytes count",
               [&to](const std::string& text) { return to.pattern = text, true; }},
              {"--triad", "SIZE", "stream through so much memory of each rank instead",
               [&to](const std::string& text) { return take_size(text, to.triad); }},
              {"--repeat", "COUNT", "repetitions, at least (default: 5)",
               [&to](const std::string& text) {
                 return job::take_number(text, std::uint32_t{1}, to.effort.repetitions);
               }},
              {"--budget", "TIME", "repeat until the figure settles or this time ends (default: 2s)",
               [&to](const std::string& text) { return job::take_time(text, to.effort.budget); }},
          }};
}

}  // namespace

Result<Options> parse_options(const std::vector<std::string>& arguments) {
  Result<Options> options = job::parsed(command_line, arguments);
  if (!options || options.value().verb != "run") return options;
  if (options.value().pattern.has_value() == options.value().triad.has_value()) {
    return Error{"usage", "there is not one kernel to run", "give either --pattern or --triad"};
  }
  return options;
}

std::string options_help() {
  return job::help_of(command_line);
}

}  // namespace groma::replay
