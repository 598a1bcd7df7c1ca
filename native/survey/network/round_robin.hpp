// A round-robin tournament: everyone meets everyone once, and nobody two at a time.
#pragma once

#include <cstdint>
#include <optional>

namespace groma::survey::network {

/// By the circle method: one player stays, the others move on by one place in each turn.
class RoundRobin {
 public:
  explicit constexpr RoundRobin(std::uint32_t players) : players_(players), turns_(turns_of(players)) {}

  [[nodiscard]] constexpr std::uint32_t turns() const { return turns_; }

  /// Whom a player meets in a turn; of an odd number of players, one meets nobody.
  [[nodiscard]] constexpr std::optional<std::uint32_t> opponent(std::uint32_t player,
                                                                std::uint32_t turn) const {
    const std::uint32_t other = facing(player, turn);
    return other < players_ ? std::optional(other) : std::nullopt;
  }

 private:
  /// Of an odd number, the last place stays empty.
  static constexpr std::uint32_t turns_of(std::uint32_t players) {
    return players < 2 ? 0 : players + players % 2 - 1;
  }

  /// The place opposite, of `turns_` that move and one that stays.
  [[nodiscard]] constexpr std::uint32_t facing(std::uint32_t place, std::uint32_t turn) const {
    if (place == turns_) return turn;
    if (place == turn) return turns_;
    const std::uint64_t moved = 2 * std::uint64_t{turn} + turns_ - place;
    return static_cast<std::uint32_t>(moved % turns_);
  }

  std::uint32_t players_;
  std::uint32_t turns_;
};

}  // namespace groma::survey::network
