// Some of the places nearest to each place: where a rank is tried that talks to the one there.
#pragma once

#include <span>
#include <vector>

#include "map/target.hpp"

namespace groma::map {

class NearPlaces {
 public:
  /// Of the allowed places, up to `kMost` for each.
  static constexpr std::size_t kMost = 8;

  NearPlaces(const Lattice& lattice, const std::vector<Place>& allowed);
  NearPlaces(const Tree& tree, const std::vector<Place>& allowed);
  NearPlaces(const Distances& distances, const std::vector<Place>& allowed);

  [[nodiscard]] std::span<const Place> of(Place place) const {
    return {near_.data() + begin_[place], near_.data() + begin_[place + 1]};
  }

 private:
  template <class Of>
  void fill(std::size_t places, const Of& of);

  std::vector<std::size_t> begin_;
  std::vector<Place> near_;
};

}  // namespace groma::map
