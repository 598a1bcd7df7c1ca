#include "profile/servet_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

namespace groma::profile {
namespace {

/// No machine has more nodes or cores; a larger index is a defect of the file.
constexpr std::size_t kMaxEntries = 1U << 20U;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool ends_number(char c) {
  return is_blank(c) || c == ',' || c == ']';
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Reads one line from its start.
class Line {
 public:
  explicit Line(std::string_view line) : left_(line.substr(0, line.find('#'))) { skip_blanks(); }

  [[nodiscard]] bool at_end() const { return left_.empty(); }

  std::string name() {
    std::string name;
    for (; !at_end() && is_letter(left_.front()); left_.remove_prefix(1)) name += lower(left_.front());
    skip_blanks();
    return name;
  }

  bool take(char wanted) {
    if (at_end() || left_.front() != wanted) return false;
    left_.remove_prefix(1);
    skip_blanks();
    return true;
  }

  template <class Number>
  std::optional<Number> number() {
    Number number{};
    const auto [end, problem] = std::from_chars(left_.data(), left_.data() + left_.size(), number);
    if (problem != std::errc()) return std::nullopt;
    left_.remove_prefix(static_cast<std::size_t>(end - left_.data()));
    if (!at_end() && !ends_number(left_.front())) return std::nullopt;
    skip_blanks();
    return number;
  }

 private:
  void skip_blanks() {
    while (!at_end() && is_blank(left_.front())) left_.remove_prefix(1);
  }
  std::string_view left_;
};

bool is_ratio(double value) {
  return std::isfinite(value) && value > 0.0;
}

/// From element `place` on, which counts from 1.
bool read_values(Line& line, std::size_t place, bool is_single, std::vector<double>& out) {
  if (line.at_end()) return false;
  for (; !line.at_end(); ++place) {
    const auto value = line.number<double>();
    if (!value || !is_ratio(*value) || place == 0 || place > kMaxEntries) return false;
    out.resize(std::max(out.size(), place), std::nan(""));
    out[place - 1] = *value;
    line.take(',');
    if (is_single) return line.at_end();
  }
  return true;
}

bool read_array(Line& line, std::vector<double>& out) {
  const bool is_single = line.take('[');
  std::size_t place = 1;
  if (is_single) {
    const auto index = line.number<std::size_t>();
    if (!index || !line.take(']')) return false;
    place = *index;
  }
  if (!line.take('=')) line.take(':');
  return read_values(line, place, is_single, out);
}

bool read_line(Line line, DegradationRatios& ratios) {
  const std::string name = line.name();
  if (name == "ratdist") return read_array(line, ratios.distance);
  if (name == "ratnc") return read_array(line, ratios.access);
  return true;
}

}  // namespace

Result<DegradationRatios> read_servet_text(std::string_view text) {
  DegradationRatios ratios;
  std::size_t number = 1;
  for (std::size_t start = 0; start < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    if (!read_line(Line(text.substr(start, end - start)), ratios)) {
      return Error{"servet.malformed", "line " + std::to_string(number) + " is no ratio of Servet",
                   "write it like: ratDist[2] = 1.25"};
    }
    start = end + 1;
  }
  return ratios;
}

}  // namespace groma::profile
