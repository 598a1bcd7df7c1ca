#include "trace/merge/site_names.hpp"

#include <array>
#include <charconv>

#include "trace/model/event_types.hpp"

namespace groma::trace {
namespace {

/// Values of Extrae below these mean an end, an address that is not resolved, and one that is not found.
constexpr std::uint64_t kFirstValue = 3;

std::string file_of(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

std::string in_hexadecimal(std::uint64_t value) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
  return "0x" + std::string(digits.data(), end);
}

/// A label is one line of a .pcf.
std::string printable(std::string text) {
  for (char& letter : text) {
    if (static_cast<unsigned char>(letter) < 0x20U || letter == 0x7f) letter = '?';
  }
  return text;
}

/// The value of a thing, which gets the next one where it is new.
std::uint64_t value_of(const std::string& key, const std::string& label,
                       std::map<std::string, std::uint64_t>& values, std::vector<std::string>& labels) {
  const auto [place, is_new] = values.try_emplace(key, labels.size() + kFirstValue);
  if (is_new) labels.push_back(printable(label));
  return place->second;
}

void name_type(Names& names, std::uint32_t type, const char* label, const std::vector<std::string>& values) {
  constexpr std::uint32_t general = 0;  // of Extrae's callers
  EventType& made = names.events[type];
  made = {general, label, {{0, "End"}, {1, "Unresolved"}, {2, "_NOT_Found"}}};
  for (std::size_t i = 0; i < values.size(); ++i) made.values[i + kFirstValue] = values[i];
}

}  // namespace

std::uint32_t SiteNames::number(const CallSite& site) {
  return numbers_.try_emplace(site, static_cast<std::uint32_t>(numbers_.size())).first->second;
}

void SiteNames::resolve(const SymbolSource& symbols) {
  values_.resize(numbers_.size());
  // Sites are in the order of their modules.
  for (auto at = numbers_.begin(); at != numbers_.end();) {
    const Module& module = at->first.module;
    auto end = at;
    std::vector<std::uint64_t> calls;
    // A call returns to the instruction after it, which may belong to the next line or function.
    for (; end != numbers_.end() && end->first.module == module; ++end)
      calls.push_back(end->first.address - 1);
    const std::vector<Symbol> found = module.path.empty() ? std::vector<Symbol>() : symbols(module, calls);
    for (std::size_t i = 0; at != end; ++at, ++i) {
      give_values(at->second, at->first, i < found.size() ? found[i] : Symbol());
    }
  }
}

void SiteNames::give_values(std::uint32_t number, const CallSite& site, const Symbol& symbol) {
  const std::string module = file_of(site.module.path);
  const std::string address =
      module.empty() ? in_hexadecimal(site.address) : module + '+' + in_hexadecimal(site.address);
  const bool has_function = !symbol.function.empty();
  const bool has_line = symbol.line > 0 && !symbol.file.empty();
  if (!has_function) ++unresolved_;
  const std::string function = has_function ? symbol.function : address;
  // Static functions of one name may be several.
  values_[number].function = value_of(site.module.path + '\n' + symbol.file + '\n' + function, function,
                                      function_values_, functions_);
  const std::string line = std::to_string(symbol.line);
  const std::string label = has_line ? line + " (" + file_of(symbol.file) + ", " + module + ')' : address;
  const std::string key = has_line ? symbol.file + '\n' + label : site.module.path + '\n' + label;
  values_[number].line = value_of(key, label, line_values_, lines_);
}

void SiteNames::name(Names& names) const {
  if (numbers_.empty()) return;
  name_type(names, kCallerType, "Caller at level 1", functions_);
  name_type(names, kCallerLineType, "Caller line at level 1", lines_);
}

}  // namespace groma::trace
