#include "map/bisection.hpp"

#include <algorithm>
#include <array>
#include <queue>

namespace groma::map {
namespace {

constexpr std::uint32_t kOutside = ~std::uint32_t{0};
constexpr int kMaxPasses = 8;

}  // namespace

/// Vertices by gain; an entry whose gain has changed since is passed over.
class GainQueue {
 public:
  void push(std::uint32_t vertex, double gain) { heap_.push({gain, vertex}); }

  /// The best vertex that `valid` takes for its gain; kOutside where there is none.
  template <class Valid>
  std::uint32_t top(const Valid& valid) {
    while (!heap_.empty() && !valid(heap_.top().vertex, heap_.top().gain)) heap_.pop();
    return heap_.empty() ? kOutside : heap_.top().vertex;
  }

 private:
  struct Entry {
    double gain;
    std::uint32_t vertex;
    bool operator<(const Entry& other) const {
      return gain < other.gain || (gain == other.gain && vertex > other.vertex);
    }
  };
  std::priority_queue<Entry> heap_;
};

Bisector::Graph Bisector::inside(const BisectionTask& task) {
  for (std::uint32_t i = 0; i < task.ranks.size(); ++i) local_[task.ranks[i]] = i;
  const auto is_inside = [&](Rank rank) {
    const std::uint32_t number = local_[rank];
    return number < task.ranks.size() && task.ranks[number] == rank;
  };
  Graph graph;
  graph.begin.push_back(0);
  for (const Rank rank : task.ranks) {
    for (const Arc& arc : graph_.arcs(rank)) {
      if (is_inside(arc.to)) graph.links.push_back({local_[arc.to], arc.bytes * task.distance});
    }
    graph.begin.push_back(graph.links.size());
  }
  return graph;
}

Bisector::Side Bisector::grown(const Graph& graph, const BisectionTask& task) {
  const std::size_t size = task.ranks.size();
  Side side(size, false);
  std::vector<double> gain(task.bias.begin(), task.bias.end());
  GainQueue queue;
  const auto open = [&](std::uint32_t vertex, double value) {
    return !side[vertex] && gain[vertex] == value;
  };
  for (std::size_t count = 0; count < task.first; ++count) {
    std::uint32_t vertex = queue.top(open);
    while (vertex == kOutside || side[vertex]) vertex = static_cast<std::uint32_t>(random_.below(size));
    side[vertex] = true;
    for (const Link& link : graph.of(vertex)) {
      gain[link.to] += link.cost;
      queue.push(link.to, gain[link.to]);
    }
  }
  return side;
}

double Bisector::cut(const Graph& graph, const BisectionTask& task, const Side& side) {
  double cost = 0.0;
  for (std::uint32_t vertex = 0; vertex < side.size(); ++vertex) {
    if (!side[vertex]) cost += task.bias[vertex];
    for (const Link& link : graph.of(vertex)) {
      if (side[vertex] && !side[link.to]) cost += link.cost;
    }
  }
  return cost;
}

/// Every vertex moves at most once, best first; what comes after the best exact state is undone.
class Bisector::Pass {
 public:
  Pass(const Graph& graph, const BisectionTask& task, Side& side)
      : graph_(graph), side_(side), gain_(side.size()), moved_(side.size(), false) {
    for (std::uint32_t vertex = 0; vertex < side.size(); ++vertex) {
      gain_[vertex] = side[vertex] ? -task.bias[vertex] : task.bias[vertex];
      for (const Link& link : graph.of(vertex)) {
        gain_[vertex] += side[vertex] != side[link.to] ? link.cost : -link.cost;
      }
      queue_of(vertex).push(vertex, gain_[vertex]);
    }
  }

  /// What the cut loses.
  double run() {
    const std::size_t most_without_gain = std::max<std::size_t>(64, side_.size() / 16);
    while (order_.size() < kept_ + most_without_gain) {
      const std::uint32_t vertex = next();
      if (vertex == kOutside) break;
      move(vertex);
      if (excess_ == 0 && total_ > best_) {
        best_ = total_;
        kept_ = order_.size();
      }
    }
    while (order_.size() > kept_) {
      side_[order_.back()] = !side_[order_.back()];
      order_.pop_back();
    }
    return best_;
  }

 private:
  GainQueue& queue_of(std::uint32_t vertex) { return leaving_[side_[vertex] ? 1 : 0]; }

  std::uint32_t best_of(bool first) {
    return leaving_[first ? 1 : 0].top([&](std::uint32_t vertex, double value) {
      return !moved_[vertex] && side_[vertex] == first && gain_[vertex] == value;
    });
  }

  /// From the part that has too many, or the better of both.
  std::uint32_t next() {
    const std::uint32_t out = excess_ >= 0 ? best_of(true) : kOutside;
    const std::uint32_t in = excess_ <= 0 ? best_of(false) : kOutside;
    if (out == kOutside || in == kOutside) return std::min(out, in);
    return gain_[out] >= gain_[in] ? out : in;
  }

  void move(std::uint32_t vertex) {
    total_ += gain_[vertex];
    moved_[vertex] = true;
    excess_ += side_[vertex] ? -1 : 1;
    side_[vertex] = !side_[vertex];
    order_.push_back(vertex);
    for (const Link& link : graph_.of(vertex)) {
      if (moved_[link.to]) continue;
      gain_[link.to] += side_[vertex] != side_[link.to] ? 2.0 * link.cost : -2.0 * link.cost;
      queue_of(link.to).push(link.to, gain_[link.to]);
    }
  }

  const Graph& graph_;
  Side& side_;
  std::vector<double> gain_;
  std::vector<bool> moved_;
  std::array<GainQueue, 2> leaving_;  ///< by side
  std::vector<std::uint32_t> order_;
  double total_ = 0.0;
  double best_ = 0.0;
  std::size_t kept_ = 0;
  int excess_ = 0;  ///< of the first part
};

double Bisector::refine(const Graph& graph, const BisectionTask& task, Side& side) {
  return Pass(graph, task, side).run();
}

std::vector<bool> Bisector::split(const BisectionTask& task) {
  const Graph graph = inside(task);
  const int starts = task.ranks.size() <= 1024 ? 6 : 3;
  Side best;
  double least = 0.0;
  for (int start = 0; start < starts; ++start) {
    Side side = grown(graph, task);
    for (int pass = 0; pass < kMaxPasses && refine(graph, task, side) > 0.0; ++pass) {
    }
    const double cost = cut(graph, task, side);
    if (best.empty() || cost < least) {
      best = std::move(side);
      least = cost;
    }
  }
  return best;
}

}  // namespace groma::map
