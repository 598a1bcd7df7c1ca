#include "hpcc/events.hpp"

#include "base/build_info.hpp"
#include "hpcc/blas.hpp"

namespace groma::hpcc {
namespace {

Json check_json(const Check& check) {
  return JsonObject()
      .add("name", check.name)
      .add("value", check.value)
      .add("limit", check.limit)
      .add("passed", check.passed())
      .json();
}

Json warning_json(const Error& warning) {
  return JsonObject().add("code", warning.code).add("what", warning.what).add("next", warning.next).json();
}

}  // namespace

Json run_line(const mpi::Communicator& world, const Json& plan, const std::vector<Json>& placement) {
  return JsonObject()
      .add("event", "run")
      .add("ranks", world.size())
      .add("mpi", mpi::library())
      .add("blas", blas_library())
      .add("build", build_info())
      .add("plan", plan)
      .add("placement", placement)
      .json();
}

Json outcome_line(std::string_view test, const Outcome& outcome) {
  std::vector<Json> checks;
  for (const Check& check : outcome.checks) checks.push_back(check_json(check));
  std::vector<Json> warnings;
  for (const Error& warning : outcome.warnings) warnings.push_back(warning_json(warning));
  JsonObject summary;
  for (const SummaryEntry& one : outcome.summary) summary.add(one.key, one.value);
  return JsonObject()
      .add("event", "outcome")
      .add("benchmark", test)
      .add("checks", checks)
      .add("summary", summary.json())
      .add("warnings", warnings)
      .add("facts", outcome.facts.json())
      .json();
}

}  // namespace groma::hpcc
