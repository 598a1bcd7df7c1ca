#include "randomaccess/routed/route.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

namespace groma::randomaccess {
namespace {

constexpr int kFewLinks = 16;

/// The ranks among which a rank is after some halvings, cut at `middle`; the lower half is not the smaller
/// one.
struct Halves {
  int first;
  int middle;
  int end;
  [[nodiscard]] bool is_lower(int rank) const { return rank < middle; }
  [[nodiscard]] int lower() const { return middle - first; }
  [[nodiscard]] int upper() const { return end - middle; }
};

Halves halves_of(int ranks, int rank, int stage) {
  Halves at{0, (ranks + 1) / 2, ranks};
  for (; stage > 0; --stage) {
    (at.is_lower(rank) ? at.end : at.first) = at.middle;
    at.middle = at.first + (at.end - at.first + 1) / 2;
  }
  return at;
}

/// Whether the last rank of the lower half has no rank of its own opposite: the first of the upper half is
/// then opposite to two. A rank is the first of an upper half once at most, so none has two more than once.
bool has_two_opposites(const Halves& at, int rank) {
  return rank == at.middle && at.lower() > at.upper();
}

std::vector<int> opposites(const Halves& at, int rank) {
  if (at.upper() == 0) return {};
  if (at.is_lower(rank)) return {at.middle + (rank - at.first) % at.upper()};
  if (has_two_opposites(at, rank)) return {at.first, at.middle - 1};
  return {at.first + rank - at.middle};
}

/// The rank of the other half that takes updates for `owner`. Of two, the one in whose half of the half the
/// owner is, so that both links are used, and the update does not cross between those later.
int opposite(const Halves& at, int rank, int owner) {
  const int middle_of_lower = at.first + (at.lower() + 1) / 2;
  return has_two_opposites(at, rank) && owner >= middle_of_lower ? at.middle - 1
                                                                 : opposites(at, rank).front();
}

std::vector<int> prime_factors(int number) {
  std::vector<int> factors;
  for (int factor = 2; number > 1; ++factor) {
    for (; number % factor == 0; number /= factor) factors.push_back(factor);
  }
  std::ranges::sort(factors, std::greater<>());
  return factors;
}

/// Factors multiplied into so many lengths, each into the shortest one.
std::vector<int> balanced(const std::vector<int>& factors, std::size_t dimensions) {
  std::vector<int> shape(dimensions, 1);
  for (const int factor : factors) *std::ranges::min_element(shape) *= factor;
  return shape;
}

int links_of(const std::vector<int>& shape) {
  return std::accumulate(shape.begin(), shape.end(), -static_cast<int>(shape.size()));
}

/// The fewest dimensions whose lines have at most `few` other ranks together, if any have.
std::vector<int> balanced_shape(int ranks, int few) {
  const std::vector<int> factors = prime_factors(ranks);
  std::vector<int> shape = {ranks};
  for (std::size_t dimensions = 2; dimensions <= factors.size() && links_of(shape) > few; ++dimensions) {
    shape = balanced(factors, dimensions);
  }
  return shape;
}

using Shape = std::vector<int>;

/// Hands every way to write `rest` as a product of lengths, none longer than the one before, to `take`.
void for_each_shape(int rest, Shape& shape, const std::function<void(const Shape&)>& take) {
  if (rest == 1) take(shape);
  const int longest = shape.empty() ? rest : std::min(rest, shape.back());
  for (int length = longest; length > 1; --length) {
    if (rest % length != 0) continue;
    shape.push_back(length);
    for_each_shape(rest / length, shape, take);
    shape.pop_back();
  }
}

Shape cheapest_shape(int ranks) {
  Shape best = {ranks};
  Shape shape;
  for_each_shape(ranks, shape, [&best](const Shape& one) {
    if (message_cost(one) < message_cost(best)) best = one;
  });
  return best;
}

int halvings(int ranks) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1)));
}

/// A link for each halving; two for the first rank of an upper half where the lower one is larger, which then
/// is the first of a lower half in all later stages. Groups of a stage differ by one at most.
int halving_links(int ranks) {
  int links = halvings(ranks);
  for (int stage = 0; ranks >> stage != 0; ++stage) {
    const int smaller = ranks >> stage;
    const int larger = smaller + static_cast<int>(smaller << stage != ranks);
    const int odd = larger % 2 == 1 ? larger : smaller;
    if (odd % 2 == 1 && odd > 1) links = std::max(links, stage + 2 + halvings(odd / 2));
  }
  return links;
}

std::vector<int> peers_along(std::vector<int> shape) {
  for (int& length : shape) --length;
  return shape;
}

