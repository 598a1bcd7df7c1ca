// A trace in memory, for tests.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/model/trace.hpp"

namespace groma::trace::test {

class TraceInMemory final : public Sink {
 public:
  void begin(const Layout& given) override { layout = given; }
  void state(const State& one) override { states.push_back(one); }
  void event(const Event& one) override { events.push_back(one); }
  void communication(const Communication& one) override { communications.push_back(one); }
  void end(const Names& given) override {
    names = given;
    ended = true;
  }

  /// Of the events of a type on an object.
  [[nodiscard]] std::vector<std::uint64_t> values(std::uint32_t type, ObjectIndex object) const {
    std::vector<std::uint64_t> found;
    for (const Event& one : events) {
      if (one.type == type && one.object == object) found.push_back(one.value);
    }
    return found;
  }

  Layout layout;
  std::vector<State> states;
  std::vector<Event> events;
  std::vector<Communication> communications;
  Names names;
  bool ended = false;
};

}  // namespace groma::trace::test
