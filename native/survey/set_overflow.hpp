// Finds lines that compete for one set of a cache although the address bits that select the set are unknown.
// Lines are added until the next one makes a pass over them slow, then those that do not matter are removed
// again. What is left, without the last line, fills the ways of one set. Reference: Vila, Koepf, Morales,
// "Theory and practice of finding eviction sets", IEEE S&P 2019, section 5 (reduction by groups); the
// differential test against other lines is ours.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/random.hpp"

namespace groma::survey {

using LineSet = std::vector<std::size_t>;

class OverflowSearch {
 public:
  /// Time of one pass over a set of lines, in any unit; may be noisy.
  using TurnCost = std::function<double(std::span<const std::size_t>)>;

  /// `lines` candidates are numbered from 0. `give_up` is polled between measurements.
  OverflowSearch(std::size_t lines, TurnCost cost, std::function<bool()> give_up, RandomStream random);

  /// Number of ways of the set that overflowed first; nothing where none did or the evidence is not clear.
  std::optional<std::size_t> count_ways();

 private:
  struct Overflow {
    LineSet set;       ///< fits
    std::size_t last;  ///< does not fit any more
  };

  [[nodiscard]] std::optional<Overflow> grow();
  [[nodiscard]] std::optional<std::size_t> first_overflow(LineSet& set, std::span<const std::size_t> added);
  void shrink(Overflow& overflow);
  [[nodiscard]] bool shrink_once(Overflow& overflow, std::size_t chunk);
  [[nodiscard]] LineSet competitors(const Overflow& overflow);

  [[nodiscard]] bool overflows(const LineSet& set, std::size_t last);
  [[nodiscard]] double quiet_cost(const LineSet& set);
  [[nodiscard]] double cost_with(const LineSet& set, std::size_t last);
  [[nodiscard]] std::size_t bystander(const LineSet& set, std::size_t last);

  TurnCost cost_;
  std::function<bool()> give_up_;
  RandomStream random_;
  LineSet candidates_;
};

}  // namespace groma::survey
