// Broadcasts, in all groups of nodes at once that lie along some dimensions.
//   workload.name        broadcast
//   workload.algorithm   subtrees (default): the root sends the message in pieces to its neighbour in each
//                        direction, and each passes the pieces on through its part of the group, as
//                        Linpack's broadcast in Martorell et al. 2005 ("Analysis of the behavior of the
//                        message layer");
//                        binomial: the whole message down a binomial tree over the ranks of the group;
//                        scatter-allgather: parts down the tree, then around a ring (MPICH's for long
//                        messages)
//   workload.dimensions  along which a group lies, a list; the last two by default
//   workload.root        the node whose coordinates the root of each group has, 0 by default
//   workload.bytes       of the message, 4194304 by default
//   workload.pieces      of the message with subtrees, 8 by default
//   workload.ahead       pieces that the root has on their way to each neighbour; 0, the default, for all
// and the fields of messages/layer_request.hpp. Where a dimension has two nodes, its directions up and down
// lead to the same node, which then is the root of two subtrees.
#include <algorithm>
#include <bit>
#include <string>
#include <unordered_map>
#include <utility>

#include "sim/torus/messages/layer_request.hpp"

namespace groma::sim::torus {
namespace {

/// The nodes that a node may reach along some dimensions, as seen from the root.
struct Subtorus {
  const Shape& shape;
  std::vector<std::size_t> dimensions;
  Node root_place;

  [[nodiscard]] bool lies_along(std::size_t d) const {
    return std::ranges::find(dimensions, d) != dimensions.end();
  }
  /// The member of the group of `node` that has the root's coordinates.
  [[nodiscard]] Node root_of(Node node) const {
    std::vector<std::uint32_t> place;
    for (std::size_t d = 0; d < shape.dimensions(); ++d) {
      place.push_back(shape.coordinate(lies_along(d) ? root_place : node, d));
    }
    return shape.node_at(place);
  }
  /// In the order of their numbers from the root on, around.
  [[nodiscard]] std::vector<Node> members_of(Node root) const {
    std::vector<Node> members{root};
    Node stride = 1;
    for (std::size_t d = 0; d < shape.dimensions(); stride *= shape.extent(d), ++d) {
      if (!lies_along(d)) continue;
      const std::size_t count = members.size();
      const std::uint32_t own = shape.coordinate(root, d);
      for (std::uint32_t there = 0; there < shape.extent(d); ++there) {
        if (there == own) continue;
        for (std::size_t i = 0; i < count; ++i) members.push_back(members[i] + (there - own) * stride);
      }
    }
    std::ranges::sort(members, {}, [&](Node node) { return node < root ? node + shape.nodes() : node; });
    return members;
  }
};

struct Edge {
  Node parent;
  Node child;
  Port tree;  ///< the direction in which the root sends it
  Ties ties;
};

/// The way from the root: through the last dimension first. Half way around goes up.
Hops way_to(const Subtorus& group, Node root, Node node) {
  return group.shape.hops(root, node, 0);
}

/// The direction of the root's subtree that a node belongs to. With two nodes in the dimension both
/// directions lead to the same neighbour; nodes behind it are shared out by their way from there, down or up.
Port tree_of(const Subtorus& group, const Hops& way) {
  for (std::size_t d = group.shape.dimensions(); d-- > 0;) {
    if (way[d] == 0) continue;
    bool down = way[d] < 0;
    if (group.shape.extent(d) == 2 && group.shape.is_closed(d)) {
      for (std::size_t e = 0; e < d; ++e) {
        if (way[e] != 0) down = way[e] < 0;
      }
    }
    return static_cast<Port>((2 * d) + (down ? 1 : 0));
  }
  return 0;
}

/// The node before it on the way from the root: the way's last step is in its first dimension.
Node parent_of(const Subtorus& group, Node node, const Hops& way) {
  for (std::size_t d = 0; d < group.shape.dimensions(); ++d) {
    if (way[d] != 0) return group.shape.neighbour(node, static_cast<Port>((2 * d) + (way[d] > 0 ? 1 : 0)));
  }
  return kNoNode;
}

/// Edges that a node finds without a look at those of others; the order of its own stays.
class Edges {
 public:
  explicit Edges(const std::vector<Edge>& edges) {
    for (const Edge& edge : edges) {
      by_parent_[edge.parent].push_back(edge);
      by_child_[edge.child].push_back(edge);
    }
  }
  [[nodiscard]] const std::vector<Edge>& from(Node parent) const { return of(by_parent_, parent); }
  [[nodiscard]] const std::vector<Edge>& to(Node child) const { return of(by_child_, child); }

