// The last step of a program: it checks that its output was written.
#pragma once

#include <iostream>
#include <ostream>
#include <string_view>

#include "base/exit_code.hpp"

namespace groma {

/// The exit code of a program: `code`, or 4 if that is 0 and a part of `out` was lost.
inline int delivered(int code, std::string_view program, std::ostream& out = std::cout,
                     std::ostream& errors = std::cerr) {
  out.flush();
  if (out.good() || code != kOk) return code;
  errors << program << ": cannot write to standard output\n"
         << "  redirect it to a writable file or device\n";
  return kEnvironment;
}

}  // namespace groma
