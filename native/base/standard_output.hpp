// The last thing a program does: say whether what it printed has left it.
#pragma once

#include <iostream>
#include <ostream>
#include <string_view>

#include "base/exit_code.hpp"

namespace groma {

/// The exit code of a program that is done: `code`, or 4 where that is 0 and a part of `out` was lost.
inline int delivered(int code, std::string_view program, std::ostream& out = std::cout,
                     std::ostream& errors = std::cerr) {
  out.flush();
  if (out.good() || code != kOk) return code;
  errors << program << ": cannot write to standard output\n"
         << "  send it to a place that can be written\n";
  return kEnvironment;
}

}  // namespace groma
