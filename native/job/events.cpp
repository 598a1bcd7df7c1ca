#include "job/events.hpp"

#include "base/build_info.hpp"
#include "mpi/placement.hpp"

namespace groma::job {
namespace {

Json to_json(const Check& check) {
  return JsonObject()
      .add("name", check.name)
      .add("value", check.value)
      .add("limit", check.limit)
      .add("passed", check.passed())
      .json();
}

Json to_json(const Error& warning) {
  return JsonObject().add("code", warning.code).add("what", warning.what).add("next", warning.next).json();
}

Json to_json(const Choice& choice) {
  return JsonObject().add("what", choice.what).add("value", choice.value).add("why", choice.why).json();
}

template <class T>
std::vector<Json> each(const std::vector<T>& values) {
  std::vector<Json> all;
  for (const T& value : values) all.push_back(to_json(value));
  return all;
}

}  // namespace

Json to_json(const std::vector<Choice>& choices) {
  return each(choices);
}

JsonObject run_event(const mpi::Communicator& world, const Json& plan) {
  return JsonObject()
      .add("event", "run")
      .add("ranks", world.size())
      .add("mpi", mpi::library())
      .add("build", build_info())
      .add("plan", plan)
      .add("placement", mpi::gather_placement(world));
}

JsonObject outcome_event(std::string_view test, const Outcome& outcome) {
  return JsonObject()
      .add("event", "outcome")
      .add("benchmark", test)
      .add("checks", each(outcome.checks))
      .add("warnings", each(outcome.warnings))
      .add("facts", outcome.facts.json());
}

JsonObject begin_event(std::string_view test, std::uint64_t seed) {
  return JsonObject().add("event", "begin").add("probe", test).add("seed", seed);
}

}  // namespace groma::job
