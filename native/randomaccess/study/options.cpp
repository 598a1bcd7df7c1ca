#include "randomaccess/study/options.hpp"

#include <cmath>

#include "job/counted.hpp"
#include "job/option_table.hpp"

namespace groma::randomaccess {
namespace {

using namespace job;

constexpr int kMaxRanks = 1 << 24;
constexpr std::uint64_t kMaxWords = std::uint64_t{1} << 48U;
constexpr double kMaxUpdates = 0x1p60;
constexpr const char* kTableHelp =
    "size of the table of all ranks, a power of two, at most 2^48 words: 2^27, 134217728 words or 1GiB "
    "(default: a quarter of the free memory, at most 512 MiB a rank; for owner 2^27, for errors 2^24)";
constexpr const char* kUpdatesHelp =
    "number of updates of the whole run, at most 2^60: 2^29, or 4x the words of the table (default: 4x)";

/// A whole number, also as a power: 1024, 2^27.
std::optional<std::uint64_t> whole(const std::string& text) {
  if (text.starts_with("2^")) {
    const auto power = number<unsigned>(std::string_view(text).substr(2));
    return power && *power < 64 ? std::optional(std::uint64_t{1} << *power) : std::nullopt;
  }
  return number<std::uint64_t>(text);
}

bool take_words(const std::string& text, std::optional<std::uint64_t>& into) {
  into = whole(text);
  if (!into) {
    const auto bytes = bytes_in(text);
    if (!bytes || *bytes > 0x1p60) return false;
    into = static_cast<std::uint64_t>(*bytes) / sizeof(std::uint64_t);
  }
  return *into >= 1 && *into <= kMaxWords;
}

bool take_updates(const std::string& text, UpdateCount& into) {
  if (text.ends_with('x')) {
    const auto times = number<double>(std::string_view(text).substr(0, text.size() - 1));
    if (!times || !std::isfinite(*times) || *times <= 0.0 || *times > 1e6) return false;
    into = {.per_word = *times};
    return true;
  }
  into.number = whole(text);
  return into.number && *into.number >= 1 && static_cast<double>(*into.number) <= kMaxUpdates;
}

bool take_grid(const std::string& text, std::vector<int>& into) {
  into.clear();
  std::int64_t places = 1;
  for (const std::string& part : cut(text, 'x')) {
    const auto length = number<int>(part);
    if (!length || *length < 1 || places > kMaxRanks / *length) return false;
    places *= *length;
    into.push_back(*length);
  }
  return !into.empty() && !text.ends_with('x');
}

bool take_generator(const std::string& text, Generator& into) {
  if (text != "polynomial" && text != "lcg") return false;
  into = text == "lcg" ? Generator::kCongruential : Generator::kPolynomial;
  return true;
}

bool take_owner(const std::string& text, OwnerRule& into) {
  if (text != "prediction" && text != "division") return false;
  into = text == "division" ? OwnerRule::kDivision : OwnerRule::kFastest;
  return true;
}

bool take_parts(const std::string& text, std::vector<std::uint64_t>& into) {
  into.clear();
  for (const std::string& part : cut(text, ',')) {
    const auto value = number<std::uint64_t>(part);
    if (!value || *value < 1 || *value > static_cast<std::uint64_t>(kMaxRanks)) return false;
    into.push_back(*value);
  }
  return !into.empty();
}

bool parse_extra_load(const std::string& text, ExtraLoad& into) {
  const std::size_t equals = text.rfind('=');
  if (equals == 0 || equals == text.npos) return false;
  into.role = text.substr(0, equals);
  return take_time(text.substr(equals + 1), into.each);
}

bool take_count(const std::string& text, int& into) {
  return take_number(text, 1, into) && into <= kMaxRanks;
}

std::vector<Option> table(StudyOptions& to) {
  return {
      {"--algorithm", "NAME", "how updates reach their owners (default: the best one for the ranks)",
       [&to](const std::string& text) { return to.algorithm = text, true; }},
      {"--grid", "XxY…",
       "lengths of the routing grid, first dimension first, of at most 16777216 ranks "
       "(default: few dimensions, short lines)",
       [&to](const std::string& text) { return take_grid(text, to.grid); }},
      {"--routers", "COUNT",
       "for specialise: ranks of each node that generate and route, 1 to 16777216 "
       "(default: equal loads of all roles)",
       [&to](const std::string& text) { return take_count(text, to.routers); }},
      {"--mapping-mode", "MODE", "1, 5, 6, 7 or 8: what belongs to a core and what to a node (default: 1)",
       [&to](const std::string& text) { return take_number(text, 1, to.mapping_mode); }},
      {"--table", "WORDS|SIZE", kTableHelp,
       [&to](const std::string& text) { return take_words(text, to.words); }},
      {"--updates", "COUNT|TIMESx", kUpdatesHelp,
       [&to](const std::string& text) { return take_updates(text, to.updates); }},
      {"--generator", "NAME", "polynomial or lcg (default: polynomial)",
       [&to](const std::string& text) { return take_generator(text, to.generator); }},
      {"--owner", "RULE", "prediction or division (default: prediction, a shift for powers of two)",
       [&to](const std::string& text) { return take_owner(text, to.owner); }},
      {"--look-ahead", "COUNT", "updates that a core or node may hold: 4 to 1024 (default: 1024)",
       [&to](const std::string& text) {
         return take_number(text, kMinLookAhead, to.look_ahead) && to.look_ahead <= kLookAhead;
       }},
      {"--repeat", "COUNT", "parts of the run, each timed and checked, 1 to 4294967295 (default: 5)",
       [&to](const std::string& text) { return take_number(text, std::uint32_t{1}, to.effort.repetitions); }},
      {"--budget", "TIME",
       "repeat after the whole run until the figures settle or this time ends (default: 20s)",
       [&to](const std::string& text) { return take_time(text, to.effort.budget); }},
      {"--events", "FILE", "where to write samples as JSON lines; - for standard output",
       [&to](const std::string& text) { return to.events = text, true; }},
      {"--parts", "N,…", "for owner: numbers of parts of the table, each 1 to 16777216, with commas",
       [&to](const std::string& text) { return take_parts(text, to.parts); }},
      {"--threads", "COUNT",
       "for errors: threads on one table, 1 to 256 (default: one for each CPU, at most 256)",
       [&to](const std::string& text) { return (to.threads = number<std::uint64_t>(text)).has_value(); }},
      {"--runs", "COUNT", "for errors: runs of each strategy, 1 to 4294967295 (default: 10)",
       [&to](const std::string& text) { return take_number(text, std::uint32_t{1}, to.runs); }},
      {"--strategies", "NAME,…",
       "for errors: serial, unsynchronised, atomic, locks:COUNT, owner "
       "(default: each, with 1, 16 and 32 locks)",
       [&to](const std::string& text) { return to.strategies = cut(text, ','), !to.strategies.empty(); }},
      {"--seed", "SEED",
       "for owner, errors and experiments: seed of the order of rounds, 0 to 2^64 - 1 (default: 1)",
       [&to](const std::string& text) { return take_number(text, std::uint64_t{0}, to.seed); }},
      {"--experiment", "NAME",
       "bottleneck: which role of specialise limits the rate, instead of the rate itself",
       [&to](const std::string& text) { return to.bottleneck = text == "bottleneck"; }},
      {"--burden", "ROLE=SECONDS",
       "for bottleneck: this much more for each update of a role, to see it found",
       [&to](const std::string& text) { return parse_extra_load(text, to.extra_load); }},
      {"--ranks", "COUNT", "for plan: number of ranks, 1 to 16777216 (default: 1)",
       [&to](const std::string& text) { return take_count(text, to.ranks); }},
      {"--nodes", "COUNT", "for plan: number of nodes, 1 to 16777216 (default: 1)",
       [&to](const std::string& text) { return take_count(text, to.nodes); }},
  };
}

CommandLine command_line(StudyOptions& to) {
  return {kStudyProgram, {"run", "plan", "owner", "errors", "list", "build", "help"}, table(to)};
}

}  // namespace

Result<std::uint64_t> UpdateCount::of(std::uint64_t words) const {
  if (number) return *number;
  const double count = per_word * static_cast<double>(words);
  if (count <= kMaxUpdates) return static_cast<std::uint64_t>(count);
  return Error{"usage", "so many updates of each of " + job::counted(words, "word") + " are more than 2^60",
               "give a smaller --table or fewer --updates"};
}

Result<StudyOptions> parse_study_options(const std::vector<std::string>& arguments) {
  return job::parsed(command_line, arguments);
}

std::string study_options_help() {
  return job::help_of(command_line);
}

}  // namespace groma::randomaccess
