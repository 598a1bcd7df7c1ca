// Places that can take each other's part: a search needs to try only one of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace groma::map {

/// A symmetric table of numbers between things.
class SymmetricTable {
 public:
  explicit SymmetricTable(std::size_t size) : size_(size), values_(size * size, 0.0) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] double at(std::size_t one, std::size_t other) const { return values_[one * size_ + other]; }
  void set(std::size_t one, std::size_t other, double value) {
    values_[one * size_ + other] = values_[other * size_ + one] = value;
  }

 private:
  std::size_t size_;
  std::vector<double> values_;
};

/// The first thing of each class of twins: exchanging two twins leaves the table as it is.
std::vector<std::size_t> twins_of(const SymmetricTable& table);

/// Permutations that leave a table as it is, found as they are asked for.
class Symmetries {
 public:
  explicit Symmetries(const SymmetricTable& table) : table_(table), twins_(twins_of(table)) {}

  /// The orbit of each thing under symmetries that keep every one of `fixed` in its place, named by one of
  /// its things. Some may be missed, so that an orbit is in several parts. Where `fixed` are few, new
  /// symmetries are searched for, as long as that is little work.
  std::vector<std::size_t> orbits(std::span<const std::size_t> fixed);

  /// Numbers that were looked at for all of them.
  [[nodiscard]] std::size_t looks() const { return looks_ + looks_searching_; }

 private:
  using Permutation = std::vector<std::size_t>;

  [[nodiscard]] std::vector<std::size_t> orbits_of_twins(std::span<const std::size_t> fixed) const;
  void search(std::span<const std::size_t> fixed, std::vector<std::size_t>& orbit);

  const SymmetricTable& table_;
  std::vector<std::size_t> twins_;
  std::vector<Permutation> known_;
  std::size_t looks_ = 0;
  std::size_t looks_searching_ = 0;
};

}  // namespace groma::map
