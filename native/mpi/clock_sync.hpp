// Clocks of different ranks on one time scale: offset and drift of each against rank 0, learned along a tree
// and fitted by a line (Hunold and Carpen-Amarie 2015, HCA: the models of a path are composed), with a bound
// on the error that holds whatever way the messages were delayed (Cristian 1989).
#pragma once

#include <span>
#include <vector>

#include "base/clock.hpp"
#include "mpi/communicator.hpp"

namespace groma::mpi {

/// One exchange: the reference was read at some time between `sent` and `received` of the own clock.
struct ClockReading {
  Seconds sent;
  Seconds received;
  Seconds reference;
  [[nodiscard]] Seconds middle() const { return (sent + received) * 0.5; }
  [[nodiscard]] Seconds round_trip() const { return received - sent; }
};

/// Reference = own + offset + drift (own - origin), within `uncertainty` while the readings were taken.
struct ClockModel {
  Seconds origin{0.0};  ///< of the own clock
  Seconds offset{0.0};  ///< at the origin
  double drift = 0.0;   ///< seconds of offset a second
  Seconds uncertainty{0.0};
  [[nodiscard]] Seconds to_reference(Seconds own) const {
    return own + offset + Seconds(drift * (own - origin).value());
  }
};

/// The line through readings, each weighted by the square of its inverse round trip. One reading, or several
/// at one time, give an offset without drift; none gives the identity.
ClockModel fit_clock(std::span<const ClockReading> readings);

/// From own to what `second` leads to: `first` leads from own to the clock that `second` starts at.
ClockModel compose(const ClockModel& first, const ClockModel& second);

/// The rank that a rank synchronizes with: its number without the highest bit. Rank 0 is the reference.
int clock_parent(int rank);

class ClockSync {
 public:
  ClockSync(const Communicator& all, const Clock& clock) : all_(all), clock_(clock) {}

  /// Collective. Takes readings, best of a few exchanges each. Once before and once after what is to be timed
  /// makes the drift sure.
  void observe();
  /// Collective. The model of this rank since the last one; the readings are used up.
  ClockModel settle();

 private:
  void ask(int parent);
  void answer(int child) const;
  [[nodiscard]] ClockReading exchange(int parent) const;
  [[nodiscard]] ClockReading best_exchange(int parent, Seconds until) const;

  const Communicator& all_;
  const Clock& clock_;
  std::vector<ClockReading> readings_;
};

}  // namespace groma::mpi
