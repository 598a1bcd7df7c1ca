#include "map/traffic.hpp"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

namespace groma::map {
namespace {

/// An entry as one of its two ranks sees it.
struct End {
  Rank rank;
  Arc arc;
};

std::vector<End> both_ways(const std::vector<Traffic>& traffic) {
  std::vector<End> all;
  all.reserve(2 * traffic.size());
  for (const Traffic& one : traffic) {
    if (one.source == one.target || !(one.bytes > 0.0)) continue;
    all.push_back({one.source, {one.target, one.bytes, one.bytes}});
    all.push_back({one.target, {one.source, one.bytes, 0.0}});
  }
  std::ranges::sort(all, {}, [](const End& one) { return std::tuple(one.rank, one.arc.to, one.arc.sent); });
  return all;
}

/// Bytes of the heaviest partner of each rank beyond its `most` heaviest ones; 0 where it has no more.
std::vector<double> heaviest_beyond(const TrafficGraph& graph, std::size_t most) {
  std::vector<double> beyond(graph.ranks(), 0.0);
  std::vector<double> bytes;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    const auto arcs = graph.arcs(rank);
    if (arcs.size() <= most) continue;
    bytes.clear();
    for (const Arc& arc : arcs) bytes.push_back(arc.bytes);
    const auto last = bytes.begin() + static_cast<std::ptrdiff_t>(most);
    std::ranges::nth_element(bytes, last, std::greater<>());
    beyond[rank] = *last;
  }
  return beyond;
}

/// Traffic of more bytes than `beyond` of either rank.
TrafficGraph heavier(const TrafficGraph& graph, const std::vector<double>& beyond) {
  std::vector<Traffic> kept;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const Arc& arc : graph.arcs(rank)) {
      if (arc.to < rank || arc.bytes <= std::max(beyond[rank], beyond[arc.to])) continue;
      kept.push_back({rank, arc.to, arc.bytes});
    }
  }
  return {graph.ranks(), kept};
}

double median_bytes(const TrafficGraph& graph) {
  std::vector<double> bytes;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const Arc& arc : graph.arcs(rank)) bytes.push_back(arc.bytes);
  }
  const auto middle = bytes.begin() + (std::ssize(bytes) - 1) / 2;
  std::ranges::nth_element(bytes, middle);
  return *middle;
}

}  // namespace

TrafficGraph::TrafficGraph(std::size_t ranks, const std::vector<Traffic>& traffic) : begin_(ranks + 1, 0) {
  Rank last = 0;
  for (const End& one : both_ways(traffic)) {
    const bool same = begin_[one.rank + 1] > 0 && last == one.rank && arcs_.back().to == one.arc.to;
    last = one.rank;
    if (same) {
      arcs_.back().bytes += one.arc.bytes;
      arcs_.back().sent += one.arc.sent;
    } else {
      arcs_.push_back(one.arc);
      ++begin_[one.rank + 1];
    }
  }
  for (std::size_t i = 0; i < ranks; ++i) begin_[i + 1] += begin_[i];
}

double TrafficGraph::bytes() const {
  double sum = 0.0;
  for (const Arc& arc : arcs_) sum += arc.bytes;
  return sum / 2.0;
}

std::vector<TrafficGraph> heaviest_parts(const TrafficGraph& graph, std::size_t most) {
  constexpr std::size_t kMaxParts = 5;
  std::vector<TrafficGraph> parts;
  // Each part is within the one before, so that as many arcs are the same arcs.
  auto add = [&, last = graph.arcs()](TrafficGraph part) mutable {
    if (std::exchange(last, part.arcs()) != part.arcs()) parts.push_back(std::move(part));
  };
  const std::vector<double> beyond = heaviest_beyond(graph, most);
  double least = *std::ranges::max_element(beyond);
  TrafficGraph part = heavier(graph, beyond);
  while (part.arcs() > 0 && parts.size() < kMaxParts) {
    add(std::move(part));
    part = heavier(graph, std::vector<double>(graph.ranks(), least));
    if (part.arcs() > 0) least = median_bytes(part);
  }
  return parts;
}

}  // namespace groma::map
