// Both readers must see the same machine: what hwloc loads from tests/data/topologies is written as a /sys
// tree and read back, by groma's own reader and by hwloc's.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "base/affinity.hpp"
#include "base/random.hpp"
#include "base/topology.hpp"
#include "testing/fakes.hpp"
#include "testing/topology_fakes.hpp"

namespace groma {
namespace {

constexpr const char* kMachines = GROMA_TEST_DATA "/topologies/";

/// Everything but where it comes from; page sizes are not part of a /sys tree.
std::string what_it_says(Topology topology) {
  topology.source.clear();
  topology.this_system = true;
  topology.page = Bytes(4096);
  topology.huge_page.reset();
  return to_json(topology).text();
}

bool has_hwloc() {
  const Result<Topology> topology = topology_from_hwloc(allowed_cpus());
  return topology || topology.error().code != "topology.no_hwloc";
}

Topology load_file(const std::string& name) {
  const fake::Variable file("HWLOC_XMLFILE", kMachines + name + ".xml");
  return topology_from_hwloc({}).value();
}

Result<Topology> load_tree(const fake::Tree& tree) {
  const fake::Variable root("HWLOC_FSROOT", tree.root());
  const fake::Variable components("HWLOC_COMPONENTS", "linux,stop");
  return topology_from_hwloc({});
}

class Backends : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_hwloc()) GTEST_SKIP() << "built without hwloc";
  }
};

TEST_F(Backends, AgreeOnThisMachine) {
  const std::vector<PhysicalCore> allowed = allowed_cpus();
  EXPECT_EQ(what_it_says(topology_from_hwloc(allowed).value()),
            what_it_says(topology_from_sysfs("/", allowed)));
}

TEST_F(Backends, BelieveNoHwlocThatShowsNoneOfTheAllowedCpus) {
  const Result<Topology> topology = topology_from_hwloc({PhysicalCore(std::uint32_t{1} << 20U)});
  ASSERT_FALSE(topology);
  EXPECT_EQ(topology.error().code, "topology.unreadable");
}

/// From here on the system refuses to tell the affinity mask, as the filters of some sandboxes do.
bool forbid_the_affinity_mask() {
  std::array<sock_filter, 4> rules = {{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                                       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_getaffinity, 0, 1),
                                       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                                       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}};
  const sock_fprog program{.len = rules.size(), .filter = rules.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST_F(Backends, LeaveToSysfsAMachineThatTellsNoAffinityMask) {
  const auto says_sysfs = [] {
    if (!forbid_the_affinity_mask()) std::_Exit(0);  // a sandbox already, whose filters stay as they are
    alarm(60);                                       // hwloc would ask for ever
    std::_Exit(declared_topology().value().source == "sysfs" ? 0 : 1);
  };
  EXPECT_EXIT(says_sysfs(), ::testing::ExitedWithCode(0), "");
}

TEST_F(Backends, FailClearlyWhereTheNamedMachineCannotBeLoaded) {
  const fake::Variable file("HWLOC_XMLFILE", "/there/is/no/such/file.xml");
  EXPECT_EQ(topology_from_hwloc({}).error().code, "topology.unreadable");
  EXPECT_EQ(declared_topology().error().next, "correct or unset HWLOC_XMLFILE");
  EXPECT_TRUE(this_topology().this_system);
}

/// A file of one core whose node has these elements.
std::string one_core(const std::string& version, const std::string& pages) {
  const std::string sets =
      R"( cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" os_index="0")";
  const std::string allowed = R"( allowed_cpuset="0x1" allowed_nodeset="0x1" gp_index="1">)";
  return R"(<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE topology SYSTEM "hwloc2.dtd"><topology version=")" +
         version + "\"><object type=\"Machine\"" + sets + allowed + "<object type=\"NUMANode\"" + sets +
         R"( gp_index="2" local_memory="1048576">)" + pages + "</object><object type=\"PU\"" + sets +
         R"( gp_index="3"/></object></topology>)";
}

std::string page_type(const std::string& size) {
  return "<page_type size=\"" + size + "\" count=\"0\"/>";
}

TEST_F(Backends, TakeForTheHugePageOfAnotherMachineWhatItsKernelPrefers) {
  const fake::Tree tree;
  const auto huge_page = [&](const std::string& pages) {
    tree.write("machine.xml", one_core("2.0", pages));
    const fake::Variable file("HWLOC_XMLFILE", tree.root() + "machine.xml");
    return topology_from_hwloc({}).value().huge_page;
  };
  const std::string four_kib = page_type("4096");
  EXPECT_EQ(huge_page(four_kib + page_type("65536") + page_type("2097152") + page_type("33554432")), 2_MiB);
  EXPECT_EQ(huge_page(four_kib + page_type("1048576")), 1_MiB) << "IBM Z";
  EXPECT_EQ(huge_page(page_type("65536") + page_type("2097152") + page_type("1073741824")), 2_MiB) << "POWER";
  EXPECT_EQ(huge_page(four_kib), std::nullopt);
}