/// A link of every stage for each peer.
std::vector<Link> links_of(const Topology& topology, int rank) {
  std::vector<Link> links;
  for (int stage = 0; stage < topology.stages; ++stage) {
    for (const int peer : topology.peers(rank, stage)) links.push_back({peer, stage});
  }
  return links;
}

std::uint32_t link_to(const std::vector<Link>& links, int peer, int stage) {
  const auto found =
      std::ranges::find_if(links, [&](const Link& link) { return link.peer == peer && link.stage == stage; });
  return static_cast<std::uint32_t>(found - links.begin());
}

}  // namespace

Topology direct_topology(int ranks) {
  return grid_topology({ranks});
}

Topology hypercube_topology(int ranks) {
  return {
      .ranks = ranks,
      .stages = halvings(ranks),
      .most_links = halving_links(ranks),
      .most_peers = std::vector<int>(static_cast<std::size_t>(halvings(ranks)), 2),
      .peers = [ranks](int rank, int stage) { return opposites(halves_of(ranks, rank, stage), rank); },
      .next =
          [ranks](int rank, int stage, int owner) {
            const Halves at = halves_of(ranks, rank, stage);
            const bool stays = owner < at.first || owner >= at.end || at.is_lower(owner) == at.is_lower(rank);
            return stays ? rank : opposite(at, rank, owner);
          },
  };
}

Topology grid_topology(const std::vector<int>& shape) {
  std::vector<int> strides(shape.size());
  std::exclusive_scan(shape.begin(), shape.end(), strides.begin(), 1, std::multiplies<>());
  const auto along = [shape, strides](int rank, int stage) {
    const auto at = static_cast<std::size_t>(stage);
    return rank / strides[at] % shape[at];
  };
  const auto moved = [strides, along](int rank, int stage, int to) {
    return rank + (to - along(rank, stage)) * strides[static_cast<std::size_t>(stage)];
  };
  return {
      .ranks = std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<>()),
      .stages = static_cast<int>(shape.size()),
      .most_links = links_of(shape),
      .most_peers = peers_along(shape),
      .peers =
          [shape, moved](int rank, int stage) {
            std::vector<int> peers;
            for (int to = 0; to < shape[static_cast<std::size_t>(stage)]; ++to) {
              if (const int peer = moved(rank, stage, to); peer != rank) peers.push_back(peer);
            }
            return peers;
          },
      .next = [along, moved](int rank, int stage,
                             int owner) { return moved(rank, stage, along(owner, stage)); },
  };
}

double message_cost(const std::vector<int>& shape) {
  double moves = 0.0;
  for (const int length : shape) moves += 1.0 - 1.0 / length;
  return moves * links_of(shape);
}

std::vector<int> grid_shape(int ranks, int per_node) {
  if (per_node == 1) return cheapest_shape(ranks);
  const bool is_flat = links_of({ranks}) <= kFewLinks;
  if (is_flat || per_node <= 1 || per_node >= ranks) return balanced_shape(ranks, kFewLinks);
  const std::vector<int> within = {per_node};
  std::vector<int> shape =
      balanced_shape(ranks / per_node, kFewLinks - std::min(kFewLinks, links_of(within)));
  shape.insert(shape.begin(), within.begin(), within.end());
  return shape;
}

Route route_of(const Topology& topology, int rank) {
  Route route{links_of(topology, rank), {}};
  const auto here = static_cast<std::uint32_t>(route.links.size());
  const auto ranks = static_cast<std::size_t>(topology.ranks);
  route.link_for.assign(static_cast<std::size_t>(topology.stages) + 1,
                        std::vector<std::uint32_t>(ranks, here));
  // From the last stage back: what stays in a stage goes where it would go from the stage after.
  for (int stage = topology.stages - 1; stage >= 0; --stage) {
    for (int owner = 0; owner < topology.ranks; ++owner) {
      const int peer = topology.next(rank, stage, owner);
      const auto at = static_cast<std::size_t>(stage);
      const auto to = static_cast<std::size_t>(owner);
      route.link_for[at][to] = peer == rank ? route.link_for[at + 1][to] : link_to(route.links, peer, stage);
    }
  }
  return route;
}

Route with_strays(Route route, int rank) {
  const auto here = static_cast<std::uint32_t>(route.links.size());
  for (auto& link_for : route.link_for) {
    for (std::size_t owner = 0; owner < link_for.size(); ++owner) {
      const bool ends_here = link_for[owner] == here;
      if (ends_here && owner != static_cast<std::size_t>(rank)) link_for[owner] = here + 1;
    }
  }
  return route;
}

}  // namespace groma::randomaccess
