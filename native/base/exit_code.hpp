// How programs end; the codes are those of every groma command (docs/command-line.md).
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "base/result.hpp"

namespace groma {

enum ExitCode { kOk = 0, kUsage = 2, kInvalid = 3, kEnvironment = 4, kInterrupted = 130 };

/// The exit code of a program that ends with this error.
inline ExitCode code_of(const Error& error) {
  constexpr std::array<std::string_view, 5> of_what_was_given = {"usage", "memory", "damaged", "no-logs",
                                                                 "other-version"};
  if (std::ranges::find(of_what_was_given, error.code) != of_what_was_given.end()) return kUsage;
  return error.code == "validation" ? kInvalid : kEnvironment;
}

}  // namespace groma
