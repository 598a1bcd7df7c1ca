// Two parts of given sizes of some ranks, with little traffic between them.
#pragma once

#include <span>
#include <vector>

#include "base/random.hpp"
#include "map/traffic.hpp"

namespace groma::map {

/// Which ranks go to the first of two parts.
struct BisectionTask {
  std::span<const Rank> ranks;
  std::size_t first;  ///< number of ranks of the first part
  /// For each of the ranks: how much more it costs in the second part, for traffic with ranks in neither.
  std::span<const double> bias;
  double distance;  ///< between the parts: what a byte costs
};

class Bisector {
 public:
  Bisector(const TrafficGraph& graph, RandomStream& random)
      : graph_(graph), random_(random), local_(graph.ranks()) {}

  /// True for those of the first part. The best of several starts from grown parts, each refined by passes of
  /// Fiduccia and Mattheyses (1982) that begin and end with the exact sizes.
  std::vector<bool> split(const BisectionTask& task);

 private:
  struct Link {
    std::uint32_t to;
    double cost;
  };
  /// The traffic among the ranks of a task, by their number in it.
  struct Graph {
    std::vector<std::size_t> begin;
    std::vector<Link> links;
    [[nodiscard]] std::span<const Link> of(std::uint32_t vertex) const {
      return {links.data() + begin[vertex], links.data() + begin[vertex + 1]};
    }
  };
  using Side = std::vector<bool>;  ///< true: first part
  class Pass;

  Graph inside(const BisectionTask& task);
  Side grown(const Graph& graph, const BisectionTask& task);
  static double refine(const Graph& graph, const BisectionTask& task, Side& side);
  static double cut(const Graph& graph, const BisectionTask& task, const Side& side);

  const TrafficGraph& graph_;
  RandomStream& random_;
  std::vector<std::uint32_t> local_;  ///< number of a rank in the task; of others it is not used
};

}  // namespace groma::map
