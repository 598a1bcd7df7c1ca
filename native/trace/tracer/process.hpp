// The logs of this process, one for each thread that calls MPI, and what they have in common.
#pragma once

#include <cstdint>

#include "trace/tracer/calibration.hpp"
#include "trace/tracer/presence.hpp"

namespace groma::trace {

/// Learns what all logs have in common. False if nothing is to be traced.
bool prepare_logs(std::uint64_t entered, int rank, int ranks);
/// True once the logs were prepared.
bool has_begun();
/// Says in the log of the first thread that a communicator is not known.
void count_unknown_communicator();

/// These hold for all logs, also those that are opened later.
void set_world(const World& world);
void set_call_cost(const CallCost& cost);

/// Ends the logs of all threads; they can go on later.
void close_logs();
void reopen_logs();

}  // namespace groma::trace
