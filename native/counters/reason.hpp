// Why an event cannot be counted, in one line.
#pragma once

#include <string>

#include "counters/event.hpp"

namespace groma::counters {

/// `error` is what the kernel answered to opening it, a positive errno.
std::string reason_for(int error, const Event& event, const System& system);

}  // namespace groma::counters
