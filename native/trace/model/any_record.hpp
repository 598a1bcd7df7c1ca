// A record of any kind, for what keeps records or hands them to another thread.
#pragma once

#include <cstdint>

#include "trace/model/trace.hpp"

namespace groma::trace {

struct AnyRecord {
  enum class Kind : std::uint8_t { state, event, communication };

  AnyRecord() : communication{} {}
  explicit AnyRecord(const State& one) : kind(Kind::state), state(one) {}
  explicit AnyRecord(const Event& one) : kind(Kind::event), event(one) {}
  explicit AnyRecord(const Communication& one) : kind(Kind::communication), communication(one) {}

  /// By which a .prv is ordered.
  [[nodiscard]] Nanoseconds time() const {
    switch (kind) {
      case Kind::state:
        return state.begin;
      case Kind::event:
        return event.time;
      case Kind::communication:
        break;
    }
    return communication.physical_send;
  }
  void hand_to(Sink& sink) const {
    switch (kind) {
      case Kind::state:
        sink.state(state);
        break;
      case Kind::event:
        sink.event(event);
        break;
      case Kind::communication:
        sink.communication(communication);
        break;
    }
  }

  Kind kind = Kind::communication;
  union {
    State state;
    Event event;
    Communication communication;
  };
};

}  // namespace groma::trace
