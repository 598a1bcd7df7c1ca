#include "base/last_error.hpp"

#include <cstddef>
#include <cstdio>

namespace groma {
namespace {

constexpr std::size_t kLongestLine = 1024;

/// Not a std::string: to fail allocates nothing either.
thread_local char error_line[kLongestLine] = "";

}  // namespace

const char* last_error() noexcept {
  return error_line;
}

void set_last_error(const char* format, std::va_list arguments) noexcept {
  std::vsnprintf(error_line, kLongestLine, format, arguments);
  for (char* sign = error_line; *sign != '\0'; ++sign) {
    if (static_cast<unsigned char>(*sign) < 0x20)
      *sign = ' ';  // a path may hold what would make it two lines
  }
}

}  // namespace groma
