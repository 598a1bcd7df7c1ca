// The node through hwloc 2.x, which knows more about some machines than /sys shows, and can load a
// description of another machine (HWLOC_XMLFILE, HWLOC_SYNTHETIC, HWLOC_FSROOT).
#include "base/topology.hpp"

#ifdef GROMA_WITH_HWLOC

#include <hwloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>

#include "base/topology_numbering.hpp"

namespace groma {
namespace {

#if HWLOC_API_VERSION >= 0x00020100
constexpr unsigned long kWholeNode = HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED;
constexpr bool kHasMemorySideCaches = true;
#else
constexpr unsigned long kWholeNode = HWLOC_TOPOLOGY_FLAG_WHOLE_SYSTEM;
constexpr bool kHasMemorySideCaches = false;
#endif

struct DestroyTopology {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using LoadedTopology = std::unique_ptr<hwloc_topology, DestroyTopology>;

LoadedTopology load() {
  // What hwloc finds odd about a machine it also works around; libraries do not print.
  setenv("HWLOC_HIDE_ERRORS", "2", 0);
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  LoadedTopology topology(raw);
  hwloc_topology_set_flags(raw, kWholeNode);
  hwloc_topology_set_cache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_icache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
#if HWLOC_API_VERSION >= 0x00020100
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_MEMCACHE, HWLOC_TYPE_FILTER_KEEP_ALL);
#endif
  if (hwloc_topology_load(raw) != 0) return nullptr;
  return topology;
}

CpuList cpu_list(hwloc_const_bitmap_t set) {
  CpuList cpus;
  if (set == nullptr || hwloc_bitmap_weight(set) < 0) return cpus;
  for (int cpu = hwloc_bitmap_first(set); cpu >= 0; cpu = hwloc_bitmap_next(set, cpu)) {
    cpus.push_back(static_cast<std::uint32_t>(cpu));
  }
  return cpus;
}

std::vector<hwloc_obj_t> objects_of(hwloc_topology_t topology, hwloc_obj_type_t type) {
  std::vector<hwloc_obj_t> objects;
  for (hwloc_obj_t one = nullptr; (one = hwloc_get_next_obj_by_type(topology, type, one)) != nullptr;) {
    objects.push_back(one);
  }
  return objects;
}

/// Number of the ancestor of `type`; one beyond all ancestors' for an object that has none.
std::uint32_t ancestor_number(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_obj_t object) {
  const hwloc_obj_t ancestor = hwloc_get_ancestor_obj_by_type(topology, type, object);
  return ancestor != nullptr ? ancestor->logical_index : std::numeric_limits<std::uint32_t>::max();
}

std::vector<DeclaredCpu> read_cpus(hwloc_topology_t topology) {
  std::vector<DeclaredCpu> cpus;
  for (const hwloc_obj_t unit : objects_of(topology, HWLOC_OBJ_PU)) {
    const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, unit);
    cpus.push_back({.cpu = unit->os_index,
                    // Without a core object a unit is a core of its own, named apart from the real ones.
                    .core = core != nullptr ? core->logical_index : ~unit->logical_index,
                    .package = ancestor_number(topology, HWLOC_OBJ_PACKAGE, unit)});
  }
  return cpus;
}

std::string kind_of(hwloc_obj_cache_type_t type) {
  if (type == HWLOC_OBJ_CACHE_DATA) return "data";
  return type == HWLOC_OBJ_CACHE_INSTRUCTION ? "instruction" : "unified";
}

/// hwloc writes 0 for an unknown number of ways and -1 for full associativity.
DeclaredCache declared_cache(hwloc_obj_t object) {
  const auto& cache = object->attr->cache;
  DeclaredCache declared{.level = cache.depth,
                         .kind = kind_of(cache.type),
                         .size = std::nullopt,
                         .line = std::nullopt,
                         .ways = std::nullopt,
                         .cpus = cpu_list(object->cpuset)};
  if (cache.size > 0) declared.size = Bytes(cache.size);
  if (cache.linesize > 0) declared.line = Bytes(cache.linesize);
  if (cache.associativity > 0) declared.ways = static_cast<std::uint32_t>(cache.associativity);
  return declared;
}

std::vector<DeclaredCache> read_caches(hwloc_topology_t topology) {
  std::vector<DeclaredCache> caches;
  for (const hwloc_obj_type_t type :
       {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L5CACHE,
        HWLOC_OBJ_L1ICACHE, HWLOC_OBJ_L2ICACHE, HWLOC_OBJ_L3ICACHE}) {
    for (const hwloc_obj_t object : objects_of(topology, type)) caches.push_back(declared_cache(object));
  }
  return caches;
}

std::optional<Bytes> memory_side_cache(hwloc_obj_t node) {
  if constexpr (kHasMemorySideCaches) {
#if HWLOC_API_VERSION >= 0x00020100
    const hwloc_obj_t parent = node->parent;
    if (parent != nullptr && parent->type == HWLOC_OBJ_MEMCACHE && parent->attr->cache.size > 0) {
      return Bytes(parent->attr->cache.size);
    }
#endif
  }
  return std::nullopt;
}

DeclaredNode declared_node(hwloc_obj_t object) {
  DeclaredNode node{.physical = object->os_index,
                    .memory = std::nullopt,
                    .memory_side_cache = memory_side_cache(object),
                    .cpus = cpu_list(object->cpuset)};
  if (object->attr->numanode.local_memory > 0) node.memory = Bytes(object->attr->numanode.local_memory);
  return node;
}

/// The narrowest nodes first, then the kernel's order: of several memories beside the same CPUs (fast and
/// ordinary) the first is their home, and hwloc also gives CPUs to memory that has none of its own.
std::vector<hwloc_obj_t> nodes_by_locality(hwloc_topology_t topology) {
  std::vector<hwloc_obj_t> nodes = objects_of(topology, HWLOC_OBJ_NUMANODE);
  std::sort(nodes.begin(), nodes.end(), [](hwloc_obj_t a, hwloc_obj_t b) {
    return std::tuple(hwloc_bitmap_weight(a->cpuset), a->os_index) <
           std::tuple(hwloc_bitmap_weight(b->cpuset), b->os_index);
  });
  return nodes;
}

struct ReleaseDistances {
  hwloc_topology_t topology;
  void operator()(hwloc_distances_s* distances) const { hwloc_distances_release(topology, distances); }
};

/// Latencies between all of `nodes`, or nothing.
std::vector<std::vector<double>> latencies_among(const hwloc_distances_s& found,
                                                 const std::vector<hwloc_obj_t>& nodes) {
  std::vector<std::size_t> place;
  for (const hwloc_obj_t node : nodes) {
    const auto* const at = std::find(found.objs, found.objs + found.nbobjs, node);
    if (at == found.objs + found.nbobjs) return {};
    place.push_back(static_cast<std::size_t>(at - found.objs));
  }
  std::vector<std::vector<double>> matrix;
  for (const std::size_t row : place) {
    std::vector<double>& values = matrix.emplace_back();
    for (const std::size_t column : place) {
      values.push_back(static_cast<double>(found.values[row * found.nbobjs + column]));
    }
  }
  return matrix;
}

std::vector<std::vector<double>> read_distances(hwloc_topology_t topology,
                                                const std::vector<hwloc_obj_t>& nodes) {
  std::array<hwloc_distances_s*, 8> found{};
  unsigned count = found.size();
  if (hwloc_distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &count, found.data(),
                                  HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0) {
    return {};
  }
  std::vector<std::vector<double>> latencies;
  for (unsigned i = 0; i < std::min<unsigned>(count, found.size()); ++i) {
    const std::unique_ptr<hwloc_distances_s, ReleaseDistances> one(found[i], {topology});
    if (latencies.empty()) latencies = latencies_among(*one, nodes);
  }
  return latencies;
}

std::string version() {
  const unsigned api = hwloc_get_api_version();
  return "hwloc (API " + std::to_string(api >> 16U) + "." + std::to_string(api >> 8U & 0xffU) + ")";
}

/// What hwloc leaves out unless it is told otherwise.
CpuList read_forbidden(hwloc_topology_t topology) {
  const hwloc_const_bitmap_t allowed = hwloc_topology_get_allowed_cpuset(topology);
  CpuList forbidden = cpu_list(hwloc_topology_get_topology_cpuset(topology));
  std::erase_if(forbidden, [&](std::uint32_t cpu) { return hwloc_bitmap_isset(allowed, cpu) != 0; });
  return forbidden;
}

DeclaredMachine read_machine(hwloc_topology_t topology) {
  const std::vector<hwloc_obj_t> nodes = nodes_by_locality(topology);
  DeclaredMachine machine{.source = version(),
                          .cpus = read_cpus(topology),
                          .caches = read_caches(topology),
                          .nodes = {},
                          .distances = read_distances(topology, nodes),
                          .forbidden = read_forbidden(topology)};
  for (const hwloc_obj_t node : nodes) machine.nodes.push_back(declared_node(node));
  return machine;
}

std::vector<PhysicalCore> allowed_by(hwloc_topology_t topology) {
  std::vector<PhysicalCore> allowed;
  for (const std::uint32_t cpu : cpu_list(hwloc_topology_get_allowed_cpuset(topology)))
    allowed.emplace_back(cpu);
  return allowed;
}

/// The size that kernels prefer: what one table of addresses of 8 bytes, itself a page, leads to. Machines
/// without that size have few others, and of these the least is meant.
Bytes usual_huge_page(const hwloc_obj_attr_u::hwloc_numanode_attr_s& numa) {
  const std::uint64_t page = numa.page_types[0].size;
  for (unsigned i = 1; i < numa.page_types_len; ++i) {
    if (numa.page_types[i].size == page * page / 8) return Bytes(numa.page_types[i].size);
  }
  return Bytes(numa.page_types[1].size);
}

/// Page sizes of another machine stand with its nodes, in ascending order; of this one the kernel is asked.
void add_foreign_pages(hwloc_topology_t topology, Topology& result) {
  const hwloc_obj_t node = hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, 0);
  if (node == nullptr || node->attr->numanode.page_types_len == 0) return;
  const auto& numa = node->attr->numanode;
  if (numa.page_types[0].size > 0) result.page = Bytes(numa.page_types[0].size);
  if (numa.page_types_len > 1) result.huge_page = usual_huge_page(numa);
}

