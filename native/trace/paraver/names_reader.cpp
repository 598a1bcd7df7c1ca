#include "trace/paraver/names_reader.hpp"

#include <charconv>
#include <optional>
#include <vector>

namespace groma::trace {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// Takes the first line off the text.
std::string_view next_line(std::string_view& text) {
  const auto end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return trimmed(line);
}

/// Takes the first word off the line.
std::string_view next_word(std::string_view& line) {
  const auto end = line.find_first_of(kBlanks);
  const std::string_view word = line.substr(0, end);
  line = end == std::string_view::npos ? std::string_view() : trimmed(line.substr(end));
  return word;
}

template <class T>
std::optional<T> whole_number(std::string_view word) {
  T value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// Values may be negative; they are kept as a .prv line keeps them.
std::optional<std::uint64_t> event_value(std::string_view word) {
  if (const auto value = whole_number<std::uint64_t>(word)) return value;
  const auto value = whole_number<std::int64_t>(word);
  if (!value) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

enum class Block : std::uint8_t { kOther, kStates, kColours, kTypes, kValues };

/// The block that a line opens, if it opens one.
std::optional<Block> opened(std::string_view line) {
  if (line == "STATES") return Block::kStates;
  if (line == "STATES_COLOR") return Block::kColours;
  if (line == "EVENT_TYPE") return Block::kTypes;
  if (line == "VALUES") return Block::kValues;
  for (const char* other : {"DEFAULT_OPTIONS", "DEFAULT_SEMANTIC", "GRADIENT_COLOR", "GRADIENT_NAMES"}) {
    if (line == other) return Block::kOther;
  }
  return std::nullopt;
}

class PcfReader {
 public:
  explicit PcfReader(Names& names) : names_(&names) {}

  /// Whether the line could be read.
  bool take(std::string_view line) {
    if (const auto block = opened(line)) {
      if (*block == Block::kTypes) types_.clear();
      block_ = *block;
      return true;
    }
    switch (block_) {
      case Block::kStates:
        return take_state(line, names_->states);
      case Block::kColours:
        return take_state(line, names_->colours);
      case Block::kTypes:
        return take_type(line);
      case Block::kValues:
        return take_value(line);
      case Block::kOther:
        break;
    }
    return true;
  }

 private:
  static bool take_state(std::string_view line, std::map<std::uint32_t, std::string>& texts) {
    const auto number = whole_number<std::uint32_t>(next_word(line));
    if (number) texts[*number] = std::string(line);
    return number.has_value();
  }
  bool take_type(std::string_view line) {
    const auto gradient = whole_number<std::uint32_t>(next_word(line));
    const auto type = whole_number<std::uint32_t>(next_word(line));
    if (!gradient || !type) return false;
    EventType& what = names_->events[*type];
    what.gradient = *gradient;
    what.label = std::string(line);
    types_.push_back(*type);
    return true;
  }
  /// Values belong to all types of their block.
  bool take_value(std::string_view line) {
    const auto value = event_value(next_word(line));
    if (!value) return false;
    for (const std::uint32_t type : types_) names_->events[type].values[*value] = std::string(line);
    return true;
  }

  Names* names_;
  Block block_ = Block::kOther;
  std::vector<std::uint32_t> types_;
};

/// Paraver has nine levels; more than these are not believed.
constexpr std::size_t kMaxLevels = 64;

std::vector<std::string>* rows_of(std::string_view level, Names& names) {
  if (level == "CPU") return &names.cpus;
  if (level == "NODE") return &names.nodes;
  if (level == "THREAD") return &names.threads;
  for (Level& known : names.other_levels) {
    if (known.name == level) return &known.rows;
  }
  if (names.other_levels.size() == kMaxLevels) return nullptr;
  names.other_levels.push_back({std::string(level), {}});
  return &names.other_levels.back().rows;
}

}  // namespace

std::uint64_t read_pcf(std::string_view text, Names& names) {
  PcfReader reader(names);
  std::uint64_t unread = 0;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (!line.empty() && !reader.take(line)) ++unread;
  }
  return unread;
}

std::uint64_t read_row(std::string_view text, Names& names) {
  std::uint64_t unread = 0;
  std::uint64_t left = 0;
  std::vector<std::string>* rows = nullptr;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    if (left > 0) {
      if (rows != nullptr) rows->emplace_back(line);
      --left;
      continue;
    }
    if (line.empty()) continue;
    const bool is_level = next_word(line) == "LEVEL";
    const std::string_view level = next_word(line);
    const bool has_size = next_word(line) == "SIZE";
    const auto size = whole_number<std::uint64_t>(line);
    if (!is_level || !has_size || !size) {
      ++unread;
      continue;
    }
    rows = rows_of(level, names);
    if (rows != nullptr) rows->clear();
    left = *size;
  }
  return unread;
}

}  // namespace groma::trace
