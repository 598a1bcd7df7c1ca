// What other layers in front of MPI need of the one that yields.
#pragma once

namespace groma::testing {

/// Yields the core where ranks outnumber cores.
void yield_if_crowded();

}  // namespace groma::testing
