#include "map/traffic.hpp"

#include <algorithm>
#include <tuple>

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

}  // namespace groma::map
