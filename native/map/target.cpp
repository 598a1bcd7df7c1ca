#include "map/target.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace groma::map {
namespace {

std::size_t product(const std::vector<std::uint32_t>& factors) {
  return std::accumulate(factors.begin(), factors.end(), std::size_t{1}, std::multiplies<>());
}

Halves cut_at(std::vector<Place> places, std::size_t at) {
  const auto middle = places.begin() + static_cast<std::ptrdiff_t>(at);
  return {{places.begin(), middle}, {middle, places.end()}};
}

/// Where the value of sorted places changes nearest to the middle.
template <class Value>
std::size_t border_near_middle(const std::vector<Place>& places, const Value& value) {
  const std::size_t middle = places.size() / 2;
  const auto changes = [&](std::size_t at) { return value(places[at - 1]) != value(places[at]); };
  for (std::size_t off = 0; off < places.size(); ++off) {
    if (middle + off < places.size() && middle + off > 0 && changes(middle + off)) return middle + off;
    if (off < middle && changes(middle - off)) return middle - off;
  }
  return std::max<std::size_t>(middle, 1);
}

}  // namespace

Lattice::Lattice(std::vector<std::uint32_t> extents, bool closed)
    : extents_(std::move(extents)), closed_(closed), places_(product(extents_)) {
  where_.reserve(places_ * extents_.size());
  for (std::size_t place = 0; place < places_; ++place) {
    std::size_t rest = place;
    for (const std::uint32_t extent : extents_) {
      where_.push_back(static_cast<std::uint32_t>(rest % extent));
      rest /= extent;
    }
  }
}

double Lattice::diameter() const {
  double hops = 0.0;
  for (const std::uint32_t extent : extents_) hops += closed_ ? extent / 2 : extent - 1;
  return hops;
}

std::vector<Place> Lattice::neighbours(Place place) const {
  std::vector<Place> found;
  std::uint32_t stride = 1;
  for (std::size_t axis = 0; axis < extents_.size(); ++axis) {
    const std::uint32_t extent = extents_[axis];
    const std::uint32_t here = coordinate(place, axis);
    const std::uint32_t base = place - here * stride;
    if (extent > 1 && (closed_ || here + 1 < extent)) found.push_back(base + (here + 1) % extent * stride);
    if (extent > 2 && (closed_ || here > 0)) found.push_back(base + (here + extent - 1) % extent * stride);
    if (extent == 2 && !closed_ && here == 1) found.push_back(base);
    stride *= extent;
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

Tree::Tree(std::vector<std::uint32_t> arities, std::vector<double> costs)
    : arities_(std::move(arities)), costs_(std::move(costs)), below_(arities_.size()) {
  std::uint32_t places = 1;
  for (std::size_t level = arities_.size(); level-- > 0;) below_[level] = places *= arities_[level];
}

double Tree::diameter() const {
  return *std::ranges::max_element(costs_);
}

Distances::Distances(std::size_t places, const std::vector<double>& rows)
    : places_(places), rows_(places * places) {
  for (std::size_t i = 0; i < places; ++i) {
    for (std::size_t j = 0; j < places; ++j) {
      rows_[i * places + j] = static_cast<float>((rows[i * places + j] + rows[j * places + i]) / 2.0);
    }
  }
}

double Distances::diameter() const {
  return *std::ranges::max_element(rows_);
}

std::size_t places_of(const Target& target) {
  return std::visit([](const auto& one) { return one.places(); }, target);
}

double diameter_of(const Target& target) {
  return std::visit([](const auto& one) { return one.diameter(); }, target);
}

Halves split(const Lattice& lattice, std::vector<Place> places) {
  std::size_t widest = 0;
  std::uint32_t width = 0;
  for (std::size_t axis = 0; axis < lattice.extents().size(); ++axis) {
    const auto [low, high] =
        std::ranges::minmax(places, {}, [&](Place place) { return lattice.coordinate(place, axis); });
    const std::uint32_t spread = lattice.coordinate(high, axis) - lattice.coordinate(low, axis);
    if (spread <= width) continue;
    widest = axis;
    width = spread;
  }
  const auto along = [&](Place place) { return lattice.coordinate(place, widest); };
  std::ranges::sort(places, {}, [&](Place place) { return std::pair(along(place), place); });
  const std::size_t at = border_near_middle(places, along);
  return cut_at(std::move(places), at);
}

Halves split(const Tree& tree, std::vector<Place> places) {
  std::ranges::sort(places);
  std::size_t level = 0;
  while (level + 1 < tree.arities().size() &&
         places.front() / tree.below(level + 1) == places.back() / tree.below(level + 1)) {
    ++level;
  }
  const std::uint32_t child = level + 1 < tree.arities().size() ? tree.below(level + 1) : 1;
  const std::size_t at = border_near_middle(places, [&](Place place) { return place / child; });
  return cut_at(std::move(places), at);
}

Halves split(const Distances& distances, std::vector<Place> places) {
  const auto farthest = [&](Place from) {
    return *std::ranges::max_element(places, {}, [&](Place to) { return distances.distance(from, to); });
  };
  const Place one = farthest(places.front());
  const Place other = farthest(one);
  std::ranges::sort(places, {}, [&](Place place) {
    return std::pair(distances.distance(one, place) - distances.distance(other, place), place);
  });
  const std::size_t at = places.size() - places.size() / 2;
  return cut_at(std::move(places), at);
}

}  // namespace groma::map
