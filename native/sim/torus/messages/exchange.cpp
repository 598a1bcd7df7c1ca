// Exchanges of messages with nodes near by, all at once: the patterns of Servet's benchmarks of distance and
// access (González-Domínguez et al. 2013, section 4), and the exchange of halos.
//   distance  workload.distance  each node sends to the node so many numbers further on, 1 by default
//   access    workload.cores     so many ranks of each node send to those of the next node, 1 by default
//   halo      every node sends to each neighbour and computes for workload.compute cycles, 0 by default
//   each      workload.bytes     of a message, 65536 by default
//             workload.messages  one after the other (halo: iterations), 4 by default
// and the fields of messages/layer_request.hpp. The result adds bytes_per_cycle_of_rank {min, mean, max}:
// what a rank received over the time until it was done.
#include <algorithm>
#include <utility>

#include "sim/torus/messages/layer_request.hpp"

namespace groma::sim::torus {
namespace {

struct Size {
  std::uint64_t bytes;
  std::uint32_t messages;
};

Size read_size(Fields& fields) {
  return {fields.whole<std::uint64_t>("bytes", 65536, 0, std::uint64_t{1} << 40U),
          fields.whole<std::uint32_t>("messages", 4, 1, 1'000'000)};
}

void report_ranks(const MessageLayer& layer, const Outcome& /*outcome*/, JsonObject& result) {
  std::vector<double> rates;
  for (Rank rank = 0; rank < layer.ranks(); ++rank) {
    const Cycles time = layer.finished_at(rank);
    if (time == kNever) continue;
    rates.push_back(static_cast<double>(layer.bytes_received(rank)) /
                    static_cast<double>(std::max<Cycles>(time, 1)));
  }
  if (rates.empty()) return;
  double sum = 0.0;
  for (const double rate : rates) sum += rate;
  result.add("bytes_per_cycle_of_rank", JsonObject()
                                            .add("min", std::ranges::min(rates))
                                            .add("mean", sum / static_cast<double>(rates.size()))
                                            .add("max", std::ranges::max(rates))
                                            .json());
}

/// Each rank sends to the one `offset` further on and receives from the one so far back.
Programs make_shift(Rank ranks, Rank offset, Size size, std::uint32_t cores) {
  Programs programs{std::vector<Program>(ranks), report_ranks, cores};
  for (Rank rank = 0; rank < ranks; ++rank) {
    for (std::uint32_t i = 0; i < size.messages; ++i) {
      programs.of_ranks[rank].receive((rank + ranks - offset) % ranks);
      programs.of_ranks[rank].send((rank + offset) % ranks, size.bytes);
      programs.of_ranks[rank].wait_all();
    }
  }
  return programs;
}

Programs make_distance(const WorkloadRequest& request, Fields& fields) {
  const Node nodes = request.shape.nodes();
  if (nodes < 2) fields.refuse("name", "needs two nodes or more");
  const Rank distance = fields.whole<Rank>("distance", 1, 1, std::max(nodes, 2U) - 1);
  return make_shift(nodes, distance, read_size(fields), 1);
}

Programs make_access(const WorkloadRequest& request, Fields& fields) {
  if (request.shape.nodes() < 2) fields.refuse("name", "needs two nodes or more");
  const auto cores = fields.whole<std::uint32_t>("cores", 1, 1, kMaxCores);
  return make_shift(request.shape.nodes() * cores, cores, read_size(fields), cores);
}

/// Where a dimension has two nodes, the neighbours up and down are the same: tags tell their messages apart.
Programs make_halo(const WorkloadRequest& request, Fields& fields) {
  const Shape& shape = request.shape;
  const Size size = read_size(fields);
  const double compute = fields.cycles("compute", 0.0);
  Programs programs{std::vector<Program>(shape.nodes()), report_ranks, 1};
  for (Node node = 0; node < shape.nodes(); ++node) {
    Program& program = programs.of_ranks[node];
    for (std::uint32_t i = 0; i < size.messages; ++i) {
      for (Port port = 0; port < shape.ports(); ++port) {
        const Node neighbour = shape.neighbour(node, port);
        if (neighbour == kNoNode) continue;
        program.receive(neighbour, static_cast<std::int32_t>(opposite(port)));
        program.send(neighbour, size.bytes, static_cast<std::int32_t>(port),
                     port % 2 == 0 ? Ties::kUp : Ties::kDown);
      }
      program.wait_all();
      if (compute > 0.0) program.compute(compute);
    }
  }
  return programs;
}

const Workloads::Registration kDistance({"distance", [](const WorkloadRequest& request) {
                                           return make_message_workload(request, make_distance);
                                         }});
const Workloads::Registration kAccess({"access", [](const WorkloadRequest& request) {
                                         return make_message_workload(request, make_access);
                                       }});
const Workloads::Registration kHalo({"halo", [](const WorkloadRequest& request) {
                                       return make_message_workload(request, make_halo);
                                     }});

}  // namespace
}  // namespace groma::sim::torus
