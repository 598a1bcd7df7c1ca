// Exchanges between all nodes as a request names them: all-to-all (direct) and two-phase.
//   workload.bytes      of each message, 240 by default (the payload of one packet)
//   workload.destinations  nodes to which each node sends: a random sample, at the same displacements from
//                       all nodes; all others by default
//   workload.burst      packets to a destination before the next one has its turn, 1 by default
//   workload.ahead      packets that a node keeps for directions whose FIFO is full, to go on with others; 0
//                       by default, with two-phase 64
//   workload.dimension  two-phase: that of the first phase, from 0; the longest by default
//   processor.send, processor.receive {single, batch, each}: cycles for a packet, 0 by default
// The result: complete, message_bytes (that arrived at all nodes), last_arrival and least_time (cycles),
// share_of_peak (until the last arrival, of the rate at which the busiest dimension would carry all the
// time), bytes_per_cycle (of messages), most_stored (packets that an intermediate node held).
#include <algorithm>
#include <memory>
#include <utility>

#include "sim/torus/all_to_all.hpp"
#include "sim/torus/fields.hpp"

namespace groma::sim::torus {
namespace {

constexpr std::uint32_t kMaxMessage = 1U << 24U;

std::size_t longest_dimension(const Shape& shape) {
  std::size_t longest = 0;
  for (std::size_t d = 1; d < shape.dimensions(); ++d) {
    if (shape.extent(d) > shape.extent(longest)) longest = d;
  }
  return longest;
}

Result<std::unique_ptr<Workload>> make(const WorkloadRequest& request, bool two_phases) {
  Fields processor(request.processor, "processor");
  Fields fields(request.parameters, "workload");
  fields.value("name");
  AllToAllPlan plan;
  plan.seed = request.seed;
  plan.two_phases = two_phases;
  plan.costs = read_packet_costs(processor);
  plan.bytes = fields.whole<std::uint32_t>("bytes", request.network.largest_payload(), 1, kMaxMessage);
  const std::uint32_t others = std::max(request.shape.nodes(), 2U) - 1;
  plan.destinations = fields.whole<std::uint32_t>("destinations", others, 1, others);
  plan.burst = fields.whole<std::uint32_t>("burst", 1, 1, kMaxMessage);
  plan.ahead = fields.whole<std::uint32_t>("ahead", two_phases ? 64 : 0, 0, 4096);
  if (two_phases) {
    plan.phase_dimension = fields.whole<std::size_t>("dimension", longest_dimension(request.shape), 0,
                                                     request.shape.dimensions() - 1);
  }
  if (request.shape.nodes() < 2) fields.refuse("name", "needs two nodes or more");
  if (const auto status = processor.status(); !status) return status.error();
  if (const auto status = fields.status(); !status) return status.error();
  return std::unique_ptr<Workload>(std::make_unique<AllToAll>(plan, request.shape, request.network));
}

const Workloads::Registration kDirect({"all-to-all",
                                       [](const WorkloadRequest& r) { return make(r, false); }});
const Workloads::Registration kTwoPhase({"two-phase",
                                         [](const WorkloadRequest& r) { return make(r, true); }});

}  // namespace
}  // namespace groma::sim::torus
