#include "replay/pattern.hpp"

#include <array>
#include <optional>
#include <string>

#include "job/option_table.hpp"

namespace groma::replay {
namespace {

constexpr std::size_t kColumns = 4;
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 40U;
constexpr std::uint64_t kMaxMessages = 1U << 20U;

std::optional<std::array<std::uint64_t, kColumns>> numbers_in(const std::string& line) {
  std::array<std::uint64_t, kColumns> values{};
  const std::vector<std::string> words = job::cut(line, ' ');
  if (words.size() != kColumns) return std::nullopt;
  for (std::size_t i = 0; i < kColumns; ++i) {
    const auto value = job::number<std::uint64_t>(words[i]);
    if (!value) return std::nullopt;
    values[i] = *value;
  }
  return values;
}

std::optional<Traffic> traffic_in(const std::string& line, std::uint64_t ranks) {
  const auto values = numbers_in(line);
  if (!values) return std::nullopt;
  const auto [source, target, bytes, count] = *values;
  const bool fits = source < ranks && target < ranks && source != target;
  if (!fits || bytes > kMaxBytes || count < 1 || count > kMaxMessages) return std::nullopt;
  return Traffic{static_cast<int>(source), static_cast<int>(target), bytes, count};
}

}  // namespace

Result<std::vector<Traffic>> parse_pattern(std::string_view text, int ranks) {
  std::vector<Traffic> pattern;
  std::size_t number = 0;
  for (const std::string& line : job::cut(std::string(text), '\n')) {
    ++number;
    if (line.empty()) continue;
    const auto traffic = traffic_in(line, static_cast<std::uint64_t>(ranks));
    if (!traffic) {
      return Error{"usage", "line " + std::to_string(number) + " of the pattern has no traffic between ranks",
                   "write: source target bytes count"};
    }
    pattern.push_back(*traffic);
  }
  if (pattern.empty()) return Error{"usage", "the pattern is empty", "write: source target bytes count"};
  return pattern;
}

}  // namespace groma::replay
