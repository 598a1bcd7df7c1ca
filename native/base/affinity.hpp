// Which CPUs this process may use, and pinning of the calling thread.
#pragma once

#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"

namespace groma {

/// CPUs of the affinity mask, ascending. Empty if the kernel does not say.
std::vector<PhysicalCore> allowed_cpus();

/// Pins the calling thread to one CPU.
Status pin_this_thread(PhysicalCore cpu);

/// Lets the calling thread run on these CPUs only.
Status keep_this_thread_on(const std::vector<PhysicalCore>& cpus);

}  // namespace groma
