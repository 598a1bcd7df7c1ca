// How programs end; the codes are those of every groma command (docs/command-line.md).
#pragma once

#include "base/result.hpp"

namespace groma {

enum ExitCode { kOk = 0, kUsage = 2, kInvalid = 3, kEnvironment = 4, kInterrupted = 130 };

/// The exit code of a program that ends with this error.
inline ExitCode code_of(const Error& error) {
  if (error.code == "usage" || error.code == "memory") return kUsage;
  return error.code == "validation" ? kInvalid : kEnvironment;
}

}  // namespace groma
