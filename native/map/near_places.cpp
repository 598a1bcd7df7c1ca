#include "map/near_places.hpp"

#include <algorithm>
#include <utility>

namespace groma::map {

template <class Of>
void NearPlaces::fill(std::size_t places, const Of& of) {
  begin_.push_back(0);
  for (std::size_t place = 0; place < places; ++place) {
    of(static_cast<Place>(place));
    begin_.push_back(near_.size());
  }
}

NearPlaces::NearPlaces(const Lattice& lattice, const std::vector<Place>& allowed) {
  std::vector<bool> usable(lattice.places(), false);
  for (const Place place : allowed) usable[place] = true;
  fill(lattice.places(), [&](Place place) {
    for (const Place next : lattice.neighbours(place)) {
      if (usable[next]) near_.push_back(next);
    }
  });
}

NearPlaces::NearPlaces(const Tree& tree, const std::vector<Place>& allowed) {
  std::vector<Place> sorted = allowed;
  std::ranges::sort(sorted);
  fill(tree.places(), [&](Place place) {
    const auto at = std::ranges::lower_bound(sorted, place) - sorted.begin();
    const auto first = std::max<std::ptrdiff_t>(0, at - static_cast<std::ptrdiff_t>(kMost));
    const auto last =
        std::min<std::ptrdiff_t>(std::ssize(sorted), at + static_cast<std::ptrdiff_t>(kMost) + 1);
    std::vector<Place> around(sorted.begin() + first, sorted.begin() + last);
    std::erase(around, place);
    std::ranges::sort(around, {}, [&](Place other) { return std::pair(tree.distance(place, other), other); });
    const auto count = static_cast<std::ptrdiff_t>(std::min(around.size(), kMost));
    near_.insert(near_.end(), around.begin(), around.begin() + count);
  });
}

NearPlaces::NearPlaces(const Distances& distances, const std::vector<Place>& allowed) {
  fill(distances.places(), [&](Place place) {
    std::vector<Place> around = allowed;
    std::erase(around, place);
    const std::size_t count = std::min(around.size(), kMost);
    const auto middle = around.begin() + static_cast<std::ptrdiff_t>(count);
    std::ranges::partial_sort(around, middle, {},
                              [&](Place other) { return distances.distance(place, other); });
    near_.insert(near_.end(), around.begin(), middle);
  });
}

}  // namespace groma::map
