#include "map/symmetry.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace groma::map {
namespace {

constexpr std::size_t kFewFixed = 2;        ///< with more of them, symmetries that are known are enough
constexpr std::size_t kMostThings = 128;    ///< of a table that is searched
constexpr std::size_t kMostLooks = 40'000;  ///< of one search; about 5,000 find a symmetry of 64 places
constexpr std::size_t kMostLooksOfAll = 10'000'000;

bool are_twins(const SymmetricTable& table, std::size_t one, std::size_t other) {
  for (std::size_t third = 0; third < table.size(); ++third) {
    if (third != one && third != other && table.at(one, third) != table.at(other, third)) return false;
  }
  return true;
}

std::size_t name_of(std::vector<std::size_t>& orbit, std::size_t one) {
  while (orbit[one] != one) one = orbit[one] = orbit[orbit[one]];
  return one;
}

void unite(std::vector<std::size_t>& orbit, const std::vector<std::size_t>& permutation) {
  for (std::size_t one = 0; one < permutation.size(); ++one) {
    const std::size_t here = name_of(orbit, one);
    const std::size_t there = name_of(orbit, permutation[one]);
    orbit[std::max(here, there)] = std::min(here, there);
  }
}

/// Backtracking for a symmetry that keeps some things and moves one to another place.
class SymmetrySearch {
 public:
  SymmetrySearch(const SymmetricTable& table, std::span<const std::size_t> fixed)
      : table_(table), to_(table.size(), kNowhere), is_used_(table.size(), false) {
    for (const std::size_t one : fixed) take(one, one);
  }

  std::optional<std::vector<std::size_t>> moving(std::size_t one, std::size_t other) {
    if (!fits(one, other)) return std::nullopt;
    take(one, other);
    if (!complete(0)) return std::nullopt;
    return to_;
  }

  [[nodiscard]] std::size_t looks() const { return looks_; }

 private:
  static constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

  void take(std::size_t one, std::size_t place) {
    to_[one] = place;
    is_used_[place] = true;
    moved_.push_back(one);
  }

  void give_back() {
    is_used_[std::exchange(to_[moved_.back()], kNowhere)] = false;
    moved_.pop_back();
  }

  bool fits(std::size_t one, std::size_t place) {
    if (is_used_[place]) return false;
    return std::ranges::all_of(moved_, [&](std::size_t other) {
      ++looks_;
      return table_.at(one, other) == table_.at(place, to_[other]);
    });
  }

  /// Things stay where they are if they can: such symmetries serve where more is fixed as well.
  bool complete(std::size_t first) {
    while (first < to_.size() && to_[first] != kNowhere) ++first;
    if (first == to_.size()) return true;
    if (tried(first, first)) return true;
    for (std::size_t place = 0; place < to_.size() && looks_ < kMostLooks; ++place) {
      if (place != first && tried(first, place)) return true;
    }
    return false;
  }

  bool tried(std::size_t one, std::size_t place) {
    if (!fits(one, place)) return false;
    take(one, place);
    if (complete(one + 1)) return true;
    give_back();
    return false;
  }

  const SymmetricTable& table_;
  std::vector<std::size_t> to_;
  std::vector<bool> is_used_;
  std::vector<std::size_t> moved_;
  std::size_t looks_ = 0;
};

}  // namespace

std::vector<std::size_t> twins_of(const SymmetricTable& table) {
  std::vector<std::size_t> first(table.size());
  std::vector<std::size_t> classes;
  for (std::size_t one = 0; one < table.size(); ++one) {
    const auto twin =
        std::ranges::find_if(classes, [&](std::size_t other) { return are_twins(table, one, other); });
    first[one] = twin == classes.end() ? one : *twin;
    if (twin == classes.end()) classes.push_back(one);
  }
  return first;
}

/// A twin that is fixed stays by itself: the first one that is not names the others.
std::vector<std::size_t> Symmetries::orbits_of_twins(std::span<const std::size_t> fixed) const {
  std::vector<std::size_t> orbit(table_.size());
  std::iota(orbit.begin(), orbit.end(), std::size_t{0});
  std::vector<bool> is_fixed(table_.size(), false);
  for (const std::size_t one : fixed) is_fixed[one] = true;
  std::vector<std::size_t> first_free(table_.size(), table_.size());
  for (std::size_t one = 0; one < table_.size(); ++one) {
    if (is_fixed[one]) continue;
    std::size_t& first = first_free[twins_[one]];
    first = std::min(first, one);
    orbit[one] = first;
  }
  return orbit;
}

std::vector<std::size_t> Symmetries::orbits(std::span<const std::size_t> fixed) {
  std::vector<std::size_t> orbit = orbits_of_twins(fixed);
  looks_ += table_.size() * (1 + known_.size());
  for (const Permutation& known : known_) {
    if (std::ranges::all_of(fixed, [&](std::size_t one) { return known[one] == one; })) unite(orbit, known);
  }
  if (fixed.size() <= kFewFixed && table_.size() <= kMostThings) search(fixed, orbit);
  for (std::size_t one = 0; one < table_.size(); ++one) orbit[one] = name_of(orbit, one);
  return orbit;
}

void Symmetries::search(std::span<const std::size_t> fixed, std::vector<std::size_t>& orbit) {
  for (std::size_t one = 0; one < table_.size(); ++one) {
    for (std::size_t other = 0; other < one && name_of(orbit, one) == one; ++other) {
      if (name_of(orbit, other) != other || looks_searching_ > kMostLooksOfAll) continue;
      SymmetrySearch search(table_, fixed);
      auto found = search.moving(one, other);
      looks_searching_ += search.looks();
      if (!found) continue;
      unite(orbit, *found);
      known_.push_back(std::move(*found));
    }
  }
}

}  // namespace groma::map
