#include "base/topology.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/affinity.hpp"
#include "base/topology_numbering.hpp"

namespace groma {
namespace {

bool uses(const TopologyCache& cache, const std::vector<LogicalCore>& allowed) {
  return std::any_of(allowed.begin(), allowed.end(), [&](LogicalCore core) {
    return std::find(cache.cores.begin(), cache.cores.end(), core) != cache.cores.end();
  });
}

Json number_or_null(const std::optional<Bytes>& size) {
  return size ? Json(size->value()) : Json::null();
}

std::vector<std::uint32_t> numbers_of(const std::vector<LogicalCore>& cores) {
  std::vector<std::uint32_t> numbers;
  for (const LogicalCore core : cores) numbers.push_back(core.number());
  return numbers;
}

Json core_json(const TopologyCore& core) {
  return JsonObject()
      .add("logical", core.logical.number())
      .add("physical", core.physical.number())
      .add("core", core.core)
      .add("package", core.package)
      .add("numa", core.numa.number())
      .json();
}

Json cache_json(const TopologyCache& cache) {
  return JsonObject()
      .add("level", cache.level)
      .add("kind", cache.kind)
      .add("size_bytes", number_or_null(cache.size))
      .add("line_bytes", number_or_null(cache.line))
      .add("ways", cache.ways ? Json(*cache.ways) : Json::null())
      .add("cores", numbers_of(cache.cores))
      .json();
}

Json numa_json(const TopologyNuma& node) {
  return JsonObject()
      .add("logical", node.logical.number())
      .add("physical", node.physical)
      .add("memory_bytes", number_or_null(node.memory))
      .add("memory_side_cache_bytes", number_or_null(node.memory_side_cache))
      .add("cores", numbers_of(node.cores))
      .json();
}

template <class T>
std::vector<Json> all_json(const std::vector<T>& items, Json (*one_json)(const T&)) {
  std::vector<Json> texts;
  for (const T& item : items) texts.push_back(one_json(item));
  return texts;
}

}  // namespace

const char* variable_naming_another_machine() {
  const char* const same = std::getenv("HWLOC_THISSYSTEM");
  if (same != nullptr && *same == '1') return nullptr;
  for (const char* name : {"HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "HWLOC_FSROOT", "HWLOC_CPUID_PATH"}) {
    if (std::getenv(name) != nullptr) return name;
  }
  return nullptr;
}

Result<Topology> declared_topology() {
  const std::vector<PhysicalCore> allowed = allowed_cpus();
  const bool is_another = variable_naming_another_machine() != nullptr;
  // hwloc 2 asks for the affinity mask again and again, without end, where the system refuses to tell it.
  if (allowed.empty() && !is_another) return topology_from_sysfs("/", allowed);
  Result<Topology> topology = topology_from_hwloc(allowed);
  if (topology || is_another) return topology;
  return topology_from_sysfs("/", allowed);
}

Result<Topology> topology_to_measure() {
  Result<Topology> topology = declared_topology();
  if (!topology || topology.value().this_system) return topology;
  return Error{"topology.another_machine",
               std::string(variable_naming_another_machine()) + " describes another machine",
               std::string("unset ") + variable_naming_another_machine() + " to measure here"};
}

Topology this_topology() {
  Result<Topology> declared = declared_topology();
  return declared ? std::move(declared).value() : topology_from_sysfs("/", allowed_cpus());
}

Json to_json(const Topology& topology) {
  return JsonObject()
      .add("source", topology.source)
      .add("this_system", topology.this_system)
      .add("cores", all_json(topology.cores, core_json))
      .add("caches", all_json(topology.caches, cache_json))
      .add("numa", all_json(topology.numa, numa_json))
      .add("distances", topology.distances.empty() ? Json::null() : Json(topology.distances))
      .add("allowed", numbers_of(topology.allowed))
      .add("forbidden", numbers_of(topology.forbidden))
      .add("page_bytes", topology.page.value())
      .add("huge_page_bytes", number_or_null(topology.huge_page))
      .json();
}

std::optional<Bytes> Topology::last_level_cache() const {
  std::optional<Bytes> largest;
  for (const TopologyCache& cache : caches) {
    if (cache.kind != "instruction" && uses(cache, allowed)) largest = std::max(largest, cache.size);
  }
  return largest;
}

}  // namespace groma
