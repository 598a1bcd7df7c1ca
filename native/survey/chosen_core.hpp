// The core on which a probe of one thread measures.
#pragma once

#include "survey/probe.hpp"

namespace groma::survey {

inline constexpr Parameter kCoreParameter{
    "core", "-1", "-1", "-1", "logical core that measures; -1 takes the first allowed one", "core"};

/// The core that the parameter names; the first allowed one by default, 0 where the system reports none.
LogicalCore chosen_core(const Context& context);

/// Pins the calling thread to the core that the parameter names. If the system reports no cores, the thread
/// is not pinned.
Status pin_to_chosen_core(const Context& context);

}  // namespace groma::survey
