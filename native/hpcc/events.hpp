// Lines of JSON that tell a run beside its samples: who runs where, and what came of each test.
#pragma once

#include <vector>

#include "hpcc/benchmark.hpp"

namespace groma::hpcc {

/// The first line. `placement` is that of gather_placement.
Json run_line(const mpi::Communicator& world, const Json& plan, const std::vector<Json>& placement);

/// The last line of a test.
Json outcome_line(std::string_view test, const Outcome& outcome);

/// Says nothing; for ranks that are not the root.
class SilentSink final : public SampleSink {
 public:
  void begin(const std::vector<Case>& /*cases*/) override {}
  void sample(std::size_t /*which*/, std::uint32_t /*round*/, double /*value*/) override {}
  void round(const RoundReport& /*report*/) override {}
  void end(Ended /*ended*/) override {}
};

}  // namespace groma::hpcc
