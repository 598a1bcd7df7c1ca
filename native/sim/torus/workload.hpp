// What the processors of a simulation do, by name. A workload registers itself.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "base/json.hpp"
#include "base/json_reader.hpp"
#include "base/registry.hpp"
#include "base/result.hpp"
#include "sim/torus/engine.hpp"
#include "sim/torus/observer.hpp"

namespace groma::sim::torus {

/// A part of a simulation's request. The reader of a workload refuses what it does not know.
struct WorkloadRequest {
  const Shape& shape;
  const Network& network;
  JsonValue processor;   ///< a table: costs in cycles
  JsonValue parameters;  ///< a table: the workload's own, `name` among them
  std::uint64_t seed = 1;
};

/// Processors that know what to tell of a run.
class Workload : public Processors {
 public:
  /// Work after which the run is over, as Adapter::count_work counts it; 0 to run until nothing is left to
  /// do.
  [[nodiscard]] virtual std::uint64_t enough_work() const { return 0; }
  /// The cores that an observer follows.
  [[nodiscard]] virtual Places places() const = 0;
  /// Before the run. The observer must outlive it.
  virtual void observe(Observer& observer) = 0;
  /// Adds what only this workload knows of a run that has ended.
  virtual void report(const Outcome& outcome, JsonObject& result) const = 0;
};

struct WorkloadInfo {
  std::string_view name;
  Result<std::unique_ptr<Workload>> (*make)(const WorkloadRequest& request);
};

inline std::pair<int, std::string_view> key_of(const WorkloadInfo& info) {
  return {0, info.name};
}

/// `const Workloads::Registration kRegistered({"name", make});` defines one.
using Workloads = Registry<WorkloadInfo>;

}  // namespace groma::sim::torus