Topology foreign_topology(hwloc_topology_t topology) {
  DeclaredMachine machine = read_machine(topology);
  machine.source += " of another machine";
  Topology result = number_machine(machine, allowed_by(topology));
  result.this_system = false;
  add_foreign_pages(topology, result);
  return result;
}

/// The hwloc whose form the file is in that HWLOC_XMLFILE names; 0 where it does not say so.
unsigned format_of_file() {
  constexpr std::string_view kVersion = "<topology version=\"";
  const char* const path = std::getenv("HWLOC_XMLFILE");
  std::ifstream file(path != nullptr ? path : "");
  std::string beginning(1024, '\0');
  file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  const auto at = beginning.find(kVersion);
  unsigned version = 0;
  if (at != std::string::npos) {
    std::from_chars(&beginning[at + kVersion.size()], beginning.data() + beginning.size(), version);
  }
  return version;
}

Error cannot_load(const std::string& asked) {
  const unsigned installed = hwloc_get_api_version() >> 16U;
  const std::string what =
      "hwloc " + std::to_string(installed) + " cannot load the machine that " + asked + " names";
  const unsigned written = asked == "HWLOC_XMLFILE" ? format_of_file() : 0;
  if (written <= installed) return {"topology.unreadable", what, "correct or unset " + asked};
  return {"topology.unreadable", what + ": hwloc " + std::to_string(written) + " wrote it",
          "export it with lstopo --export-xml-flags v" + std::to_string(installed)};
}

}  // namespace

