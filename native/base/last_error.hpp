// The line that a thread of a program in C reads after a call that failed. Allocates nothing.
#pragma once

#include <cstdarg>

namespace groma {

/// One line, never null, "" if no call of this thread has failed.
const char* last_error() noexcept;

/// Signs that are no text become blanks; a line that is too long is cut.
void set_last_error(const char* format, std::va_list arguments) noexcept;

}  // namespace groma
