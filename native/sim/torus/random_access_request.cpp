// RandomAccess as a request names it.
#include <memory>
#include <string>
#include <utility>

#include "sim/torus/fields.hpp"
#include "sim/torus/random_access.hpp"

namespace groma::sim::torus {
namespace {

std::vector<std::uint32_t> prime_factors(std::uint32_t number) {
  std::vector<std::uint32_t> factors;
  for (std::uint32_t factor = 2; number > 1; ++factor) {
    for (; number % factor == 0; number /= factor) factors.push_back(factor);
  }
  return factors;
}

std::vector<std::uint32_t> stages_of(const std::string& algorithm, const Shape& shape) {
  if (algorithm == "direct") return {shape.nodes()};
  if (algorithm == "hypercube") return prime_factors(shape.nodes());
  std::vector<std::uint32_t> stages;
  for (std::size_t d = 0; d < shape.dimensions(); ++d) stages.push_back(shape.extent(d));
  return stages;
}

Result<std::unique_ptr<Workload>> make(const WorkloadRequest& request) {
  RandomAccessPlan plan;
  plan.seed = request.seed;
  Fields processor(request.processor, "processor");
  plan.send = processor.cycles("send", 0.0);
  plan.receive = read_receive(processor, kMaxReceived);
  plan.poll = processor.cycles("poll", plan.receive.empty());
  Fields fields(request.parameters, "workload");
  fields.value("name");
  const std::string algorithm =
      fields.choice("algorithm", {"multi-core", "single-core", "direct", "hypercube"});
  plan.specialised = algorithm == "multi-core";
  plan.stages = stages_of(algorithm, request.shape);
  if (request.shape.nodes() < 2) fields.refuse("algorithm", "needs two nodes or more");
  plan.update_bytes = fields.whole<std::uint32_t>("update_bytes", plan.update_bytes, 1, 256);
  const std::uint32_t most = std::min(request.network.largest_payload() / plan.update_bytes, kMaxBucket);
  if (most == 0) fields.refuse("update_bytes", "must fit into a packet");
  plan.bucket = fields.whole<std::uint32_t>("bucket", std::max(most, 1U), 1, std::max(most, 1U));
  plan.updates = fields.whole<std::uint64_t>("updates", plan.updates, 1, std::uint64_t{1} << 40U);
  plan.own = fields.numbers("own");
  const std::size_t costs = plan.specialised ? plan.stages.size() + 1 : 3;
  if (plan.own.size() != costs)
    fields.refuse("own", "must be " + std::to_string(costs) + " numbers of cycles");
  for (const double cycles : plan.own) {
    if (!(cycles >= 0.0 && cycles <= kMaxCycles)) fields.refuse("own", "must be cycles from 0 to 1e9");
  }
  if (const auto status = processor.status(); !status) return status.error();
  if (const auto status = fields.status(); !status) return status.error();
  return std::unique_ptr<Workload>(std::make_unique<RandomAccess>(std::move(plan), request.shape));
}

const Workloads::Registration kRegistered({"randomaccess", make});

}  // namespace
}  // namespace groma::sim::torus
