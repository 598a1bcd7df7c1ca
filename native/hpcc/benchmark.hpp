// What a benchmark of the suite is: one folder whose registering file holds its BenchmarkInfo and its run
// function. No list is edited anywhere.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/registry.hpp"
#include "base/result.hpp"
#include "base/samples.hpp"
#include "hpcc/cost.hpp"
#include "hpcc/plan.hpp"
#include "job/outcome.hpp"
#include "job/repetition.hpp"
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

using job::Check;
using job::Figure;

/// One line of the summary of hpccoutf.txt, as text in the C locale.
struct SummaryEntry {
  std::string key;
  std::string value;
};
SummaryEntry entry(std::string_view key, double value);
SummaryEntry entry(std::string_view key, std::uint64_t value);
SummaryEntry entry(std::string_view key, std::int64_t value);

/// The outcome of a benchmark. Its samples went to the sink. Valid on the root.
struct Outcome : job::Outcome {
  std::vector<SummaryEntry> summary = {};
  std::string report = {};  ///< prose for hpccoutf.txt, ends with a newline where there is any
};

/// What a benchmark works with; all ranks have the same plan.
struct Context : job::Measuring {
  const Plan& plan;

  Context(const job::Measuring& measuring, const Plan& of) : job::Measuring(measuring), plan(of) {}

  /// The same, but ending at `end` at the latest.
  [[nodiscard]] Context ending_by(Seconds end) const {
    Context sooner = *this;
    sooner.until = std::min(until, end);
    return sooner;
  }
};

/// Collective. An error is the same on every rank (Communicator::agree).
using Run = Result<Outcome> (*)(const Context&);

/// Checks that the test supports the plan, before any test runs. Collective over `world`. `world` is null
/// when a plan is only made; then only what does not depend on ranks is checked. Errors (usage).
using PlanCheck = Status (*)(const Plan& plan, const mpi::Communicator* world);

struct Benchmark {
  BenchmarkInfo info;
  Run run;
  CostModel cost;
  PlanCheck check_plan = nullptr;  ///< null where every plan is supported
};

inline std::pair<std::uint32_t, std::string_view> key_of(const Benchmark& benchmark) {
  return {benchmark.info.order, benchmark.info.name};
}

using Benchmarks = Registry<Benchmark>;

/// The first error of `check_plan`, in the order of the benchmarks: of all registered ones when a plan is
/// only made, of those that will run when there are ranks.
Status check_benchmarks(const Plan& plan, const mpi::Communicator* world);

/// Defines a benchmark: `const Registration kRegistered(kInfo, run, {words, time});`
class Registration : public Benchmarks::Registration {
 public:
  Registration(BenchmarkInfo info, Run run, CostModel cost, PlanCheck check_plan = nullptr)
      : Benchmarks::Registration({info, run, cost, check_plan}) {}
};

}  // namespace groma::hpcc