 private:
  using EdgesOfNodes = std::unordered_map<Node, std::vector<Edge>>;

  [[nodiscard]] const std::vector<Edge>& of(const EdgesOfNodes& edges, Node node) const {
    const auto found = edges.find(node);
    return found == edges.end() ? none_ : found->second;
  }

  EdgesOfNodes by_parent_;
  EdgesOfNodes by_child_;
  std::vector<Edge> none_;
};

Edges subtrees(const Subtorus& group, Node root, const std::vector<Node>& members) {
  std::vector<Edge> edges;
  for (const Node node : members) {
    if (node == root) continue;
    const Hops way = way_to(group, root, node);
    const Port tree = tree_of(group, way);
    const Node parent = parent_of(group, node, way);
    edges.push_back({parent, node, tree, Ties::kUp});
    const std::size_t d = tree / 2;
    if (parent == root && group.shape.extent(d) == 2 && group.shape.is_closed(d)) {
      edges.back().tree = static_cast<Port>(2 * d);
      edges.push_back({parent, node, static_cast<Port>((2 * d) + 1), Ties::kDown});
    }
  }
  return Edges(edges);
}

/// Parts of `total` that differ by a byte at most.
std::uint64_t part(std::uint64_t total, std::uint64_t parts, std::uint64_t index) {
  return (total / parts) + (index < total % parts ? 1 : 0);
}

struct Message {
  std::uint64_t bytes;
  std::uint32_t pieces;
  std::uint32_t ahead;
};

std::int32_t tag_of(Port tree, std::uint32_t piece) {
  constexpr std::uint32_t kTrees = 2 * kMaxDimensions;
  return static_cast<std::int32_t>((piece * kTrees) + tree);
}

/// Sends each piece to all children as soon as it has come from the parent.
void pass_on(Program& program, Node node, const Edges& edges, const Message& message) {
  struct Arrival {
    RequestId request;
    Port tree;
    std::uint32_t piece;
  };
  std::vector<Arrival> arrivals;
  for (std::uint32_t piece = 0; piece < message.pieces; ++piece) {
    for (const Edge& edge : edges.to(node)) {
      arrivals.push_back({program.receive(edge.parent, tag_of(edge.tree, piece)), edge.tree, piece});
    }
  }
  for (const Arrival& arrival : arrivals) {
    program.wait(arrival.request);
    for (const Edge& edge : edges.from(node)) {
      if (edge.tree != arrival.tree) continue;
      program.send(edge.child, part(message.bytes, message.pieces, arrival.piece),
                   tag_of(edge.tree, arrival.piece), edge.ties);
    }
  }
  program.wait_all();
}

void send_pieces(Program& program, Node root, const Edges& edges, const Message& message) {
  std::vector<std::vector<RequestId>> requests(message.pieces);
  for (std::uint32_t piece = 0; piece < message.pieces; ++piece) {
    if (message.ahead != 0 && piece >= message.ahead) {
      for (const RequestId request : requests[piece - message.ahead]) program.wait(request);
    }
    for (const Edge& edge : edges.from(root)) {
      requests[piece].push_back(program.send(edge.child, part(message.bytes, message.pieces, piece),
                                             tag_of(edge.tree, piece), edge.ties));
    }
  }
  program.wait_all();
}

void broadcast_subtrees(std::vector<Program>& programs, const Subtorus& group, Node root,
                        const Message& message) {
  const std::vector<Node> members = group.members_of(root);
  const Edges edges = subtrees(group, root, members);
  for (const Node node : members) {
    if (node == root) {
      send_pieces(programs[node], root, edges, message);
    } else {
      pass_on(programs[node], node, edges, message);
    }
  }
}

/// What member i of a binomial tree receives and passes on. It receives from i without its lowest bit; then
/// it serves the farthest first, which have most below them. `bytes_of(first, end)`: what a message to member
/// `first` has, with members up to `end`, exclusive, below it.
template <class BytesOf>
void pass_down(Program& program, const std::vector<Node>& members, std::uint32_t i, const BytesOf& bytes_of) {
  const auto count = static_cast<std::uint32_t>(members.size());
  if (i != 0) program.wait(program.receive(members[i & (i - 1)]));
  const std::uint32_t lowest = i == 0 ? std::bit_ceil(count) : i & (~i + 1);
  for (std::uint32_t bit = lowest / 2; bit != 0; bit /= 2) {
    if (i + bit < count) program.send(members[i + bit], bytes_of(i + bit, std::min(i + (2 * bit), count)));
  }
  program.wait_all();
}

void broadcast_binomial(std::vector<Program>& programs, const std::vector<Node>& members,
                        std::uint64_t bytes) {
  const auto all = [&](std::uint32_t, std::uint32_t) { return bytes; };
  for (std::uint32_t i = 0; i < members.size(); ++i) pass_down(programs[members[i]], members, i, all);
}

/// Each member gets its part through a binomial tree, then those of the others around a ring.
void broadcast_scattered(std::vector<Program>& programs, const std::vector<Node>& members,
                         std::uint64_t bytes) {
  const auto count = static_cast<std::uint32_t>(members.size());
  const auto parts = [&](std::uint32_t first, std::uint32_t end) {
    std::uint64_t sum = 0;
    for (std::uint32_t i = first; i < end; ++i) sum += part(bytes, count, i);
    return sum;
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    Program& program = programs[members[i]];
    pass_down(program, members, i, parts);
    for (std::uint32_t step = 0; step + 1 < count; ++step) {
      program.receive(members[(i + count - 1) % count], 1);
      program.send(members[(i + 1) % count], part(bytes, count, (i + count - step) % count), 1);
      program.wait_all();
    }
  }
}

std::vector<std::size_t> read_dimensions(Fields& fields, const Shape& shape) {
  std::vector<std::size_t> dimensions;
  for (const Rank d : read_ranks(fields, "dimensions", static_cast<Rank>(shape.dimensions())))
    dimensions.push_back(d);
  if (!dimensions.empty()) return dimensions;
  const std::size_t all = shape.dimensions();
  for (std::size_t d = all - std::min<std::size_t>(all, 2); d < all; ++d) dimensions.push_back(d);
  return dimensions;
}

Programs make_broadcast(const WorkloadRequest& request, Fields& fields) {
  const Shape& shape = request.shape;
  const std::string algorithm = fields.choice("algorithm", {"subtrees", "binomial", "scatter-allgather"});
  const Subtorus group{shape, read_dimensions(fields, shape),
                       fields.whole<Node>("root", 0, 0, shape.nodes() - 1)};
  Message message{};
  message.bytes = fields.whole<std::uint64_t>("bytes", 4U << 20U, 1, std::uint64_t{1} << 40U);
  message.pieces = fields.whole<std::uint32_t>("pieces", 8, 1, 100'000);
  message.ahead = fields.whole<std::uint32_t>("ahead", 0, 0, 100'000);
  Programs programs{std::vector<Program>(shape.nodes()), {}, 1};
  for (Node node = 0; node < shape.nodes(); ++node) {
    if (group.root_of(node) != node) continue;
    if (algorithm == "subtrees") broadcast_subtrees(programs.of_ranks, group, node, message);
    if (algorithm == "binomial") broadcast_binomial(programs.of_ranks, group.members_of(node), message.bytes);
    if (algorithm == "scatter-allgather") {
      broadcast_scattered(programs.of_ranks, group.members_of(node), message.bytes);
    }
  }
  return programs;
}

const Workloads::Registration kRegistered({"broadcast", [](const WorkloadRequest& request) {
                                             return make_message_workload(request, make_broadcast);
                                           }});

}  // namespace
}  // namespace groma::sim::torus
