// Lines of JSON that tell a job beside its samples: who runs where, and what came of each test.
#pragma once

#include <string_view>
#include <vector>

#include "base/samples.hpp"
#include "job/outcome.hpp"
#include "mpi/communicator.hpp"

namespace groma::job {

/// The first line, to which a program may add. Collective: it tells where all ranks are.
JsonObject run_event(const mpi::Communicator& world, const Json& plan);

/// The last line of a test, to which a program may add.
JsonObject outcome_event(std::string_view test, const Outcome& outcome);

/// What JsonLineSink begins the samples of a test with.
JsonObject begin_event(std::string_view test, std::uint64_t seed);

/// Says nothing; for ranks that are not the root.
class SilentSink final : public SampleSink {
 public:
  void begin(const std::vector<Case>& /*cases*/) override {}
  void sample(std::size_t /*which*/, std::uint32_t /*round*/, double /*value*/) override {}
  void round(const RoundReport& /*report*/) override {}
  void end(Ended /*ended*/) override {}
};

}  // namespace groma::job
