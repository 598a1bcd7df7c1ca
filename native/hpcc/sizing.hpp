// From options to a plan: of an input file, of sizes given, or of the memory there is, with the reason of
// every choice.
#pragma once

#include <optional>
#include <string>

#include "hpcc/machine.hpp"
#include "hpcc/options.hpp"
#include "hpcc/plan.hpp"

namespace groma::hpcc {

/// An input file as read.
struct InputText {
  std::string name;
  std::string text;
};

/// The file that `options` name, or hpccinf.txt where there is one and nothing else says the size. Errors
/// (usage) name it and what is wrong with it, or the output that would replace it.
Result<std::optional<InputText>> find_input(const Options& options);

/// A pure function, so that every rank comes to the same plan. Errors (usage, memory) say which line or
/// option is wrong, or how much memory is missing.
Result<Plan> plan_for(const Options& options, const std::optional<InputText>& input, const Machine& machine);

}  // namespace groma::hpcc
