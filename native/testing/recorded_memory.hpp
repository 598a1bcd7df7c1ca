// A NUMA machine of any size on a fake clock, for tests only: reads cost what was recorded on machines of
// its kind. The costs are those of Blacklight (Kyrola 2011, section 2.1).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/random.hpp"
#include "survey/place_memory.hpp"
#include "testing/fakes.hpp"

namespace groma::fake {

/// `nodes` NUMA nodes, two of which are a blade, that share `cores` cores as evenly as they can; every node
/// is a package with one last-level cache.
struct BladeShape {
  std::uint32_t nodes = 24;
  std::uint32_t cores = 256;
  Bytes last_level = 24_MiB;
};

inline std::uint32_t blade_of(std::uint32_t node) {
  return node / 2;
}

inline Topology blades(const BladeShape& shape) {
  Topology topology;
  topology.source = "recorded";
  topology.huge_page = 2_MiB;
  for (std::uint32_t node = 0; node < shape.nodes; ++node) {
    TopologyNuma numa;
    numa.logical = NumaNode(node);
    numa.physical = node;
    numa.memory = Bytes(64ULL << 30U);
    const std::uint32_t cores = shape.cores / shape.nodes + (node < shape.cores % shape.nodes ? 1 : 0);
    for (std::uint32_t i = 0; i < cores; ++i) {
      const auto number = static_cast<std::uint32_t>(topology.cores.size());
      topology.cores.push_back({LogicalCore(number), PhysicalCore(number), number, node, NumaNode(node)});
      topology.allowed.emplace_back(number);
      numa.cores.emplace_back(number);
    }
    topology.caches.push_back({3, "unified", shape.last_level, Bytes(64), 24, numa.cores});
    topology.numa.push_back(std::move(numa));
    std::vector<double> distances;
    for (std::uint32_t other = 0; other < shape.nodes; ++other) {
      distances.push_back(node == other ? 10.0 : blade_of(node) == blade_of(other) ? 50.0 : 65.0);
    }
    topology.distances.push_back(std::move(distances));
  }
  return topology;
}

struct RecordedCosts {
  double local = 0.384 / static_cast<double>(1U << 30U);  ///< s per byte read in sequence
  double on_blade = 2.4;                                  ///< times that
  double remote = 6.2;
  double scattered = 2.0;
  double contended = 0.25;  ///< slower by this for each further core of a node in lock step
  double touch = 1e-9;      ///< s per byte of a first touch with small pages
  double noise = 0.01;
  Seconds move{30e-6};
  std::optional<std::uint32_t> slow_node;  ///< whose memory takes `slow` times as long, whoever reads it
  double slow = 2.5;
};

class RecordedMemory final : public survey::PlaceMemory {
 public:
  RecordedMemory(const Topology& topology, ManualClock& clock, const RecordedCosts& costs = {})
      : clock_(clock), costs_(costs) {
    for (const TopologyCore& core : topology.cores) node_of_[core.physical] = core.numa.number();
  }

  Status write(survey::BlockSet set, const std::vector<PhysicalCore>& owners, Bytes size) override {
    std::vector<std::uint32_t>& nodes = nodes_of(set);
    nodes.clear();
    for (const PhysicalCore owner : owners) nodes.push_back(node_of_.at(owner));
    pass(seconds(costs_.touch, size) + costs_.move);
    return Done{};
  }

  void release(survey::BlockSet set) override { nodes_of(set).clear(); }

  Result<Seconds> read(const survey::PartRead& part) override {
    ++reads;
    const double order = part.order == survey::ReadOrder::kScattered ? costs_.scattered : 1.0;
    const std::uint32_t owner = nodes_of(part.set).at(part.block);
    const Seconds time = noisy(seconds(each(owner, node_of_.at(part.reader)) * order, part.bytes));
    pass(time + costs_.move);
    return time;
  }

  Result<std::vector<std::vector<Seconds>>> read_in_steps(const survey::LockSteps& steps) override {
    std::map<std::uint32_t, double> cores;
    for (const PhysicalCore reader : steps.readers) ++cores[node_of_.at(reader)];
    std::vector<std::vector<Seconds>> times;
    for (const auto& blocks : steps.block_at) {
      if (steps.is_over()) break;
      Seconds slowest;
      auto& of_step = times.emplace_back();
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        const std::uint32_t owner = nodes_of(survey::BlockSet::kKept).at(blocks[i]);
        const double load = 1.0 + costs_.contended * (cores[owner] - 1.0);
        of_step.push_back(noisy(seconds(each(owner, node_of_.at(steps.readers[i])) * load, steps.bytes)));
        slowest = std::max(slowest, of_step.back());
      }
      pass(slowest);
    }
    return times;
  }

  Result<std::vector<survey::TouchTimes>> touch(const std::vector<PhysicalCore>& owners, Bytes size,
                                                PageMode pages) override {
    const double crowd = 1.0 + 0.1 * (static_cast<double>(owners.size()) - 1.0);
    const double cost = pages == PageMode::kSmall ? costs_.touch * crowd : costs_.touch / 4.0;
    std::vector<survey::TouchTimes> times;
    for (std::size_t i = 0; i < owners.size(); ++i) {
      times.push_back({noisy(Seconds(5e-6)), noisy(seconds(cost, size)), noisy(seconds(cost / 50.0, size)),
                       noisy(seconds(cost / 5.0, size))});
    }
    pass(seconds(cost * 1.25, size));
    return times;
  }

  [[nodiscard]] std::optional<std::uint32_t> home_of(std::size_t block) const override {
    return sets_[0].at(block);
  }

  std::size_t reads = 0;

 private:
  static Seconds seconds(double each, Bytes bytes) {
    return Seconds(each * static_cast<double>(bytes.value()));
  }
  void pass(Seconds time) { clock_.time = clock_.time + time; }

  [[nodiscard]] double each(std::uint32_t owner, std::uint32_t reader) const {
    const double far = owner == reader                       ? 1.0
                       : blade_of(owner) == blade_of(reader) ? costs_.on_blade
                                                             : costs_.remote;
    return costs_.local * far * (costs_.slow_node == owner ? costs_.slow : 1.0);
  }

  /// Up to `noise` more.
  Seconds noisy(Seconds time) {
    const double share = static_cast<double>(random_.below(1000)) / 1000.0;
    return time * (1.0 + costs_.noise * share);
  }

  std::vector<std::uint32_t>& nodes_of(survey::BlockSet set) { return sets_[static_cast<std::size_t>(set)]; }

  ManualClock& clock_;
  RecordedCosts costs_;
  RandomStream random_{1};
  std::map<PhysicalCore, std::uint32_t> node_of_;
  std::vector<std::uint32_t> sets_[2];
};

}  // namespace groma::fake
