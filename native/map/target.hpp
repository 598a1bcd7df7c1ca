// Places for ranks and how far they are apart: tori and meshes, trees, and any symmetric matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <variant>
#include <vector>

namespace groma::map {

using Place = std::uint32_t;

/// A torus, or a mesh where it is not `closed`. The first coordinate runs fastest.
class Lattice {
 public:
  Lattice(std::vector<std::uint32_t> extents, bool closed);

  [[nodiscard]] std::size_t places() const { return places_; }
  [[nodiscard]] double distance(Place one, Place other) const {
    const std::uint32_t* here = &where_[one * extents_.size()];
    const std::uint32_t* there = &where_[other * extents_.size()];
    std::uint32_t hops = 0;
    for (std::size_t axis = 0; axis < extents_.size(); ++axis) hops += apart(axis, here[axis], there[axis]);
    return hops;
  }
  [[nodiscard]] std::vector<Place> neighbours(Place place) const;
  /// No two places are farther apart.
  [[nodiscard]] double diameter() const;
  [[nodiscard]] const std::vector<std::uint32_t>& extents() const { return extents_; }
  [[nodiscard]] bool closed() const { return closed_; }
  [[nodiscard]] std::uint32_t coordinate(Place place, std::size_t axis) const {
    return where_[place * extents_.size() + axis];
  }

 private:
  [[nodiscard]] std::uint32_t apart(std::size_t axis, std::uint32_t here, std::uint32_t there) const {
    const std::uint32_t steps = here > there ? here - there : there - here;
    return closed_ && 2 * steps > extents_[axis] ? extents_[axis] - steps : steps;
  }

  std::vector<std::uint32_t> extents_;
  bool closed_;
  std::size_t places_;
  std::vector<std::uint32_t> where_;  ///< coordinates, place by place
};

/// Levels of switches over the places, top level first: `arities[l]` children of each node of level l. Two
/// places whose lowest common ancestor is of level l are `costs[l]` apart.
class Tree {
 public:
  Tree(std::vector<std::uint32_t> arities, std::vector<double> costs);

  [[nodiscard]] std::size_t places() const { return below_.front(); }
  [[nodiscard]] double distance(Place one, Place other) const {
    if (one == other) return 0.0;
    std::size_t level = arities_.size() - 1;
    while (one / below_[level] != other / below_[level]) --level;
    return costs_[level];
  }
  [[nodiscard]] double diameter() const;
  [[nodiscard]] const std::vector<std::uint32_t>& arities() const { return arities_; }
  /// Places below a node of `level`.
  [[nodiscard]] std::uint32_t below(std::size_t level) const { return below_[level]; }

 private:
  std::vector<std::uint32_t> arities_;
  std::vector<double> costs_;
  std::vector<std::uint32_t> below_;
};

/// Given distances up to kMost; only their symmetric part counts.
class Distances {
 public:
  static constexpr double kMost = std::numeric_limits<float>::max();
  Distances(std::size_t places, const std::vector<double>& rows);

  [[nodiscard]] std::size_t places() const { return places_; }
  [[nodiscard]] double distance(Place one, Place other) const { return rows_[one * places_ + other]; }
  [[nodiscard]] double diameter() const;

 private:
  std::size_t places_;
  std::vector<float> rows_;
};

using Target = std::variant<Lattice, Tree, Distances>;

std::size_t places_of(const Target& target);
double diameter_of(const Target& target);

/// Two parts of about the same size of `places` (at least 2) that lie close together within each, the first
/// one not the smaller.
struct Halves {
  std::vector<Place> first;
  std::vector<Place> second;
};
Halves split(const Lattice& lattice, std::vector<Place> places);
Halves split(const Tree& tree, std::vector<Place> places);
Halves split(const Distances& distances, std::vector<Place> places);

}  // namespace groma::map
