#include <algorithm>
#include <string>

#include "trace/edit/filter.hpp"
#include "trace/edit/read_number.hpp"

namespace groma::trace {
namespace {

/// "3", "3-5" or "3,7-9".
bool read_ranges(const std::string& text, Ranges& ranges) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, comma - at);
    const std::size_t dash = std::min(part.find('-'), part.size());
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    if (!read_number(part.substr(0, dash), from)) return false;
    to = from;
    if (dash < part.size() && !read_number(part.substr(dash + 1), to)) return false;
    if (to < from) return false;
    ranges.add(from, to);
    at = comma + 1;
  }
  return true;
}

}  // namespace

bool read_rule(const std::string& word, FilterRules& rules) {
  const std::size_t equal = std::min(word.find('='), word.size());
  const std::string name = word.substr(0, equal);
  const std::string value = equal < word.size() ? word.substr(equal + 1) : "";
  if (name == "--states") return read_ranges(value, rules.states);
  if (name == "--types") return read_ranges(value, rules.types);
  if (name == "--without-types") return read_ranges(value, rules.left_out_types);
  if (name == "--tasks") return read_ranges(value, rules.tasks);
  if (name == "--shortest-burst") return read_number(value, rules.shortest_burst);
  if (name == "--smallest-message") return read_number(value, rules.smallest_message);
  if (word == "--no-states") return rules.no_states = true;
  if (word == "--no-events") return rules.no_events = true;
  if (word == "--no-messages") return rules.no_messages = true;
  return false;
}

}  // namespace groma::trace
