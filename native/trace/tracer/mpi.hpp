// MPI as the tracer uses it: types and constants of its header, and no symbol of its library.
#pragma once

// NOLINTNEXTLINE(misc-header-include-cycle): the MPI's own, not this one
#include <mpi.h>

#include "trace/tracer/real.hpp"

#if defined(OMPI_PREDEFINED_GLOBAL)
// Open MPI's constants are addresses in its library, which may be loaded later than the tracer.
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global) (reinterpret_cast<type>(GROMA_REAL_SYMBOL(#global)))
#endif
