// Call sites of all logs of a run, and what they are called in the trace.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "trace/merge/log_reader.hpp"
#include "trace/model/trace.hpp"

namespace groma::trace {

/// What debugging information says of an address. Empty where it says nothing.
struct Symbol {
  std::string function;
  std::string file;
  std::uint64_t line = 0;
};
/// The symbols of addresses of a module, in their order; fewer, or none, where they are not known.
using SymbolSource = std::function<std::vector<Symbol>(const Module&, std::span<const std::uint64_t>)>;
inline std::vector<Symbol> no_symbols(const Module& /*module*/,
                                      std::span<const std::uint64_t> /*addresses*/) {
  return {};
}

/// Equal sites of several logs are one.
class SiteNames {
 public:
  /// Values of the events of a site.
  struct Values {
    std::uint64_t function = 0;
    std::uint64_t line = 0;
  };

  /// Its number, from 0.
  std::uint32_t number(const CallSite& site);
  /// To be called once, when all sites are known.
  void resolve(const SymbolSource& symbols);
  [[nodiscard]] Values of(std::uint32_t number) const { return values_[number]; }
  /// Adds what the values mean.
  void name(Names& names) const;
  [[nodiscard]] std::size_t unresolved() const { return unresolved_; }

 private:
  void give_values(std::uint32_t number, const CallSite& site, const Symbol& symbol);

  std::map<CallSite, std::uint32_t> numbers_;
  std::vector<Values> values_;
  std::vector<std::string> functions_;
  std::vector<std::string> lines_;
  std::map<std::string, std::uint64_t> function_values_;
  std::map<std::string, std::uint64_t> line_values_;
  std::size_t unresolved_ = 0;
};

}  // namespace groma::trace
