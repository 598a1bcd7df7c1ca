#include "sim/torus/messages/layer_request.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace groma::sim::torus {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 50U;

LayerSettings read_layer(const WorkloadRequest& request, Fields& fields, Fields& processor) {
  LayerSettings settings;
  const std::string policy = fields.choice("policy", {"fifo", "overlapping"});
  settings.policy = policy == "fifo" ? Policy::kFifo : Policy::kOverlapping;
  const std::string polling = fields.choice("polling", {"alternate", "receive-first", "send-first"});
  if (polling == "receive-first") settings.polling = Polling::kReceiveFirst;
  if (polling == "send-first") settings.polling = Polling::kSendFirst;
  settings.rendezvous = fields.whole<std::uint64_t>("rendezvous", settings.rendezvous, 0, kMaxBytes);
  settings.costs = read_packet_costs(processor);
  settings.call = processor.cycles("call", 0.0);
  settings.message = processor.cycles("message", 0.0);
  settings.reorder = processor.cycles("reorder", 0.0);
  settings.copy = processor.cycles("copy", 0.0);
  settings.seed = request.seed;
  return settings;
}

/// For which a router has queues left.
std::uint32_t max_fifo_sets(const WorkloadRequest& request) {
  const std::uint32_t ports = request.shape.ports();
  const std::uint32_t channels = std::min(ports * request.network.channels(), kMaxQueues);
  return (kMaxQueues - channels) / ports;
}

}  // namespace

Result<std::unique_ptr<Workload>> make_message_workload(const WorkloadRequest& request,
                                                        const MakePrograms& programs) {
  Fields processor(request.processor, "processor");
  Fields fields(request.parameters, "workload");
  fields.value("name");
  LayerSettings settings = read_layer(request, fields, processor);
  Programs made = programs(request, fields);
  settings.cores = made.cores;
  settings.max_fifo_sets = max_fifo_sets(request);
  if (const auto status = processor.status(); !status) return status.error();
  if (const auto status = fields.status(); !status) return status.error();
  return std::unique_ptr<Workload>(std::make_unique<MessageLayer>(settings, std::move(made.of_ranks),
                                                                  request.shape, std::move(made.extra)));
}

std::vector<Rank> read_ranks(Fields& fields, std::string_view name, Rank ranks) {
  std::vector<Rank> read;
  for (const double number : fields.numbers(name)) {
    const bool good = number >= 0.0 && number < ranks && number == std::floor(number);
    if (!good) fields.refuse(name, "must be numbers of ranks below " + std::to_string(ranks));
    read.push_back(good ? static_cast<Rank>(number) : 0);
  }
  return read;
}

}  // namespace groma::sim::torus
