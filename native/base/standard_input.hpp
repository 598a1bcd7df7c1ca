// What a program is given on its standard input.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "base/file_text.hpp"
#include "base/result.hpp"

namespace groma {

/// All that can be read from a descriptor up to its end. Errors: environment, as where it is a folder.
inline Result<std::string> all_input(int descriptor = STDIN_FILENO) {
  if (auto text = text_of(descriptor)) return std::move(*text);
  const std::string reason = std::strerror(errno);  // NOLINT(concurrency-mt-unsafe)
  return Error{"environment", "standard input cannot be read: " + reason,
               "redirect it from a file or a pipe"};
}

}  // namespace groma
