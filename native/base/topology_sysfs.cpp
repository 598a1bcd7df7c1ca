// The Linux kernel's own description of the node (Documentation/ABI/testing/sysfs-devices-system-cpu and
// stable/sysfs-devices-node). Files may be missing, empty or nonsense: virtual machines, containers and
// exotic firmware produce all three. What cannot be understood is taken as not declared.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <sstream>

#include "base/cgroup.hpp"
#include "base/topology.hpp"
#include "base/topology_numbering.hpp"

namespace groma {
namespace {

namespace fs = std::filesystem;

/// Eight times the largest NR_CPUS of today's kernels; keeps nonsense from filling the memory.
constexpr std::uint32_t kMaxCpus = 1U << 16U;
constexpr std::size_t kMaxCaches = 16;
constexpr std::uint32_t kHighestLevel = 8;
constexpr std::size_t kLongestFile = std::size_t{1} << 20U;

/// Content without white space at its end; empty where the file cannot be read.
std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  for (std::array<char, 4096> part{}; file && text.size() < kLongestFile;) {
    file.read(part.data(), part.size());
    text.append(part.data(), static_cast<std::size_t>(file.gcount()));
  }
  constexpr std::string_view kSpace(" \t\r\n\0", 5);
  text.resize(text.find_last_not_of(kSpace) + 1);
  return text;
}

/// The whole text as a decimal number.
std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::uint32_t> read_small_number(const fs::path& path) {
  const auto number = parse_number(read_text(path));
  if (!number || *number > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

/// "7" or "0-3"; nothing for anything else.
std::optional<std::pair<std::uint32_t, std::uint32_t>> parse_range(std::string_view text) {
  const auto dash = text.find('-');
  const auto first = parse_number(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse_number(text.substr(dash + 1));
  if (!first || !last || *first > *last || *last >= kMaxCpus) return std::nullopt;
  return std::pair(static_cast<std::uint32_t>(*first), static_cast<std::uint32_t>(*last));
}

/// "0-3,8,10-11", ascending; empty where any part is not understood.
CpuList parse_cpu_list(const std::string& text) {
  std::vector<bool> present;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto range = parse_range(part);
    if (!range) return {};
    if (present.size() <= range->second) present.resize(range->second + 1);
    std::fill(present.begin() + range->first, present.begin() + range->second + 1, true);
  }
  CpuList cpus;
  for (std::uint32_t cpu = 0; cpu < present.size(); ++cpu) {
    if (present[cpu]) cpus.push_back(cpu);
  }
  return cpus;
}

/// "ff,00000000": bits of 32 CPUs a word, those of the highest first; empty where any part is not understood.
CpuList parse_cpu_mask(const std::string& text) {
  constexpr std::uint32_t kBits = 32;
  std::vector<std::uint32_t> words;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const char* const end = part.data() + part.size();
    const auto [stop, error] = std::from_chars(part.data(), end, words.emplace_back(), 16);
    if (error != std::errc() || stop != end || words.size() > kMaxCpus / kBits) return {};
  }
  std::reverse(words.begin(), words.end());
  CpuList cpus;
  for (std::uint32_t cpu = 0; cpu < words.size() * kBits; ++cpu) {
    if ((words[cpu / kBits] >> (cpu % kBits) & 1U) != 0) cpus.push_back(cpu);
  }
  return cpus;
}

/// The CPUs of a list, or of the mask beside it: kernels before 5.9 have no lists for the caches of POWER.
CpuList read_cpus(const fs::path& list, const fs::path& mask) {
  const CpuList cpus = parse_cpu_list(read_text(list));
  return cpus.empty() ? parse_cpu_mask(read_text(mask)) : cpus;
}

/// "32K", "8M", "1G" or bytes; nothing for no size or a size of 0.
std::optional<Bytes> parse_size(std::string text) {
  unsigned shift = 0;
  const std::string_view suffixes = "KMG";
  if (!text.empty()) {
    const auto suffix = suffixes.find(text.back());
    if (suffix != std::string_view::npos) {
      shift = 10 * (static_cast<unsigned>(suffix) + 1);
      text.pop_back();
    }
  }
  const auto number = parse_number(text);
  if (!number || *number == 0 || *number > (std::numeric_limits<std::uint64_t>::max() >> shift))
    return std::nullopt;
  return Bytes(*number << shift);
}

/// Numbers N of the entries `prefix`N of a folder, ascending.
CpuList numbered_entries(const fs::path& folder, std::string_view prefix) {
  CpuList numbers;
  std::error_code none;
  for (auto entry = fs::directory_iterator(folder, none); !none && entry != fs::directory_iterator();
       entry.increment(none)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(prefix)) continue;
    const auto number = parse_number(std::string_view(name).substr(prefix.size()));
    if (number && *number < kMaxCpus) numbers.push_back(static_cast<std::uint32_t>(*number));
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

/// Value in bytes of a line "… key <n> kB".
std::optional<Bytes> kib_after(const fs::path& path, std::string_view key) {
  std::istringstream words(read_text(path));
  for (std::string word; words >> word;) {
    if (word != key) continue;
    if (words >> word) return parse_size(word + "K");
  }
  return std::nullopt;
}

CpuList intersection(const CpuList& a, const CpuList& b) {
  CpuList both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

/// Of the list of online CPUs and their folders either may be hidden.
CpuList online_cpus(const fs::path& cpu_folder) {
  const CpuList online = parse_cpu_list(read_text(cpu_folder / "online"));
  const CpuList folders = numbered_entries(cpu_folder, "cpu");
  if (online.empty() || folders.empty()) return online.empty() ? folders : online;
  return intersection(online, folders);
}

/// Online CPUs that the control group of this process leaves out; none where it says nothing of CPUs.
CpuList forbidden_cpus(const std::string& root, const CpuList& online) {
  CpuList forbidden;
  for (const CgroupFolder& group : cgroup_folders("cpuset", root)) {
    const char* const name = group.version == 2 ? "cpuset.cpus.effective" : "cpuset.cpus";
    const CpuList granted = parse_cpu_list(read_text(group.path + name));
    if (granted.empty()) continue;
    std::ranges::set_difference(online, granted, std::back_inserter(forbidden));
    break;
  }
  return forbidden;
}

/// The members of `list` that are online, and `self` whatever the list says.
CpuList around(std::uint32_t self, const CpuList& list, const CpuList& online) {
  CpuList both = intersection(list, online);
  if (!std::binary_search(both.begin(), both.end(), self)) {
    both.insert(std::lower_bound(both.begin(), both.end(), self), self);
  }
  return both;
}

/// CPUs of a kind of sibling, such as "core_cpus".
CpuList read_siblings(const fs::path& topology, const std::string& name) {
  return read_cpus(topology / (name + "_list"), topology / name);
}

/// Under their present name, or under the one that kernels before 5.3 gave them.
CpuList read_siblings(const fs::path& topology, const char* name, const char* old_name) {
  const CpuList siblings = read_siblings(topology, name);
  return siblings.empty() ? read_siblings(topology, old_name) : siblings;
}

/// Reads one machine below its root.
class SysfsReader {
 public:
  explicit SysfsReader(const std::string& root)
      : cpu_folder_(fs::path(root) / "sys/devices/system/cpu"),
        node_folder_(fs::path(root) / "sys/devices/system/node"),
        memory_(fs::path(root) / "proc/meminfo"),
        online_(online_cpus(cpu_folder_)) {
    machine_.forbidden = forbidden_cpus(root, online_);
  }

  DeclaredMachine read() {
    machine_.source = "sysfs";
    read_nodes();
    std::map<std::uint32_t, DeclaredCpu> found;
    for (const std::uint32_t cpu : online_) {
      found[cpu] = read_cpu(cpu);
      read_caches(cpu);
    }
    group_nodes();
    for (const std::uint32_t cpu : logical_order(online_, sets_)) machine_.cpus.push_back(found.at(cpu));
    return std::move(machine_);
  }

 private:
  /// The online CPUs of a list read at `cpu`. Every member lists the same set; it is kept once.
  CpuList shared_by(std::uint32_t cpu, const CpuList& list) {
    CpuList set = around(cpu, list, online_);
    if (set.front() == cpu) sets_.push_back(set);
    return set;
  }

  DeclaredCpu read_cpu(std::uint32_t cpu) {
    const fs::path topology = cpu_folder_ / ("cpu" + std::to_string(cpu)) / "topology";
    const CpuList package = read_siblings(topology, "package_cpus", "core_siblings");
    const CpuList core = read_siblings(topology, "core_cpus", "thread_siblings");
    for (const char* name : {"die_cpus", "cluster_cpus"}) shared_by(cpu, read_siblings(topology, name));
    return {.cpu = cpu,
            .core = shared_by(cpu, core).front(),
            // A kernel that knows nothing of packages has one.
            .package = package.empty() ? online_.front() : shared_by(cpu, package).front()};
  }

  void read_caches(std::uint32_t cpu) {
    const fs::path folder = cpu_folder_ / ("cpu" + std::to_string(cpu)) / "cache";
    const CpuList indices = numbered_entries(folder, "index");
    for (std::size_t i = 0; i < std::min(indices.size(), kMaxCaches); ++i) {
      read_cache(cpu, folder / ("index" + std::to_string(indices[i])));
    }
  }

  /// Each instance is read once, at the lowest of its CPUs.
  void read_cache(std::uint32_t cpu, const fs::path& folder) {
    CpuList cpus = shared_by(cpu, read_cpus(folder / "shared_cpu_list", folder / "shared_cpu_map"));
    if (cpus.front() != cpu) return;
    const auto level = read_small_number(folder / "level");
    const std::string kind = kind_of(read_text(folder / "type"));
    if (!level || *level == 0 || *level > kHighestLevel || kind.empty()) return;
    machine_.caches.push_back({.level = *level,
                               .kind = kind,
                               .size = read_cache_size(folder),
                               .line = parse_size(read_text(folder / "coherency_line_size")),
                               .ways = read_ways(folder),
                               .cpus = std::move(cpus)});
  }

  static std::string kind_of(const std::string& type) {
    if (type == "Data") return "data";
    if (type == "Instruction") return "instruction";
    return type == "Unified" ? "unified" : "";
  }

  /// The product of its factors where firmware gives these but no size.
  static std::optional<Bytes> read_cache_size(const fs::path& folder) {
    if (const auto size = parse_size(read_text(folder / "size"))) return size;
    const auto sets = read_small_number(folder / "number_of_sets");
    const auto line = read_small_number(folder / "coherency_line_size");
    const auto ways = read_ways(folder);
    if (!sets || !line || !ways || *sets == 0 || *line == 0 || *line > 4096 || *ways > 4096)
      return std::nullopt;
    return Bytes(std::uint64_t{*sets} * *line * *ways);
  }

  /// The kernel writes 0 for unknown or fully associative.
  static std::optional<std::uint32_t> read_ways(const fs::path& folder) {
    const auto ways = read_small_number(folder / "ways_of_associativity");
    return ways && *ways > 0 ? ways : std::nullopt;
  }

  void read_nodes() {
    for (const std::uint32_t number : numbered_entries(node_folder_, "node")) {
      const fs::path folder = node_folder_ / ("node" + std::to_string(number));
      CpuList cpus = intersection(read_cpus(folder / "cpulist", folder / "cpumap"), online_);
      if (!cpus.empty()) sets_.push_back(cpus);
      machine_.nodes.push_back(
          {.physical = number,
           .memory = kib_after(folder / "meminfo", "MemTotal:"),
           .memory_side_cache = parse_size(read_text(folder / "memory_side_cache/index1/size")),
           .cpus = std::move(cpus)});
      machine_.distances.push_back(read_distances(folder / "distance"));
    }
    // A kernel that knows nothing of NUMA has one place for all its memory.
    if (machine_.nodes.empty()) add_only_node();
  }

  void add_only_node() {
    machine_.nodes.push_back({.physical = 0,
                              .memory = kib_after(memory_, "MemTotal:"),
                              .memory_side_cache = std::nullopt,
                              .cpus = online_});
  }

  void group_nodes() {
    std::vector<CpuList> nodes;
    for (const DeclaredNode& node : machine_.nodes) nodes.push_back(node.cpus);
    add_groups_of_close_nodes(nodes, machine_.distances, sets_);
  }

  static std::vector<double> read_distances(const fs::path& path) {
    std::istringstream words(read_text(path));
    return {std::istream_iterator<std::uint32_t>(words), {}};
  }

  fs::path cpu_folder_;
  fs::path node_folder_;
  fs::path memory_;
  CpuList online_;
  DeclaredMachine machine_;
  std::vector<CpuList> sets_;
};

bool declares_any(const DeclaredMachine& machine, const std::vector<PhysicalCore>& allowed) {
  return std::any_of(machine.cpus.begin(), machine.cpus.end(), [&](const DeclaredCpu& one) {
    return allowed.empty() ||
           std::find(allowed.begin(), allowed.end(), PhysicalCore(one.cpu)) != allowed.end();
  });
}

/// All that is known if /sys is hidden or describes other CPUs.
DeclaredMachine only_affinity(const std::vector<PhysicalCore>& allowed) {
  DeclaredMachine machine;
  machine.source = "affinity mask only";
  for (const PhysicalCore cpu : allowed) machine.cpus.push_back({cpu.number(), cpu.number(), 0});
  if (machine.cpus.empty()) machine.cpus.push_back({});
  return machine;
}

}  // namespace

Topology topology_from_sysfs(const std::string& root, const std::vector<PhysicalCore>& allowed) {
  DeclaredMachine machine = SysfsReader(root).read();
  if (!declares_any(machine, allowed)) machine = only_affinity(allowed);
  Topology topology = number_machine(machine, allowed);
  add_page_sizes(root, topology);
  return topology;
}

void add_page_sizes(const std::string& root, Topology& topology) {
  topology.page = Bytes(static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
  topology.huge_page = kib_after(fs::path(root) / "proc/meminfo", "Hugepagesize:");
}

}  // namespace groma
