// Runs a simulation of a torus as a request describes it and keeps what it answered.
#pragma once

#include <string>
#include <string_view>

#include "base/json_reader.hpp"
#include "sim/torus/request.hpp"

namespace groma::test {

/// The result of a run, or the error of its request.
class TorusRun {
 public:
  /// Stopped soon after a time, if one is given.
  explicit TorusRun(std::string_view request, sim::torus::Cycles until = sim::torus::kNever)
      : document_(run(request, until)) {}

  [[nodiscard]] JsonValue at(std::string_view path) const { return document_.root().at(path); }
  [[nodiscard]] double number(std::string_view path) const { return at(path).number().value_or(-1.0); }
  [[nodiscard]] bool is(std::string_view path) const { return at(path).truth().value_or(false); }
  [[nodiscard]] std::string error() const { return std::string(at("error").text().value_or("")); }

 private:
  static JsonDocument run(std::string_view text, sim::torus::Cycles until) {
    const auto request = sim::torus::read_request(text);
    if (!request) return error_of(request.error());
    const sim::torus::Request& asked = request.value();
    sim::torus::RunOptions options;
    options.threads = asked.threads;
    options.enough_work = asked.workload->enough_work();
    options.stop = [&](const sim::torus::Progress& latest) { return latest.time >= until; };
    const auto outcome = sim::torus::simulate(asked.shape, asked.network, *asked.workload, options);
    if (!outcome) return error_of(outcome.error());
    return read_json(result_of(asked, outcome.value(), 0.0).text()).value();
  }
  static JsonDocument error_of(const Error& error) {
    return read_json(JsonObject().add("error", error.what).json().text()).value();
  }

  JsonDocument document_;
};

}  // namespace groma::test
