// Rates of the cores and the memory here, from three short kernels: enough to choose a size and to say how
// long a run will take, nothing is reported from it.
#pragma once

#include <functional>

#include "base/result.hpp"
#include "hpcc/machine.hpp"

namespace groma::hpcc {

/// What each of `threads` threads reaches while all of them work; a quarter of a second, more only where a
/// single matrix product takes longer. `cache` is the share of the last-level caches that falls to each
/// thread of the machine. Errors (memory): vectors of several times the cache have no room.
Result<BaseRates> measure_basics(std::uint32_t threads, Bytes cache);

/// Of a thread of this rank; ranks that measure at once share the machine as they will in the tests.
Result<BaseRates> basics_of_rank(const Machine& machine, std::uint32_t threads);

/// Of a thread, while as many work as all ranks on a node will have; where there are fewer CPUs, they share
/// them.
Result<BaseRates> basics_of_node(const Machine& machine, std::uint32_t threads);

/// The slowest of all ranks, for a test ends with the last one. Collective.
Result<BaseRates> slowest_basics(const mpi::Communicator& world, const Result<BaseRates>& own);

/// Rates of the machine's ranks: those given, the others by `measure`, which is not called where none is
/// missing. Where it fails they stay assumed.
void set_rates(Machine& machine, const std::vector<GivenRate>& given, std::uint32_t threads,
               const std::function<Result<BaseRates>()>& measure);

}  // namespace groma::hpcc
