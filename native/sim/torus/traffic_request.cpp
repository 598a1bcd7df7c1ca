// Patterns of traffic as a request names them: uniform, hot-spot, shift, tornado, transpose, bit-reverse.
//   workload.packet    bytes of a packet, header included; the largest by default
//   workload.load      offered, as a share of the bound for uniform traffic; 0 (default) for as much as goes
//   workload.rate      offered, bytes for each node and cycle, in place of load
//   workload.warm_up   cycles before packets count, 50000 by default
//   workload.window    cycles in which they count, 100000 by default
//   workload.packets   packets of each node, after which the run ends; 0 (default) for a run of warm_up and
//                      window
//   workload.offsets   shift: nodes in each dimension
//   workload.hot       hot-spot: number of the node, 0 by default
//   workload.share     hot-spot: share of the packets that go there, 0.1 by default
//   processor.send, processor.receive {single, batch, each}: cycles for a packet, 0 by default
// The result: offered, accepted and bound (bytes of packets for each node and cycle), latency_of_window {n,
// mean, max} in cycles from when a packet was due.
#include <memory>
#include <string>
#include <utility>

#include "sim/torus/fields.hpp"
#include "sim/torus/traffic.hpp"

namespace groma::sim::torus {
namespace {

constexpr Cycles kLongest = Cycles{1} << 40U;
constexpr double kMinRate = 1e-9;  // bytes for each node and cycle
constexpr double kMaxRate = 1e6;
constexpr double kMaxLoad = 100.0;

using MakePattern = Result<Pattern> (*)(const WorkloadRequest& request, Fields& fields);

std::uint32_t read_steps(const Network& network, Fields& fields) {
  const auto bytes = fields.whole<std::uint32_t>("packet", network.packet_largest, network.packet_step,
                                                 network.packet_largest);
  if (bytes % network.packet_step != 0) {
    fields.refuse("packet", "must be a multiple of " + std::to_string(network.packet_step));
  }
  return bytes / network.packet_step;
}

void read_rate(Fields& fields, TrafficPlan& plan) {
  const auto is_possible = [](double rate) { return rate == 0.0 || (rate >= kMinRate && rate <= kMaxRate); };
  const double load = fields.number("load", 0.0);
  if (!(load >= 0.0 && load <= kMaxLoad && is_possible(load * plan.bound)))
    fields.refuse("load", "must be a share from 0 to 100, with a rate of 0 or from 1e-9 to 1e6");
  plan.rate = fields.number("rate", load * plan.bound);
  if (!is_possible(plan.rate)) fields.refuse("rate", "must be bytes for each cycle: 0, or from 1e-9 to 1e6");
}

Result<std::unique_ptr<Workload>> make_traffic(const WorkloadRequest& request, MakePattern make_pattern) {
  Fields processor(request.processor, "processor");
  Fields fields(request.parameters, "workload");
  fields.value("name");
  TrafficPlan plan;
  plan.seed = request.seed;
  plan.costs = read_packet_costs(processor);
  plan.steps = read_steps(request.network, fields);
  plan.bytes = plan.steps * request.network.packet_step;
  if (request.shape.nodes() < 2) fields.refuse("name", "needs two nodes or more");
  plan.bound = uniform_bound(request.shape, request.network, plan.steps);
  read_rate(fields, plan);
  plan.warm_up = fields.whole<Cycles>("warm_up", 50'000, 0, kLongest);
  plan.window = fields.whole<Cycles>("window", 100'000, 1, kLongest);
  plan.packets = fields.whole<std::uint64_t>("packets", 0, 0, std::uint64_t{1} << 40U);
  auto pattern = make_pattern(request, fields);
  if (const auto status = processor.status(); !status) return status.error();
  if (const auto status = fields.status(); !status) return status.error();
  if (!pattern) return pattern.error();
  plan.pattern = std::move(pattern).value();
  return std::unique_ptr<Workload>(std::make_unique<Traffic>(std::move(plan), request.shape));
}

Result<Pattern> make_uniform(const WorkloadRequest& request, Fields& /*fields*/) {
  return uniform_pattern(request.shape);
}

Result<Pattern> make_hot_spot(const WorkloadRequest& request, Fields& fields) {
  const auto hot = fields.whole<Node>("hot", 0, 0, request.shape.nodes() - 1);
  const double share = fields.number("share", 0.1);
  if (!(share >= 0.0 && share <= 1.0)) fields.refuse("share", "must be from 0 to 1");
  return hot_spot_pattern(request.shape, hot, share);
}

Result<Pattern> make_shift(const WorkloadRequest& request, Fields& fields) {
  std::vector<std::uint32_t> offsets;
  for (const double offset : fields.numbers("offsets")) {
    const std::size_t d = offsets.size();
    const bool good = d < request.shape.dimensions() && offset >= 0.0 && offset < request.shape.extent(d) &&
                      offset == std::floor(offset);
    if (!good) fields.refuse("offsets", "must be a number of nodes below the extent for each dimension");
    offsets.push_back(good ? static_cast<std::uint32_t>(offset) : 0);
  }
  if (offsets.size() != request.shape.dimensions())
    fields.refuse("offsets", "must be one for each dimension");
  offsets.resize(request.shape.dimensions());
  return shift_pattern(request.shape, std::move(offsets));
}

Result<Pattern> make_tornado(const WorkloadRequest& request, Fields& /*fields*/) {
  return tornado_pattern(request.shape);
}

Result<Pattern> make_transpose(const WorkloadRequest& request, Fields& /*fields*/) {
  return transpose_pattern(request.shape);
}

Result<Pattern> make_bit_reverse(const WorkloadRequest& request, Fields& /*fields*/) {
  return bit_reverse_pattern(request.shape);
}

template <MakePattern kPattern>
Result<std::unique_ptr<Workload>> make(const WorkloadRequest& request) {
  return make_traffic(request, kPattern);
}

const Workloads::Registration kUniform({"uniform", make<make_uniform>});
const Workloads::Registration kHotSpot({"hot-spot", make<make_hot_spot>});
const Workloads::Registration kShift({"shift", make<make_shift>});
const Workloads::Registration kTornado({"tornado", make<make_tornado>});
const Workloads::Registration kTranspose({"transpose", make<make_transpose>});
const Workloads::Registration kBitReverse({"bit-reverse", make<make_bit_reverse>});

}  // namespace
}  // namespace groma::sim::torus