TEST_F(Backends, SayThatANewerHwlocWroteAFile) {
  const fake::Tree tree;
  tree.write("machine.xml", one_core("9.0", ""));
  const fake::Variable file("HWLOC_XMLFILE", tree.root() + "machine.xml");
  const Result<Topology> topology = topology_from_hwloc({});
  ASSERT_FALSE(topology);
  EXPECT_NE(topology.error().what.find("hwloc 9 wrote it"), std::string::npos) << topology.error().what;
}

/// A file of two cores, of which the second one may be used and the first one is near to the memory.
std::string two_cores() {
  const auto object = [](const std::string& type, const std::string& cpus, const std::string& number) {
    return "<object type=\"" + type + "\" cpuset=\"" + cpus + "\" complete_cpuset=\"" + cpus +
           R"(" nodeset="0x1" complete_nodeset="0x1" os_index=")" + number + "\" gp_index=\"";
  };
  return R"(<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE topology SYSTEM "hwloc2.dtd"><topology version="2.0">)" +
         object("Machine", "0x3", "0") + R"(1" allowed_cpuset="0x2" allowed_nodeset="0x1">)" +
         object("Package", "0x1", "0") + "2\">" + object("NUMANode", "0x1", "0") +
         R"(3" local_memory="1048576"/>)" + object("PU", "0x1", "0") + "4\"/></object>" +
         object("Package", "0x2", "1") + "5\">" + object("PU", "0x2", "1") +
         "6\"/></object></object></topology>";
}

TEST_F(Backends, NameTheCoresThatTheControlGroupForbids) {
  const fake::Tree tree;
  tree.write("machine.xml", two_cores());
  const fake::Variable file("HWLOC_XMLFILE", tree.root() + "machine.xml");
  const std::vector<LogicalCore> first = {LogicalCore(0)};
  const Topology foreign = topology_from_hwloc({}).value();
  EXPECT_EQ(foreign.forbidden, first);
  EXPECT_EQ(foreign.allowed, std::vector<LogicalCore>{LogicalCore(1)});
  const fake::Variable same("HWLOC_THISSYSTEM", "1");
  EXPECT_EQ(topology_from_hwloc({PhysicalCore(1)}).value().forbidden, first);
  EXPECT_EQ(topology_from_hwloc({PhysicalCore(0)}).value().forbidden, first)
      << "whatever the affinity mask says";
}

TEST_F(Backends, FindCoresToWhichNoMemoryIsLocal) {
  const fake::Tree tree;
  tree.write("machine.xml", two_cores());
  const fake::Variable file("HWLOC_XMLFILE", tree.root() + "machine.xml");
  const Topology topology = topology_from_hwloc({}).value();
  ASSERT_EQ(topology.numa.size(), 1U);
  EXPECT_EQ(topology.numa[0].cores, std::vector<LogicalCore>{LogicalCore(0)});
  EXPECT_EQ(topology.cores.at(1).numa, NumaNode(0));
}

TEST_F(Backends, TakeTheAllowedCoresOfAnotherMachineFromItsFile) {
  const fake::Variable description("HWLOC_SYNTHETIC", "pack:2 core:4 pu:1");
  const Topology topology = topology_from_hwloc({PhysicalCore(0)}).value();
  EXPECT_FALSE(topology.this_system);
  EXPECT_EQ(topology.allowed.size(), 8U);
}

TEST_F(Backends, RefuseToMeasureAnotherMachine) {
  EXPECT_TRUE(topology_to_measure());
  const fake::Variable description("HWLOC_SYNTHETIC", "pack:2 core:4 pu:1");
  ASSERT_FALSE(topology_to_measure());
  EXPECT_EQ(topology_to_measure().error().code, "topology.another_machine");
  EXPECT_EQ(topology_to_measure().error().next, "unset HWLOC_SYNTHETIC to measure here");
}

TEST_F(Backends, BelieveThatAFileDescribesThisMachineWhereTheEnvironmentSaysSo) {
  const fake::Variable file("HWLOC_XMLFILE", std::string(kMachines) + "one-core.xml");
  const fake::Variable same("HWLOC_THISSYSTEM", "1");
  const Result<Topology> topology = topology_to_measure();
  ASSERT_TRUE(topology);
  EXPECT_EQ(topology.value().cores.size(), 1U);
}

TEST(WithoutHwloc, AnotherMachineCannotBeLoadedAndThisOneIsReadFromSysfs) {
  if (has_hwloc()) GTEST_SKIP() << "built with hwloc";
  EXPECT_EQ(topology_to_measure().value().source, "sysfs");
  const fake::Variable description("HWLOC_SYNTHETIC", "pack:2 core:4 pu:1");
  EXPECT_EQ(topology_to_measure().error().code, "topology.no_hwloc");
}

