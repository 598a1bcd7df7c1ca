#include "sim/torus/messages/trace_text.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/file_text.hpp"
#include "sim/torus/messages/trace_lines.hpp"
#include "sim/torus/messages/trace_translation.hpp"

namespace groma::sim::torus {
namespace {

constexpr std::string_view kCommunicator = "communicator";

/// Who takes part in a trace.
struct Participants {
  Group all;
  Groups groups;
};

Error wrong(const TracePart& part, std::size_t line, const std::string& why) {
  const std::string where = part.name.empty() ? "the trace" : part.name;
  return {"usage", "line " + std::to_string(line) + " of " + where + ": " + why,
          "write `rank action arguments` as SMPI's time-independent traces have it"};
}

/// Calls `use` with the words of each line, until it answers what is wrong with one.
template <class Use>
Status for_each_line(const TracePart& part, Use use) {
  Status status = Done{};
  find_line(part.text, [&](const Words& words, std::size_t number) {
    const std::string why = use(words);
    if (!why.empty()) status = wrong(part, number, why);
    return !why.empty();
  });
  return status;
}

/// "3" or "0-7": what is wrong with it, or nothing.
std::string add_members(std::string_view word, std::uint64_t places, Group& group) {
  const std::size_t dash = std::min(word.find('-', 1), word.size());
  const auto first = number_of(word.substr(0, dash));
  const auto last = dash == word.size() ? first : number_of(word.substr(dash + 1));
  constexpr auto kMost = static_cast<double>(kMaxRanks);
  if (!first || !last || !is_whole(*first, kMost) || !is_whole(*last, kMost) || *last < *first) {
    return quoted(word) + " is no rank and no range of ranks";
  }
  if (*last >= static_cast<double>(places))
    return "there are only " + std::to_string(places) + " places for ranks";
  for (auto rank = static_cast<Rank>(*first); rank <= static_cast<Rank>(*last); ++rank) {
    group.members.push_back(rank);
  }
  group.size = static_cast<Rank>(group.members.size());
  return group.members.size() > places ? "a rank is there twice" : "";
}

std::string read_communicator(const Words& words, std::uint64_t places, Groups& groups) {
  const auto name = words.size() > 2 ? number_of(words[1]) : std::nullopt;
  if (!name || !is_whole(*name, kMaxCommunicators)) return "a communicator needs a number and ranks";
  Group group;
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (std::string why = add_members(words[i], places, group); !why.empty()) return why;
  }
  std::vector<Rank> sorted = group.members;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) return "a rank is there twice";
  groups[static_cast<std::uint32_t>(*name)] = std::move(group);
  return "";
}

/// What is wrong with the first word of a line, or with a communicator.
std::string add_participants(const Words& words, std::uint64_t places, Participants& found) {
  if (words[0] == kCommunicator) return read_communicator(words, places, found.groups);
  const auto rank = number_of(words[0]);
  if (!rank || !is_whole(*rank, static_cast<double>(kMaxRanks))) return quoted(words[0]) + " is no rank";
  found.all.size = std::max(found.all.size, static_cast<Rank>(*rank) + 1);
  return "";
}

Status check(const Participants& found, std::uint64_t places) {
  const Rank ranks = found.all.size;
  if (ranks == 0)
    return Error{"usage", "the trace has no calls", "write a line `rank action arguments` for each of them"};
  if (ranks > places) {
    return Error{"usage",
                 std::to_string(ranks) + " ranks do not fit on " + std::to_string(places) + " places",
                 "choose a larger shape, or more cores for each node"};
  }
  for (const auto& [number, group] : found.groups) {
    if (std::ranges::max(group.members) < ranks) continue;
    return Error{"usage",
                 "communicator " + std::to_string(number) + " of the trace has ranks that do nothing",
                 "give each of its ranks a line, such as `0 init`"};
  }
  return Done{};
}

Result<Participants> participants_of(const std::vector<TracePart>& parts, std::uint64_t places) {
  Participants found;
  for (const TracePart& part : parts) {
    const Status status =
        for_each_line(part, [&](const Words& words) { return add_participants(words, places, found); });
    if (!status) return status.error();
  }
  if (const Status status = check(found, places); !status) return status.error();
  return found;
}

}  // namespace

/// Twice over the lines: collectives need to know all ranks before.
Result<TracePrograms> read_trace(const std::vector<TracePart>& parts, const ReplayTarget& target) {
  const auto found = participants_of(parts, target.places);
  if (!found) return found.error();
  const auto& [all, groups] = found.value();
  std::vector<Translation> translations;
  for (Rank rank = 0; rank < all.size; ++rank) translations.emplace_back(rank, all, groups, target);
  Line line;
  for (const TracePart& part : parts) {
    const Status status = for_each_line(part, [&](const Words& words) -> std::string {
      if (words[0] == kCommunicator) return "";
      if (std::string why = read_line(words, line); !why.empty()) return why;
      return translations[line.rank].add(line);
    });
    if (!status) return status.error();
  }
  TracePrograms programs;
  for (Translation& translation : translations) {
    programs.of_ranks.push_back(translation.finish());
    programs.unsized += translation.unsized();
    programs.sendrecvs += translation.sendrecvs();
  }
  return programs;
}

namespace {

/// A trace begins with the number of a rank, or with a communicator.
bool is_list_of_files(std::string_view text) {
  bool is_list = false;
  find_line(text, [&](const Words& words, std::size_t) {
    is_list = !number_of(words[0]) && (words[0] != kCommunicator || words.size() == 1);
    return true;
  });
  return is_list;
}

Error no_part(const std::string& name, const std::string& list) {
  return {"usage", "cannot read " + name + ", which is listed in " + list,
          "name the files as seen from the folder of the list, or from this one"};
}

}  // namespace

Result<std::vector<TracePart>> read_trace_files(const std::string& path) {
  auto text = text_of_file(path);
  if (!text) return Error{"usage", "cannot read the trace " + path, "give the name of a trace"};
  if (!is_list_of_files(*text)) return std::vector<TracePart>{{"", std::move(*text)}};
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  std::istringstream names(*text);
  std::vector<TracePart> parts;
  for (std::string name; std::getline(names, name);) {
    while (!name.empty() && std::isspace(static_cast<unsigned char>(name.back())) != 0) name.pop_back();
    if (name.empty() || name.front() == '#') continue;
    auto part = text_of_file(name.front() == '/' ? name : folder + name);
    if (!part) part = text_of_file(name);  // SMPI lists them as seen from where it ran
    if (!part) return no_part(name, path);
    parts.push_back({name, std::move(*part)});
  }
  return parts;
}

}  // namespace groma::sim::torus
