#include "sim/torus/messages/trace_lines.hpp"

#include <cctype>
#include <charconv>

namespace groma::sim::torus {

Words words_of(std::string_view line) {
  Words words;
  while (true) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return words;
    const std::size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
}

std::optional<double> number_of(std::string_view word) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

bool is_whole(double value, double end) {
  return value >= 0.0 && value < end && value == static_cast<double>(static_cast<std::uint32_t>(value));
}

std::string quoted(std::string_view word) {
  return "\"" + std::string(word) + "\"";
}

std::string read_line(const Words& words, Line& line) {
  line = {};
  if (words.size() < 2) return "the action is missing";
  line.rank = static_cast<Rank>(*number_of(words[0]));
  for (const char letter : words[1])
    line.action += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  for (std::size_t i = 2; i < words.size() && line.no_number.empty(); ++i) {
    const bool names_group = i + 1 == words.size() && words[i].front() == '@';
    const auto value = number_of(names_group ? words[i].substr(1) : words[i]);
    if (!value || (names_group && !is_whole(*value, kMaxCommunicators))) {
      line.no_number = words[i];
    } else if (names_group) {
      line.communicator = static_cast<std::uint32_t>(*value);
    } else {
      line.arguments.push_back(*value);
    }
  }
  return "";
}

}  // namespace groma::sim::torus
