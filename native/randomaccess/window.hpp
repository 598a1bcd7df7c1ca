// Updates that wait until their words are in the cache: each is prefetched when it enters and applied when it
// has become the oldest, so that the latencies of memory overlap. The far prefetch goes to the second level,
// because the first has room for fewer misses (12 to 24 on current cores) than a core needs in flight; the
// near one moves the word up just before it is wanted (measured in docs/hpcc/random_access.md).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "randomaccess/stream.hpp"
#include "randomaccess/update.hpp"

namespace groma::randomaccess {

/// `Update` is how a word takes a value; it is called on the thread that calls take() and drain().
template <class Sequence, class Update = PlainXor>
class Window {
 public:
  static constexpr std::uint64_t kDeepest = 128;

  /// `table` begins with word `first` of the whole one. At most `depth` updates wait; it is rounded down to a
  /// power of two.
  Window(std::span<std::uint64_t> table, std::uint64_t first, typename Sequence::Index index,
         std::uint64_t depth = kDeepest, Update update = {})
      : fixed_{table.data(), first, index, std::bit_floor(std::clamp<std::uint64_t>(depth, 1, kDeepest)), 0,
               update} {
    fixed_.near = std::min(kNear, fixed_.depth / 4);
  }

  [[nodiscard]] std::uint64_t depth() const { return fixed_.depth; }
  [[nodiscard]] std::uint64_t pending() const { return std::min(entered_, fixed_.depth); }

  /// Takes `count` updates, each of which is what `next` returns then.
  template <class Next>
  void take(std::uint64_t count, Next next) {
    const std::uint64_t filling = std::min(count, fixed_.depth - pending());
    for (std::uint64_t i = 0; i < filling; ++i) enter(next());
    // Copies, because stores to the table might otherwise change the members as far as the compiler knows.
    const Fixed fixed = fixed_;
    std::uint64_t at = entered_;
    for (const std::uint64_t end = at + (count - filling); at != end; ++at) {
      const std::uint64_t oldest = waiting_[fixed.slot(at)];
      fixed.update(*fixed.word(oldest), oldest);
      __builtin_prefetch(fixed.word(waiting_[fixed.slot(at + fixed.near)]), 0, 3);
      const std::uint64_t value = next();
      waiting_[fixed.slot(at)] = value;
      __builtin_prefetch(fixed.word(value), 0, 2);
    }
    entered_ = at;
  }

  void take(std::span<const std::uint64_t> values) {
    const std::uint64_t* from = values.data();
    take(values.size(), [&from] { return *from++; });
  }

  /// Applies all that wait.
  void drain() {
    for (std::uint64_t at = entered_ - pending(); at != entered_; ++at) {
      const std::uint64_t value = waiting_[fixed_.slot(at)];
      fixed_.update(*fixed_.word(value), value);
    }
    entered_ = 0;
  }

 private:
  static constexpr std::uint64_t kNear = 16;

  /// What is the same while updates pass through.
  struct Fixed {
    std::uint64_t* table;
    std::uint64_t first;
    typename Sequence::Index index;
    std::uint64_t depth;
    std::uint64_t near;
    [[no_unique_address]] Update update;
    [[nodiscard]] std::uint64_t* word(std::uint64_t value) const { return table + (index(value) - first); }
    [[nodiscard]] std::uint64_t slot(std::uint64_t at) const { return at & (depth - 1); }
  };

  void enter(std::uint64_t value) {
    waiting_[fixed_.slot(entered_++)] = value;
    __builtin_prefetch(fixed_.word(value), 0, 2);
  }

  Fixed fixed_;
  std::uint64_t entered_ = 0;
  std::array<std::uint64_t, kDeepest> waiting_{};
};

}  // namespace groma::randomaccess
