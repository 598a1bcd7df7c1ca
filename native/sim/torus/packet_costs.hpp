// What sending and receiving packets costs a processor that feeds and drains the network itself.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/torus/fields.hpp"
#include "sim/torus/network.hpp"
#include "sim/torus/observer.hpp"

namespace groma::sim::torus {

/// What receiving costs: `single` for one packet, `together` each where `batch` are received in one call; in
/// between, the fixed part of a call is shared (Aggarwal et al. 2008, section 4.3.1: 600 and 4 x 330 cycles).
struct ReceiveCost {
  double single = 0.0;
  std::uint32_t batch = 1;
  double together = 0.0;

  [[nodiscard]] double of(std::uint32_t packets) const;
  /// For each packet beside the fixed part: single = empty + each, together * batch = empty + each * batch.
  [[nodiscard]] double each() const {
    return batch <= 1 ? single : ((together * batch) - single) / (batch - 1.0);
  }
  /// The fixed part of a call: what one costs that finds no packet.
  [[nodiscard]] double empty() const { return batch <= 1 ? 0.0 : single - each(); }
};

/// Reads `receive` {single, batch, each} of a processor, of at most `most` packets in a call.
ReceiveCost read_receive(Fields& processor, std::uint32_t most);

/// What the packets of traffic and of messages cost.
struct PacketCosts {
  double send = 0.0;          ///< cycles to send a packet
  double receive_call = 0.0;  ///< cycles of a call that receives, whatever it finds
  double receive_each = 0.0;  ///< cycles for each packet that it takes
  std::uint32_t batch = 1;    ///< packets that a call takes at most

  [[nodiscard]] double receive(std::uint32_t packets) const {
    return receive_call + (receive_each * packets);
  }
};

/// Reads `send` and `receive` of a processor.
PacketCosts read_packet_costs(Fields& processor);

/// Time of a processor in whole cycles for the network; what is left of a cycle counts next time. At kLatest
/// it stays: the run ends before.
class BusyTime {
 public:
  [[nodiscard]] Cycles free_at() const { return free_at_; }
  void spend(Cycles now, double cycles) {
    left_ += cycles;
    const Cycles whole = whole_cycles(left_);
    left_ -= static_cast<double>(whole);
    free_at_ = std::min(std::max(free_at_, now) + whole, kLatest);
    worked_ = std::min(worked_ + whole, kLatest);
  }
  [[nodiscard]] Cycles worked() const { return worked_; }

 private:
  Cycles free_at_ = 0;
  Cycles worked_ = 0;
  double left_ = 0.0;
};

struct Spending {
  Cycles now = 0;
  double cycles = 0.0;
  Doing doing = Doing::kComputing;
};

/// Spends time of the processor of a place, and tells the observer, if there is one.
inline void spend(BusyTime& processor, Place place, const Spending& what, Observer* observer) {
  const Cycles begin = std::max(processor.free_at(), what.now);
  processor.spend(what.now, what.cycles);
  if (observer != nullptr && processor.free_at() > begin) observer->begins(place, begin, what.doing);
}

}  // namespace groma::sim::torus