Result<Topology> topology_from_hwloc(const std::vector<PhysicalCore>& allowed) {
  const LoadedTopology topology = load();
  const char* const asked = variable_naming_another_machine();
  const bool this_system = topology && hwloc_topology_is_thissystem(topology.get()) != 0;
  if (asked != nullptr && (!topology || this_system)) return cannot_load(asked);
  if (!topology) {
    return Error{"topology.unreadable", "hwloc cannot read this machine", "run lstopo to see why"};
  }
  if (!this_system) return foreign_topology(topology.get());
  Topology result = number_machine(read_machine(topology.get()), allowed);
  if (result.allowed.empty() && !allowed.empty()) {
    // Without /sys and /proc it counts CPUs and numbers them from 0, whichever they are.
    return Error{"topology.unreadable", "hwloc shows no CPU that this process may use",
                 "make /sys and /proc visible to this process"};
  }
  add_page_sizes("/", result);
  return result;
}

}  // namespace groma

#else

namespace groma {

Result<Topology> topology_from_hwloc(const std::vector<PhysicalCore>& /*allowed*/) {
  return Error{
      "topology.no_hwloc", "only hwloc can load the description of another machine, and it is not built in",
      "unset HWLOC_XMLFILE, HWLOC_SYNTHETIC and HWLOC_FSROOT, or install libhwloc-dev and build again"};
}

}  // namespace groma

#endif
