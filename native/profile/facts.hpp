// What the named getters answer from: the facts of a profile, decoded once when it is opened. What is
// missing, null or of another kind than a survey writes was not measured. Texts belong to the document.
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_reader.hpp"
#include "groma/groma.h"

namespace groma::profile {

using MaybeQuantity = std::optional<groma_quantity>;
using Group = std::vector<int>;
using Groups = std::optional<std::vector<Group>>;  ///< none: not known

/// A quantity that is spelt in full; none for anything else.
MaybeQuantity quantity_of(JsonValue value);

/// The measured entries of a matrix.
class Matrix {
 public:
  void add(std::size_t row, std::size_t column, const groma_quantity& quantity);
  void sort();
  [[nodiscard]] const groma_quantity* find(std::size_t row, std::size_t column) const;

  /// Of a symmetric matrix, of which half may be stored.
  [[nodiscard]] const groma_quantity* find_either(std::size_t one, std::size_t other) const;
  [[nodiscard]] double largest() const;
  [[nodiscard]] bool empty() const { return entries_.empty(); }

 private:
  struct Entry {
    std::size_t row;
    std::size_t column;
    groma_quantity quantity;
  };
  std::vector<Entry> entries_;
};

struct Cache {
  int level = 0;
  MaybeQuantity size, latency, line, associativity;
  Groups shared_by;
};

struct Tlb {
  int level = 0;
  std::size_t page = 0;
  MaybeQuantity reach, miss_cost;
  bool is_split = false;  ///< the system makes such pages of the larger ones that memory was advised to have
};

struct Point {
  double at = 0.0;  ///< cores, bytes of a message, or B/s of load
  groma_quantity quantity;
};

/// Points in the order of `at`.
using Curve = std::vector<Point>;

struct Kernel {
  std::string_view name;
  Curve bandwidth;
};

/// Memory bandwidth over the number of cores of a contention group.
struct GroupScaling {
  Group cores;
  Curve bandwidth;
  std::optional<std::size_t> saturates_at;
};

/// Latency of memory over the bandwidth that other cores take, for one share of reads.
struct LoadedMix {
  double read_fraction = 0.0;
  Curve latency;
};

struct NamedMatrix {
  std::string_view name;
  std::string_view step;  ///< of ping_back; empty for the others
  Matrix entries;
};

struct DistanceClass {
  groma_quantity ratio;
  std::vector<std::pair<int, int>> pairs;  ///< owner, reader; sorted
};

struct Numa {
  const char* over = nullptr;
  std::vector<int> places;
  std::vector<NamedMatrix> experiments;
  std::vector<DistanceClass> classes;
  std::optional<std::size_t> block;                                ///< bytes
  std::vector<std::pair<std::string_view, std::size_t>> block_of;  ///< where it differs, by experiment
};

struct CoreToCore {
  std::vector<int> cores;
  Matrix latency;
};

struct Layer {
  const char* name = nullptr;
  MaybeQuantity latency, bandwidth;
  Curve times;
  std::vector<std::pair<int, int>> pairs;  ///< of ranks
};

/// Where a rank of the survey ran: the index of its host and the logical cores that it might use.
struct RankPlace {
  int node = 0;
  std::vector<int> cores;
};

/// A pair of places or ranks and the layer of the messages between them.
struct LayerOfPair {
  int one;
  int other;
  std::size_t layer;
  friend auto operator<=>(const LayerOfPair&, const LayerOfPair&) = default;
};

struct Network {
  std::vector<Layer> layers;
  std::vector<RankPlace> ranks;                ///< by rank
  std::vector<LayerOfPair> of_ranks;           ///< sorted
  std::vector<LayerOfPair> of_cores;           ///< of one node, the lower core first; sorted
  std::optional<std::size_t> within, between;  ///< the layer of most pairs within a node, between nodes
  std::vector<MaybeQuantity> distance_ratios, access_ratios;
};

struct Facts {
  MaybeQuantity core_frequency;
  std::vector<groma_core_info> cores;
  std::vector<int> allowed;  ///< sorted; the cores that the survey might use
  std::vector<Cache> caches;
  std::vector<Tlb> tlb;
  MaybeQuantity memory_latency;
  std::vector<Kernel> kernels;
  Groups contention_groups;
  std::vector<GroupScaling> scaling;
  std::vector<LoadedMix> loaded;  ///< by rising share of reads
  Numa numa;
  std::vector<int> declared_nodes;
  std::vector<std::vector<double>> declared_distances;
  CoreToCore core_to_core;
  Network network;
};

Facts facts_of(JsonValue facts);

/// Where `id` is in `ids`; none if it is not.
std::optional<std::size_t> index_of(std::span<const int> ids, int id);

}  // namespace groma::profile
