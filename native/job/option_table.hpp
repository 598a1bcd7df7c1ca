// Command lines as data: what every option means stands in one table.
#pragma once

#include <charconv>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"

namespace groma::job {

struct Option {
  std::string_view name;
  std::string_view takes;  ///< empty for a flag
  std::string_view help;
  std::function<bool(const std::string& value)> take;  ///< false for a value that it cannot take
};

struct CommandLine {
  std::string_view program;
  std::vector<std::string_view> verbs;
  std::vector<Option> options;

  /// The verb, where the first argument is one, else the first of `verbs`; "help" where --help stands
  /// anywhere. Errors (usage) name the option and what it takes.
  [[nodiscard]] Result<std::string> parse(const std::vector<std::string>& arguments) const;
  /// One line for each option.
  [[nodiscard]] std::string help() const;
};

/// The options of a program as typed, with its verb. `command_line` is the table that fills them.
template <class Options>
Result<Options> parsed(CommandLine (*command_line)(Options&), const std::vector<std::string>& arguments) {
  Options options;
  const auto verb = command_line(options).parse(arguments);
  if (!verb) return verb.error();
  options.verb = verb.value();
  return options;
}

template <class Options>
std::string help_of(CommandLine (*command_line)(Options&)) {
  Options unused;
  return command_line(unused).help();
}

// ---- values ----

template <class T>
std::optional<T> number(std::string_view text) {
  T parsed{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  const bool whole = error == std::errc() && end == text.data() + text.size() && !text.empty();
  return whole ? std::optional(parsed) : std::nullopt;
}

template <class T>
bool take_number(const std::string& text, T least, T& into) {
  const auto value = number<T>(text);
  if (!value || *value < least) return false;
  into = *value;
  return true;
}

std::vector<std::string> cut(const std::string& text, char at);

struct Suffix {
  std::string_view name;
  double factor;
};

/// A number that is not negative, with one of `suffixes` (the empty one where there is a unit by default).
std::optional<double> scaled(std::string_view text, std::span<const Suffix> suffixes);

/// An amount with a unit of bytes, without one as bytes: 8GiB, 500MB, 4096.
std::optional<double> bytes_in(std::string_view text);

/// A time in seconds, minutes or hours: 90, 1.5s, 2min.
bool take_time(const std::string& text, Seconds& into);

}  // namespace groma::job
