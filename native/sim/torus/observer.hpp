// What the processors of a simulation did and when, for who wants to keep it.
#pragma once

#include <cstdint>

#include "sim/torus/network.hpp"

namespace groma::sim::torus {

/// A core that works by itself. They are numbered node by node, so many on each.
using Place = std::uint32_t;

struct Places {
  Place count = 0;
  std::uint32_t each_node = 1;
};

enum class Doing : std::uint8_t {
  kIdle,       ///< has not begun, or has come to its end
  kComputing,  ///< the work of the program
  kSending,
  kReceiving,
  kWaitingForPackets,
  kWaitingForRoom,  ///< in an injection FIFO
};

/// A message, or a packet where those are what the program sends. Logical times are those of the program, the
/// physical ones those of the first byte that goes and of the last one that is taken from the network.
struct Delivery {
  Place from = 0;
  Cycles called = 0;
  Cycles sent = 0;
  Place to = 0;
  Cycles asked = 0;  ///< not after `received`
  Cycles received = 0;
  std::uint64_t bytes = 0;
  std::uint64_t tag = 0;
};

/// Calls come from the threads of a run, those about a place in the order of their times and from one thread
/// at a time.
class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  Observer(Observer&&) = delete;
  Observer& operator=(Observer&&) = delete;
  virtual ~Observer() = default;

  /// From then on, until the next call. A place does nothing before the first one.
  virtual void begins(Place place, Cycles at, Doing doing) = 0;
  virtual void delivered(const Delivery& delivery) = 0;
};

}  // namespace groma::sim::torus
