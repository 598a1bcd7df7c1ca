// Which ranks of MPI_COMM_WORLD are traced. A rank without the tracer joins none of its collective calls, and
// takes its messages for those of the program. So the ranks find out by files in the folder of the logs, and
// no message is sent before all are known to be traced.
#pragma once

#include <cstdint>

namespace groma::trace {

/// What the traced ranks of a world have in common.
struct World {
  std::uint64_t id;
  std::uint64_t untraced;  ///< ranks; 0: all may use collective calls
};

/// One that is like no other. Its ranks have to be told of it.
World new_world();
/// To be called before the real MPI_Init: no rank leaves that before all have entered it, so that then all
/// see who is traced. Nothing happens where the launcher does not say the rank.
void announce_presence();
/// After the real MPI_Init. Collective over the traced ranks. Where some are not traced, it ends after a
/// while for each of the others.
World meet(int rank, int ranks);
/// No rank of this world is going to look any more.
void withdraw_presence();

}  // namespace groma::trace
