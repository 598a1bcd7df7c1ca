// How the native programs were built, for the record.
#pragma once

#include <string_view>

#include "base/json.hpp"

namespace groma {

/// {"version", "compiler", "flags", "options": {name: value}}
Json build_info();

std::string_view build_version();
std::string_view build_compiler();

}  // namespace groma
