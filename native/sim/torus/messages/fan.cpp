// Fan-in and fan-out: neighbours of a node send to it while it sends to some of them (Martorell et al. 2005,
// figure 7).
//   workload.name      fan
//   workload.center    the node in the middle; that in the middle of each dimension by default
//   workload.senders   how many neighbours send to it, by ascending number, 3 by default; or workload.from, a
//                      list of other nodes, each once
//   workload.receivers to how many of them it sends, 0 by default; or workload.to, such a list
//   workload.messages  of each sender to each receiver, 30 by default
//   workload.bytes     of a message, 1048576 by default
// and the fields of messages/layer_request.hpp. The result adds senders: [{node, stalled, finished_at}], the
// share of the time for which its links to the node in the middle had a packet and no token, and center
// {node, stalled, received, sent}.
#include <algorithm>
#include <string>
#include <utility>

#include "sim/torus/messages/layer_request.hpp"

namespace groma::sim::torus {
namespace {

struct Fan {
  Node center = 0;
  std::vector<Rank> from;
  std::vector<Rank> to;
  std::uint64_t bytes = 0;
  std::uint64_t messages = 0;
};

std::vector<Rank> neighbours_of(const Shape& shape, Node node) {
  std::vector<Rank> all;
  for (Port port = 0; port < shape.ports(); ++port) {
    const Node neighbour = shape.neighbour(node, port);
    if (neighbour != kNoNode) all.push_back(neighbour);
  }
  std::ranges::sort(all);
  const auto doubled = std::ranges::unique(all);
  all.erase(doubled.begin(), doubled.end());
  return all;
}

Node middle_of(const Shape& shape) {
  std::vector<std::uint32_t> place;
  for (std::size_t d = 0; d < shape.dimensions(); ++d) place.push_back(shape.extent(d) / 2);
  return shape.node_at(place);
}

bool has_duplicates(std::vector<Rank> ranks) {
  std::ranges::sort(ranks);
  return std::ranges::adjacent_find(ranks) != ranks.end();
}

struct Side {
  Node center;
  std::string_view list;
  std::string_view count;
  std::size_t otherwise;  ///< neighbours, where neither is given
};

std::vector<Rank> read_side(Fields& fields, const Side& names, const std::vector<Rank>& neighbours,
                            const Shape& shape) {
  std::vector<Rank> side = read_ranks(fields, names.list, shape.nodes());
  if (std::ranges::find(side, names.center) != side.end()) fields.refuse(names.list, "names the center");
  if (has_duplicates(side)) fields.refuse(names.list, "names a node twice");
  const std::size_t otherwise = side.empty() ? std::min(names.otherwise, neighbours.size()) : 0;
  const auto number = fields.whole<std::size_t>(names.count, otherwise, 0, neighbours.size());
  if (!side.empty() && number != 0)
    fields.refuse(names.count, "and " + std::string(names.list) + " exclude each other");
  if (side.empty()) side.assign(neighbours.begin(), neighbours.begin() + static_cast<std::ptrdiff_t>(number));
  return side;
}

/// The share of the time for which links from one node to another wanted tokens.
double stalled(const Shape& shape, const Outcome& outcome, Node from, Node to) {
  Cycles cycles = 0;
  for (Port port = 0; port < shape.ports(); ++port) {
    if (shape.neighbour(from, port) == to)
      cycles += outcome.links[(std::size_t{from} * shape.ports()) + port].stalled;
  }
  return static_cast<double>(cycles) / static_cast<double>(std::max<Cycles>(outcome.end.time, 1));
}

MessageLayer::Extra report_of(const Fan& fan, const Shape& shape) {
  return [fan, shape](const MessageLayer& layer, const Outcome& outcome, JsonObject& result) {
    std::vector<Json> senders;
    for (const Rank rank : fan.from) {
      JsonObject sender;
      sender.add("node", rank).add("stalled", stalled(shape, outcome, rank, fan.center));
      if (layer.finished_at(rank) != kNever) sender.add("finished_at", layer.finished_at(rank));
      senders.push_back(sender.json());
    }
    double sending = 0.0;
    for (const Rank rank : fan.to) sending = std::max(sending, stalled(shape, outcome, fan.center, rank));
    result.add("senders", senders)
        .add("center", JsonObject()
                           .add("node", fan.center)
                           .add("stalled", sending)
                           .add("received", layer.bytes_received(fan.center))
                           .add("sent", fan.to.size() * fan.messages * fan.bytes)
                           .json());
  };
}

Programs make_fan(const WorkloadRequest& request, Fields& fields) {
  const Shape& shape = request.shape;
  Fan fan;
  fan.center = fields.whole<Node>("center", middle_of(shape), 0, shape.nodes() - 1);
  const std::vector<Rank> neighbours = neighbours_of(shape, fan.center);
  fan.from = read_side(fields, {fan.center, "from", "senders", 3}, neighbours, shape);
  fan.to = read_side(fields, {fan.center, "to", "receivers", 0}, neighbours, shape);
  fan.messages = fields.whole<std::uint64_t>("messages", 30, 1, 1'000'000);
  fan.bytes = fields.whole<std::uint64_t>("bytes", 1U << 20U, 0, std::uint64_t{1} << 40U);
  Programs programs{std::vector<Program>(shape.nodes()), report_of(fan, shape), 1};
  for (std::uint64_t i = 0; i < fan.messages; ++i) {
    for (const Rank rank : fan.from) {
      programs.of_ranks[rank].send(fan.center, fan.bytes, 0, Ties::kUp);
      programs.of_ranks[fan.center].receive(rank);
    }
    for (const Rank rank : fan.to) {
      programs.of_ranks[fan.center].send(rank, fan.bytes, 0, Ties::kUp);
      programs.of_ranks[rank].receive(fan.center);
    }
  }
  for (Program& program : programs.of_ranks) program.wait_all();
  return programs;
}

const Workloads::Registration kRegistered({"fan", [](const WorkloadRequest& request) {
                                             return make_message_workload(request, make_fan);
                                           }});

}  // namespace
}  // namespace groma::sim::torus
