// The clocks of hosts on the time scale of the trace.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "trace/log/format.hpp"
#include "trace/model/trace.hpp"

namespace groma::trace {

/// How the times of a host were brought onto the scale of the reference host.
enum class Alignment : std::uint8_t {
  kReference,   ///< it is that host
  kMessages,    ///< round trips at several times: offset and drift
  kOffsetOnly,  ///< round trips at the begin; the drift is that of its own clock
  kSystem,      ///< the time of day: nothing else is known
};

/// Of clocks: `a` - `b`.
inline double signed_difference(std::uint64_t a, std::uint64_t b) {
  return a >= b ? static_cast<double>(a - b) : -static_cast<double>(b - a);
}

struct SameTime;

class HostClock {
 public:
  /// Nanoseconds on the common scale, which may be negative.
  [[nodiscard]] double nanoseconds(std::uint64_t ticks) const {
    std::size_t segment = 0;
    while (segment + 2 < knots_.size() && ticks >= knots_[segment + 1].ticks) ++segment;
    const Knot& from = knots_[segment];
    return from.nanoseconds + signed_difference(ticks, from.ticks) * from.slope;
  }
  [[nodiscard]] double nanoseconds_per_tick() const;
  [[nodiscard]] Alignment alignment() const { return alignment_; }
  /// Half of the shortest round trip: bound of the error where the clocks were compared. 0 for the reference.
  /// Where it was compared by way of another host, the sum of both.
  [[nodiscard]] double error() const { return error_; }
  /// How often it was compared.
  [[nodiscard]] std::uint64_t comparisons() const { return comparisons_; }

 private:
  friend class HostClocks;
  struct Knot {
    std::uint64_t ticks;
    double nanoseconds;
    double slope = 0;  ///< to the next one
  };
  /// In ticks, between a knot and one that is made up.
  static constexpr std::uint64_t kStretch = std::uint64_t{1} << 32U;

  void set_slopes();
  /// At one time it is known, and it runs at this rate.
  void pass_through(std::uint64_t ticks, double nanoseconds, double rate);
  /// It was compared with a clock that is known, in the order of times.
  void follow(const HostClock& known, std::span<const SameTime> times, double rate, double rate_error);
  void run_on(std::span<const SameTime> times, double rate, double rate_error);

  std::vector<Knot> knots_;  ///< at least two; the last but one holds beyond the last
  Alignment alignment_ = Alignment::kReference;
  double error_ = 0;
  std::uint64_t comparisons_ = 0;
};

class HostClocks {
 public:
  /// From the headers of all logs; the host of the first is the reference.
  explicit HostClocks(std::span<const log::Header* const> headers);

  [[nodiscard]] const HostClock& of(const log::Header& header) const;
  [[nodiscard]] const std::map<std::string, HostClock>& hosts() const { return clocks_; }

 private:
  std::map<std::string, HostClock> clocks_;
};

}  // namespace groma::trace
