// Which messages were received after receives from any source of which nobody saw the end.
//
// MPI gives messages of a class to receives in their order, so a receive that took one moves the later ones
// of its class on by one. Of which class an unseen receive took one is not recorded. But it took one before
// any later receive that it could have stood in for got its own, and a class has none to give where all its
// messages were received otherwise, or where a message would arrive before it was sent. Where more than one
// answer is left, none is given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "trace/merge/message_class.hpp"
#include "trace/model/trace.hpp"

namespace groma::trace {

/// A class, from the first message on that an unseen receive may have taken.
struct ContendedClass {
  static constexpr Nanoseconds kUnknown = std::numeric_limits<Nanoseconds>::max();
  struct Taker {
    std::uint64_t order = 0;  ///< of posting
    Nanoseconds arrived = kUnknown;
  };
  MessageClass key;
  std::vector<Nanoseconds> sent = {};  ///< when each message began to be sent, in their order
  std::vector<Taker> takers = {};      ///< other receives that got one each, in the order of posting
};

/// Unseen receives that may get the same.
struct UnseenReceives {
  MessageClass pattern;
  std::vector<std::uint64_t> orders = {};  ///< of posting, the first one first
};

/// Messages that were sent though no log says so.
struct UnknownSends {
  bool of_any_rank = false;  ///< any number, by anybody
  std::map<std::uint32_t, std::uint64_t> by_rank =
      {};                       ///< at most so many, by ranks that ended in such a call
  Nanoseconds clock_error = 0;  ///< of differences between times of two ranks
};

/// Whether a receive of this pattern may get a message of the class.
bool is_match(const MessageClass& pattern, const MessageClass& key);

class Turns {
 public:
  /// Of one communicator and destination.
  Turns(std::vector<ContendedClass> classes, std::vector<UnseenReceives> unseen, UnknownSends unknown);
  /// How many messages of a class unseen receives took before each of its takers; nothing where that may be
  /// several numbers.
  [[nodiscard]] std::vector<std::optional<std::uint64_t>> taken(std::size_t number) const;

 private:
  struct Pattern {
    std::vector<std::uint64_t> orders;
    std::vector<Nanoseconds> deadlines;  ///< a later receive had its message then
  };
  /// How a class and a pattern meet.
  struct Meeting {
    std::size_t pattern;
    std::size_t first;  ///< of its receives that could have got a message of the class in time
  };
  struct Side {
    ContendedClass what;
    std::vector<Meeting> meetings;
    std::uint64_t surplus = 0;                ///< messages that its takers left
    std::vector<std::uint64_t> most_by_time;  ///< that were taken before each taker
    std::vector<std::uint64_t> most;          ///< the same, less what an earlier taker excludes
  };

  static Side side_of(ContendedClass what);
  void set_deadlines(Pattern& pattern, const MessageClass& key) const;
  void meet(Side& side, const std::vector<UnseenReceives>& unseen) const;
  void bound_by_time(Side& side) const;
  void bound(Side& side) const;
  [[nodiscard]] std::uint64_t posted_before(const Side& side, std::uint64_t order) const;
  [[nodiscard]] std::uint64_t in_time_before(const Side& side, std::uint64_t order) const;
  [[nodiscard]] std::uint64_t most_before(const Side& side, std::uint64_t order) const;
  [[nodiscard]] std::uint64_t taken_elsewhere(const Side& side, std::uint64_t order,
                                              std::uint64_t enough) const;

  UnknownSends unknown_;
  std::uint64_t unknown_sum_ = 0;
  std::vector<Pattern> patterns_;
  std::vector<Side> sides_;
};

}  // namespace groma::trace
