// What other layers in front of MPI need of the one that yields.
#pragma once

#include <cstdint>

namespace groma::test {

/// Yields the core where ranks outnumber cores.
void yield_if_crowded();

/// Barriers of this rank so far that poll without a yield outside of tests.
std::uint64_t blocking_barriers();

}  // namespace groma::test
