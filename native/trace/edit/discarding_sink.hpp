// Where only what the reader says of a trace is wanted.
#pragma once

#include "trace/model/trace.hpp"

namespace groma::trace {

class DiscardingSink final : public Sink {
 public:
  void begin(const Layout& /*layout*/) override {}
  void state(const State& /*one*/) override {}
  void event(const Event& /*one*/) override {}
  void communication(const Communication& /*one*/) override {}
  void end(const Names& /*names*/) override {}
};

}  // namespace groma::trace
