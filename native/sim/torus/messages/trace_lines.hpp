// The lines of a time-independent trace: their words and numbers, before anything is known of their actions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/torus/messages/program.hpp"

namespace groma::sim::torus {

inline constexpr double kMaxCommunicators = 4294967295.0;

struct Line {
  Rank rank = 0;
  std::string action;
  std::vector<double> arguments;
  std::optional<std::uint32_t> communicator = std::nullopt;
  std::string_view no_number;  ///< the first argument that is none, or that of no communicator
};
using Words = std::vector<std::string_view>;

Words words_of(std::string_view line);
std::optional<double> number_of(std::string_view word);
bool is_whole(double value, double end);
std::string quoted(std::string_view word);

/// Calls `use` with the words and the number of each line but remarks, until it answers true.
template <class Use>
void find_line(std::string_view text, Use use) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const Words words = words_of(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (words.empty() || words[0].front() == '#') continue;
    if (use(words, number)) return;
  }
}

/// What is wrong with the words, the first of which is a rank, or nothing. That an argument is no number is
/// left to who needs it.
std::string read_line(const Words& words, Line& line);

}  // namespace groma::sim::torus
