#include "sim/torus/fields.hpp"

#include <algorithm>

namespace groma::sim::torus {
namespace {

std::string joined(const std::vector<std::string_view>& names) {
  std::string all;
  for (const std::string_view name : names) all.append(all.empty() ? "" : ", ").append(name);
  return all;
}

/// "a, b or c"
std::string alternatives(std::initializer_list<std::string_view> words) {
  std::string all;
  for (const std::string_view& word : words) {
    const bool is_last = &word == words.end() - 1;
    all.append(all.empty() ? "" : (is_last ? " or " : ", ")).append(word);
  }
  return all;
}

}  // namespace

Fields::Fields(JsonValue table, std::string_view place) : table_(table), place_(place) {
  if (table && !table.is_table())
    error_ = Error{"usage", place_ + " is not a table", "write it as {\"name\": value}"};
}

JsonValue Fields::value(std::string_view name) {
  known_.push_back(name);
  return table_.find(name);
}

double Fields::number(std::string_view name, double otherwise) {
  const JsonValue found = value(name);
  if (!found || found.is_null()) return otherwise;
  const auto number = found.number();
  if (!number) refuse(name, "must be a number");
  return number.value_or(otherwise);
}

double Fields::cycles(std::string_view name, double otherwise) {
  const double cycles = number(name, otherwise);
  if (!(cycles >= 0.0 && cycles <= kMaxCycles)) refuse(name, "must be cycles from 0 to 1e9");
  return cycles;
}

bool Fields::truth(std::string_view name, bool otherwise) {
  const JsonValue found = value(name);
  if (!found || found.is_null()) return otherwise;
  const auto truth = found.truth();
  if (!truth) refuse(name, "must be true or false");
  return truth.value_or(otherwise);
}

std::string Fields::text(std::string_view name, std::string_view otherwise) {
  const JsonValue found = value(name);
  if (!found || found.is_null()) return std::string(otherwise);
  const auto text = found.text();
  if (!text) refuse(name, "must be a text");
  return std::string(text.value_or(otherwise));
}

std::string Fields::choice(std::string_view name, std::initializer_list<std::string_view> choices) {
  const std::string_view otherwise = *choices.begin();
  const JsonValue found = value(name);
  if (!found || found.is_null()) return std::string(otherwise);
  const std::string text(found.text().value_or(""));
  if (std::ranges::find(choices, text) == choices.end()) refuse(name, "must be " + alternatives(choices));
  return text;
}

std::vector<double> Fields::numbers(std::string_view name) {
  std::vector<double> numbers;
  const JsonValue found = value(name);
  if (!found || found.is_null()) return numbers;
  if (!found.is_list()) refuse(name, "must be a list of numbers");
  found.for_each_item([&](const JsonValue& item) {
    const auto number = item.number();
    if (!number) refuse(name, "must be a list of numbers");
    numbers.push_back(number.value_or(0.0));
  });
  return numbers;
}

void Fields::refuse(std::string_view name, const std::string& why) {
  if (error_) return;
  error_ = Error{"usage", place_ + "." + std::string(name) + " " + why, "see docs/sim/torus.md"};
}

void Fields::take_error_of(const Fields& part) {
  const Status status = part.status();
  if (!error_ && !status) error_ = status.error();
}

Status Fields::status() const {
  if (error_) return *error_;
  std::optional<Error> unknown;
  table_.for_each_member([&](std::string_view key, const JsonValue&) {
    if (unknown || std::ranges::find(known_, key) != known_.end()) return;
    unknown = Error{"usage", place_ + " has no member " + std::string(key), "it may have: " + joined(known_)};
  });
  if (unknown) return *unknown;
  return Done{};
}

}  // namespace groma::sim::torus
