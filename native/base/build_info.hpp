// How the native programs were built, for the record.
#pragma once

#include "base/json.hpp"

namespace groma {

/// {"version", "compiler", "flags", "options": {name: value}}
Json build_info();

}  // namespace groma
