#include "randomaccess/routed/grid_shape.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "randomaccess/routed/shares.hpp"

namespace groma::randomaccess {
namespace {

using Shape = std::vector<int>;

constexpr int kFewLinks = 16;

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

/// The fewest dimensions whose lines have at most kFewLinks other ranks together, if any have.
std::vector<int> balanced_shape(int ranks) {
  const std::vector<int> factors = prime_factors(ranks);
  std::vector<int> shape = {ranks};
  for (std::size_t dimensions = 2;
       dimensions <= factors.size() && grid_topology(shape).most_links > kFewLinks; ++dimensions) {
    shape = balanced(factors, dimensions);
  }
  return shape;
}

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

/// Lines that an update moves along from node to node. The first one lies within a node where there are more.
double moves_between_nodes(const Shape& shape, int per_node) {
  const bool is_flat = per_node == 1 || shape.size() == 1;
  double moves = is_flat ? 1.0 - static_cast<double>(per_node) / shape.front() : 0.0;
  for (std::size_t at = 1; at < shape.size(); ++at) moves += 1.0 - 1.0 / shape[at];
  return moves;
}

std::uint64_t bucket_of(const Shape& shape, std::uint64_t look_ahead) {
  return shares_of(grid_topology(shape), 0, {look_ahead, false}, {}).bucket;
}

/// Full messages that so many moves of an update take; infinite where a message has no room.
double messages_of(double moves, std::uint64_t bucket) {
  return bucket == 0 ? std::numeric_limits<double>::infinity() : moves / static_cast<double>(bucket);
}

Shape cheapest_shape(int ranks, int per_node, std::uint64_t look_ahead) {
  const auto cost = [&](const Shape& shape) {
    return messages_of(moves_between_nodes(shape, per_node), bucket_of(shape, look_ahead));
  };
  Shape best = {ranks};
  Shape nodes;
  for_each_shape(ranks / per_node, nodes, [&, least = cost(best)](const Shape& between) mutable {
    Shape shape = between;
    if (per_node > 1) shape.insert(shape.begin(), per_node);
    if (cost(shape) >= least) return;
    least = cost(shape);
    best = std::move(shape);
  });
  return best;
}

}  // namespace

double message_cost(const std::vector<int>& shape, std::uint64_t look_ahead) {
  double moves = 0.0;
  for (const int length : shape) moves += 1.0 - 1.0 / length;
  return messages_of(moves, bucket_of(shape, look_ahead));
}

std::vector<int> grid_shape(int ranks, int per_node, std::uint64_t look_ahead) {
  if (per_node == 0 || per_node >= ranks) return balanced_shape(ranks);
  return cheapest_shape(ranks, per_node, look_ahead);
}

}  // namespace groma::randomaccess
