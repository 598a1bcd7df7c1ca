// The JSON lines of a job besides its samples: where each rank runs, and the outcome of each test.
#pragma once

#include <string_view>
#include <vector>

#include "base/samples.hpp"
#include "job/outcome.hpp"
#include "mpi/communicator.hpp"

namespace groma::job {

/// The first line, to which a program may add. Collective: it has the placement of all ranks.
JsonObject run_event(const mpi::Communicator& world, const Json& plan);

/// The last line of a test, to which a program may add.
JsonObject outcome_event(std::string_view test, const Outcome& outcome);

/// The header with which JsonLineSink begins the samples of a test.
JsonObject begin_event(std::string_view test, std::uint64_t seed);

/// Discards all; for ranks other than the root.
class NullSink final : public SampleSink {
 public:
  void begin(const std::vector<Case>& /*cases*/) override {}
  void sample(std::size_t /*which*/, std::uint32_t /*round*/, double /*value*/) override {}
  void round(const RoundReport& /*report*/) override {}
  void end(EndReason /*ended*/) override {}
};

}  // namespace groma::job
