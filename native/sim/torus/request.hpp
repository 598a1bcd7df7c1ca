// A simulation as a JSON text asks for it, and its result as JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "base/json_reader.hpp"
#include "base/result.hpp"
#include "sim/torus/engine.hpp"
#include "sim/torus/workload.hpp"

namespace groma::sim::torus {

/// Where a trace of the run is wanted.
struct TraceRequest {
  std::string path;  ///< of its files without their endings; empty for no trace
  double nanoseconds_per_cycle = 1.0;
};

struct Request {
  Shape shape;
  Network network;
  std::unique_ptr<Workload> workload;
  std::size_t threads = 1;
  double time_limit = 0.0;  ///< seconds; 0 for none
  bool links = false;       ///< the result tells of each link
  TraceRequest trace;
};

/// Checks all of it but what simulate() checks.
Result<Request> read_request(std::string_view text);

/// Packets, hops, latencies, stalls and links, and what the workload adds.
Json result_of(const Request& request, const Outcome& outcome, double wall);

}  // namespace groma::sim::torus
