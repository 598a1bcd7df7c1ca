// What a benchmark of the suite is: one folder whose registering file holds its BenchmarkInfo and its run
// function. No list is edited anywhere.
#pragma once

#include <algorithm>
#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "base/samples.hpp"
#include "hpcc/cost.hpp"
#include "hpcc/plan.hpp"
#include "mpi/communicator.hpp"

namespace groma::hpcc {

struct BenchmarkInfo {
  std::string_view name;  ///< as in --only
  std::string_view title;
  std::string_view measures;    ///< the quantities, with units
  std::string_view formula;     ///< of the headline values
  std::string_view validation;  ///< what is checked, and the limit
  std::string_view reference;
  std::uint32_t order = 100;  ///< lower ones run first
};

/// A number that a run must not exceed.
struct Check {
  std::string name;
  double value;
  double limit;
  [[nodiscard]] bool passed() const { return value <= limit; }  // NaN fails
};

/// One line of the summary of hpccoutf.txt, as text in the C locale.
struct SummaryEntry {
  std::string key;
  std::string value;
};
SummaryEntry entry(std::string_view key, double value);
SummaryEntry entry(std::string_view key, std::uint64_t value);
SummaryEntry entry(std::string_view key, std::int64_t value);

/// What came of a benchmark beside its samples, which went to the sink. Valid on the root.
struct Outcome {
  std::vector<Check> checks;
  std::vector<SummaryEntry> summary;
  std::string report;                ///< prose for hpccoutf.txt, ends with a newline where there is any
  std::vector<Error> warnings = {};  ///< what a reader has to know although nothing failed
  JsonObject facts = {};             ///< of a test that tells more than numbers
};

/// What one series gave. Kept on the root only.
struct Figure {
  std::string name;
  std::string mode;  ///< single, star or mpi
  std::string unit;
  std::vector<std::vector<double>> values;  ///< by repetition, then rank; NaN: the rank had no part
};

/// What a benchmark works with; all ranks have the same plan. Only the root's sink keeps anything.
struct Context {
  const mpi::Communicator& world;
  const Plan& plan;
  const Clock& clock;
  const std::atomic<bool>& cancelled;
  SampleSink& sink;
  Seconds until;  ///< by `clock` of the root: no further repetition begins after it, once there are enough
  std::vector<Figure>* figures = nullptr;  ///< where the measuring loop leaves its values too, if anywhere

  /// The same, but over at `end` at the latest.
  [[nodiscard]] Context ending_by(Seconds end) const {
    return {world, plan, clock, cancelled, sink, std::min(until, end), figures};
  }
};

/// Collective. An error is the same on every rank (Communicator::agree).
using Run = Result<Outcome> (*)(const Context&);

/// Whether the test can do what the plan asks of it; asked before any test runs. Collective over `world`;
/// null where a plan is only made, and only what depends on no ranks can be told. Errors (usage).
using Admission = Status (*)(const Plan& plan, const mpi::Communicator* world);

struct Benchmark {
  BenchmarkInfo info;
  Run run;
  CostModel cost;
  Admission admits = nullptr;  ///< null where every plan will do
};

/// By their order, then name.
std::vector<const Benchmark*> registered_benchmarks();
const Benchmark* find_benchmark(std::string_view name);

/// The first error of those that `admits`, by their order: of every registered benchmark where a plan is
/// made, whether it is to run or not, of those that run where there are ranks.
Status admitted(const Plan& plan, const mpi::Communicator* world);

/// Defines a benchmark: `const Registration kRegistered(kInfo, run, {words, time});`
class Registration {
 public:
  Registration(BenchmarkInfo info, Run run, CostModel cost, Admission admits = nullptr);
};

}  // namespace groma::hpcc