class Machines : public Backends, public ::testing::WithParamInterface<const char*> {};

TEST_P(Machines, LookAlikeFromFileAndThroughBothReadersOfSysfs) {
  const Topology from_file = load_file(GetParam());
  const fake::Tree tree;
  fake::write_sysfs(tree, from_file);
  const std::string from_sysfs = what_it_says(topology_from_sysfs(tree.root(), {}));
  EXPECT_EQ(from_sysfs, what_it_says(from_file));
  const Result<Topology> through_hwloc = load_tree(tree);
  ASSERT_TRUE(through_hwloc) << through_hwloc.error().what;
  EXPECT_EQ(from_sysfs, what_it_says(through_hwloc.value()));
}

INSTANTIATE_TEST_SUITE_P(Topologies, Machines,
                         ::testing::Values("two-socket-8-numa", "shared-memory-24-node",
                                           "quadrants-memory-side-cache", "memory-only-node", "asymmetric",
                                           "one-core", "no-cache", "offline"),
                         [](const auto& param) {
                           std::string name = param.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// Up to 3 packages of up to 3 nodes of up to 2 caches of up to 3 cores of up to 2 threads, all of them drawn
/// anew in each, with CPUs and nodes numbered at random.
class RandomMachine {
 public:
  explicit RandomMachine(std::uint64_t seed) : random_(seed) {}

  Topology build() {
    for (std::uint64_t packages = 1 + random_.below(3); packages > 0; --packages) {
      for (std::uint64_t nodes = 1 + random_.below(3); nodes > 0; --nodes) add_node();
      ++package_;
    }
    number_at_random();
    draw_distances();
    return std::move(machine_);
  }

 private:
  void add_node() {
    const NumaNode node(static_cast<std::uint32_t>(machine_.numa.size()));
    const std::vector<LogicalCore> before = machine_.allowed;
    for (std::uint64_t caches = 1 + random_.below(2); caches > 0; --caches) {
      std::vector<LogicalCore> cores;
      for (std::uint64_t count = 1 + random_.below(3); count > 0; --count) add_core(node, cores);
      machine_.caches.push_back({3, "unified", 8_MiB, Bytes(64), 16, cores});
    }
    const auto first = static_cast<std::ptrdiff_t>(before.size());
    machine_.numa.push_back(
        {node, 0, 1024_MiB, std::nullopt, {machine_.allowed.begin() + first, machine_.allowed.end()}});
  }

  void add_core(NumaNode node, std::vector<LogicalCore>& cores) {
    for (std::uint64_t threads = 1 + random_.below(2); threads > 0; --threads) {
      const LogicalCore thread(static_cast<std::uint32_t>(machine_.cores.size()));
      machine_.cores.push_back({thread, PhysicalCore(0), core_, package_, node});
      machine_.allowed.push_back(thread);
      cores.push_back(thread);
    }
    ++core_;
  }

  void number_at_random() {
    std::vector<std::uint32_t> cpus(machine_.cores.size());
    std::iota(cpus.begin(), cpus.end(), 0U);
    shuffle(std::span(cpus), random_);
    for (std::size_t i = 0; i < cpus.size(); ++i) machine_.cores[i].physical = PhysicalCore(cpus[i]);
    std::vector<std::uint32_t> nodes(machine_.numa.size());
    std::iota(nodes.begin(), nodes.end(), 0U);
    shuffle(std::span(nodes), random_);
    for (std::size_t i = 0; i < nodes.size(); ++i) machine_.numa[i].physical = nodes[i];
  }

  /// hwloc groups nodes that lie close together, which changes the order of their cores. Here these are nodes
  /// of one package.
  void draw_distances() {
    const std::size_t nodes = machine_.numa.size();
    machine_.distances.assign(nodes, std::vector<double>(nodes, 10));
    for (std::size_t i = 0; i < nodes; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const bool same_package = package_of(i) == package_of(j);
        const double distance = same_package ? 12 + 2 * static_cast<double>(random_.below(3)) : 20;
        machine_.distances[i][j] = machine_.distances[j][i] = distance;
      }
    }
  }

  [[nodiscard]] std::uint32_t package_of(std::size_t node) const {
    return machine_.cores.at(machine_.numa[node].cores.front().number()).package;
  }

  RandomStream random_;
  Topology machine_;
  std::uint32_t core_ = 0;
  std::uint32_t package_ = 0;
};

TEST_F(Backends, AgreeOnMachinesNumberedAtRandom) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    const fake::Tree tree;
    fake::write_sysfs(tree, RandomMachine(seed).build());
    EXPECT_EQ(what_it_says(topology_from_sysfs(tree.root(), {})), what_it_says(load_tree(tree).value()));
  }
}

}  // namespace
}  // namespace groma
