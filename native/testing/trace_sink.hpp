// A trace in memory, for tests.
#pragma once

#include <vector>

#include "trace/model/trace.hpp"

namespace groma::trace::testing {

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

  Layout layout;
  std::vector<State> states;
  std::vector<Event> events;
  std::vector<Communication> communications;
  Names names;
  bool ended = false;
};

}  // namespace groma::trace::testing
