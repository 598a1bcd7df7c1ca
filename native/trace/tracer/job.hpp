// What tells the jobs of one command apart before their processes can send each other messages.
#pragma once

#include <cstdint>

namespace groma::trace {

/// The same number in all processes of a job, from what its launcher says.
std::uint64_t id_of_job();

}  // namespace groma::trace
