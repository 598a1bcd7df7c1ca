#include "profile/facts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "profile/rank_layers.hpp"

namespace groma::profile {
namespace {

std::optional<double> number_in(JsonValue object, std::string_view key) {
  return object.find(key).number();
}

/// Null if it is no text.
const char* text_of(JsonValue value) {
  const auto text = value.text();
  return text ? text->data() : nullptr;
}

const char* text_in(JsonValue object, std::string_view key) {
  return text_of(object.find(key));
}

/// A double holds every whole number up to 2^53, and no core, rank or message is beyond.
constexpr double kMaxExact = 9.0e15;

/// A whole number of at least 0 that fits into T.
template <class T>
std::optional<T> count_of(JsonValue value) {
  const auto number = value.number();
  const double most = std::min(kMaxExact, static_cast<double>(std::numeric_limits<T>::max()));
  if (!number || *number < 0 || *number > most || std::floor(*number) != *number) return std::nullopt;
  return static_cast<T>(*number);
}

std::vector<int> ids_of(JsonValue list) {
  std::vector<int> ids;
  list.for_each_item([&](JsonValue item) {
    if (const auto id = count_of<int>(item)) ids.push_back(*id);
  });
  return ids;
}

Groups groups_of(JsonValue list) {
  if (!list.is_list()) return std::nullopt;
  std::vector<Group> groups;
  list.for_each_item([&](JsonValue item) { groups.push_back(ids_of(item)); });
  return groups;
}

std::vector<MaybeQuantity> quantities_of(JsonValue list) {
  std::vector<MaybeQuantity> quantities;
  list.for_each_item([&](JsonValue item) { quantities.push_back(quantity_of(item)); });
  return quantities;
}

std::vector<std::pair<int, int>> pairs_of(JsonValue list) {
  std::vector<std::pair<int, int>> pairs;
  list.for_each_item([&](JsonValue item) {
    const std::vector<int> ids = ids_of(item);
    if (ids.size() == 2) pairs.emplace_back(ids[0], ids[1]);
  });
  return pairs;
}

std::vector<std::pair<std::string_view, std::size_t>> counts_of(JsonValue table) {
  std::vector<std::pair<std::string_view, std::size_t>> counts;
  table.for_each_member([&](std::string_view name, JsonValue value) {
    if (const auto count = count_of<std::size_t>(value)) counts.emplace_back(name, *count);
  });
  return counts;
}

Curve curve_of(JsonValue list, std::string_view at, std::string_view value) {
  Curve curve;
  list.for_each_item([&](JsonValue item) {
    const auto place = count_of<std::size_t>(item.find(at));
    const MaybeQuantity quantity = quantity_of(item.find(value));
    if (place && quantity) curve.push_back({static_cast<double>(*place), *quantity});
  });
  std::ranges::sort(curve, {}, &Point::at);
  return curve;
}

void add_whole(Matrix& matrix, JsonValue rows) {
  std::size_t row = 0;
  rows.for_each_item([&](JsonValue cells) {
    std::size_t column = 0;
    cells.for_each_item([&](JsonValue cell) {
      if (const MaybeQuantity quantity = quantity_of(cell)) matrix.add(row, column, *quantity);
      ++column;
    });
    ++row;
  });
}

std::vector<JsonValue> items_of(JsonValue list) {
  std::vector<JsonValue> items;
  list.for_each_item([&](JsonValue item) { items.push_back(item); });
  return items;
}

/// Large matrices hold their measured entries alone: lists of rows, columns and values (docs/schema).
void add_sparse(Matrix& matrix, JsonValue entries) {
  const char* unit = text_in(entries, "unit");
  const char* method = text_in(entries, "method");
  if (unit == nullptr || method == nullptr) return;
  const auto list = [&](const char* key) { return items_of(entries.find(key)); };
  const std::vector<JsonValue> rows = list("row");
  const std::vector<JsonValue> columns = list("column");
  const std::array numbers{list("value"), list("low"), list("high"), list("confidence")};
  std::size_t complete = std::min(rows.size(), columns.size());
  for (const auto& items : numbers) complete = std::min(complete, items.size());
  for (std::size_t i = 0; i < complete; ++i) {
    const auto row = count_of<std::size_t>(rows[i]);
    const auto column = count_of<std::size_t>(columns[i]);
    const auto number = [&](std::size_t which) { return numbers[which][i].number(); };
    const auto value = number(0), low = number(1), high = number(2), confidence = number(3);
    if (!row || !column || !value || !low || !high || !confidence) continue;
    matrix.add(*row, *column, {*value, *low, *high, *confidence, unit, method});
  }
}

Matrix matrix_of(JsonValue whole, JsonValue sparse) {
  Matrix matrix;
  add_whole(matrix, whole);
  add_sparse(matrix, sparse);
  matrix.sort();
  return matrix;
}

std::vector<groma_core_info> cores_of(JsonValue list) {
  std::vector<groma_core_info> cores;
  list.for_each_item([&](JsonValue item) {
    const auto number = [&](const char* key) { return count_of<int>(item.find(key)); };
    const auto logical = number("logical");
    const auto physical = number("physical");
    if (!logical || !physical) return;
    cores.push_back({*logical, *physical, number("core").value_or(*logical), number("package").value_or(0),
                     number("numa").value_or(0)});
  });
  std::ranges::sort(cores, {}, &groma_core_info::logical);
  return cores;
}

std::vector<Cache> caches_of(JsonValue list) {
  std::vector<Cache> caches;
  list.for_each_item([&](JsonValue item) {
    const auto level = count_of<int>(item.find("level"));
    if (!level) return;
    const auto quantity = [&](const char* key) { return quantity_of(item.find(key)); };
    caches.push_back({*level, quantity("size"), quantity("latency"), quantity("line"),
                      quantity("associativity"), groups_of(item.find("shared_by"))});
  });
  return caches;
}

std::vector<Tlb> tlbs_of(JsonValue list) {
  std::vector<Tlb> levels;
  list.for_each_item([&](JsonValue item) {
    const auto level = count_of<int>(item.find("level"));
    const auto page = count_of<std::size_t>(item.find("page"));
    if (!level || !page) return;
    const JsonValue advised = item.find("advised_page");
    levels.push_back({*level, *page, quantity_of(item.find("reach")), quantity_of(item.find("miss_cost")),
                      advised && !advised.is_null()});
  });
  return levels;
}

std::vector<Kernel> kernels_of(JsonValue table) {
  std::vector<Kernel> kernels;
  table.for_each_member([&](std::string_view name, JsonValue points) {
    kernels.push_back({name, curve_of(points, "cores", "value")});
  });
  return kernels;
}

/// Also by its former name.
std::optional<std::size_t> saturation_of(JsonValue group) {
  const auto found = count_of<std::size_t>(group.find("saturates_at"));
  return found ? found : count_of<std::size_t>(group.find("full_at"));
}

std::vector<GroupScaling> scaling_of(JsonValue list) {
  std::vector<GroupScaling> groups;
  list.for_each_item([&](JsonValue item) {
    groups.push_back({ids_of(item.find("cores")), curve_of(item.find("points"), "cores", "bandwidth"),
                      saturation_of(item)});
  });
  return groups;
}

std::vector<LoadedMix> loaded_of(JsonValue list) {
  std::map<double, Curve> by_fraction;
  list.for_each_item([&](JsonValue item) {
    const auto fraction = number_in(item, "read_fraction");
    const MaybeQuantity bandwidth = quantity_of(item.find("bandwidth"));
    const MaybeQuantity latency = quantity_of(item.find("latency"));
    if (!fraction || !bandwidth || bandwidth->value < 0.0 || !latency) return;
    by_fraction[*fraction].push_back({bandwidth->value, *latency});
  });
  std::vector<LoadedMix> mixes;
  for (auto& [fraction, curve] : by_fraction) {
    std::ranges::sort(curve, {}, [](const Point& one) { return std::pair(one.at, one.quantity.value); });
    mixes.push_back({fraction, std::move(curve)});
  }
  return mixes;
}

constexpr std::string_view kPingBack = "ping_back";

std::vector<NamedMatrix> experiments_of(JsonValue numa) {
  std::map<std::pair<std::string_view, std::string_view>, Matrix> found;
  for (const std::string_view name :
       {"sequential_first", "sequential_again", "lockstep", "random", "reallocated"}) {
    add_whole(found[{name, {}}], numa.find(name));
  }
  numa.find(kPingBack).for_each_member([&](std::string_view step, JsonValue rows) {
    add_whole(found[{kPingBack, step}], rows);
  });
  numa.find("sparse").for_each_member([&](std::string_view name, JsonValue entries) {
    const std::size_t dot = std::min(name.find('.'), name.size());
    add_sparse(found[{name.substr(0, dot), name.substr(std::min(dot + 1, name.size()))}], entries);
  });
  std::vector<NamedMatrix> experiments;
  for (auto& [names, matrix] : found) {
    matrix.sort();
    if (!matrix.empty()) experiments.push_back({names.first, names.second, std::move(matrix)});
  }
  return experiments;
}

std::vector<DistanceClass> classes_of(JsonValue list) {
  std::vector<DistanceClass> classes;
  list.for_each_item([&](JsonValue item) {
    const MaybeQuantity ratio = quantity_of(item.find("ratio"));
    if (!ratio) return;
    classes.push_back({*ratio, pairs_of(item.find("pairs"))});
    std::ranges::sort(classes.back().pairs);
  });
  return classes;
}

std::vector<std::vector<double>> distances_of(JsonValue rows) {
  std::vector<std::vector<double>> distances;
  rows.for_each_item([&](JsonValue row) {
    std::vector<double>& numbers = distances.emplace_back();
    row.for_each_item([&](JsonValue cell) { numbers.push_back(cell.number().value_or(std::nan(""))); });
  });
  return distances;
}

std::vector<int> declared_nodes_of(JsonValue list) {
  std::vector<int> nodes;
  list.for_each_item(
      [&](JsonValue item) { nodes.push_back(count_of<int>(item.find("logical")).value_or(-1)); });
  return nodes;
}

std::vector<Layer> layers_of(JsonValue list) {
  std::vector<Layer> layers;
  list.for_each_item([&](JsonValue item) {
    const char* name = text_in(item, "name");
    layers.push_back({name == nullptr ? "" : name, quantity_of(item.find("latency")),
                      quantity_of(item.find("bandwidth")), curve_of(item.find("curve"), "bytes", "time"),
                      pairs_of(item.find("pairs"))});
  });
  return layers;
}

Network network_of(JsonValue network, const std::vector<groma_core_info>& cores) {
  Network found;
  found.layers = layers_of(network.find("layers"));
  found.distance_ratios = quantities_of(network.find("distance").find("ratio"));
  found.access_ratios = quantities_of(network.find("access").find("ratio"));
  found.ranks = places_of_ranks(network, cores);
  index_layers(found);
  return found;
}

void sort_unique(std::vector<int>& ids) {
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

std::vector<int> allowed_of(JsonValue declared, const std::vector<groma_core_info>& cores) {
  std::vector<int> allowed = ids_of(declared.find("allowed"));
  if (allowed.empty()) {
    for (const groma_core_info& core : cores) allowed.push_back(core.logical);
  }
  sort_unique(allowed);
  return allowed;
}

}  // namespace

/// In one turn over its members: a profile has thousands of quantities.
MaybeQuantity quantity_of(JsonValue value) {
  JsonValue middle, low, high, confidence, unit, method;
  value.for_each_member([&](std::string_view key, JsonValue member) {
    if (key == "value") middle = member;
    if (key == "low") low = member;
    if (key == "high") high = member;
    if (key == "confidence") confidence = member;
    if (key == "unit") unit = member;
    if (key == "method") method = member;
  });
  const std::array numbers{middle.number(), low.number(), high.number(), confidence.number()};
  if (!std::ranges::all_of(numbers, &std::optional<double>::has_value)) return std::nullopt;
  const char* unit_text = text_of(unit);
  const char* method_text = text_of(method);
  if (unit_text == nullptr || method_text == nullptr) return std::nullopt;
  return groma_quantity{*numbers[0], *numbers[1], *numbers[2], *numbers[3], unit_text, method_text};
}

void Matrix::add(std::size_t row, std::size_t column, const groma_quantity& quantity) {
  entries_.push_back({row, column, quantity});
}

void Matrix::sort() {
  std::ranges::sort(entries_, {}, [](const Entry& one) { return std::pair(one.row, one.column); });
}

const groma_quantity* Matrix::find(std::size_t row, std::size_t column) const {
  const auto place = [](const Entry& one) { return std::pair(one.row, one.column); };
  const auto found = std::ranges::lower_bound(entries_, std::pair(row, column), {}, place);
  return found != entries_.end() && place(*found) == std::pair(row, column) ? &found->quantity : nullptr;
}

const groma_quantity* Matrix::find_either(std::size_t one, std::size_t other) const {
  const groma_quantity* found = find(one, other);
  return found != nullptr ? found : find(other, one);
}

/// 0 if it is empty.
double Matrix::largest() const {
  double largest = 0.0;
  for (const Entry& entry : entries_) largest = std::max(largest, entry.quantity.value);
  return largest;
}

std::optional<std::size_t> index_of(std::span<const int> ids, int id) {
  const auto found = std::ranges::find(ids, id);
  if (found == ids.end()) return std::nullopt;
  return static_cast<std::size_t>(found - ids.begin());
}

Facts facts_of(JsonValue facts) {
  const JsonValue node = facts.find("node");
  const JsonValue memory = node.find("memory");
  const JsonValue numa = node.find("numa");
  const JsonValue core_to_core = node.find("core_to_core");
  const JsonValue declared = facts.find("declared");
  Facts found;
  found.core_frequency = quantity_of(node.find("clock").find("core_frequency"));
  found.cores = cores_of(node.find("cores"));
  if (found.cores.empty()) found.cores = cores_of(declared.find("cores"));
  found.allowed = allowed_of(declared, found.cores);
  found.caches = caches_of(node.find("caches"));
  found.tlb = tlbs_of(node.find("tlb"));
  found.memory_latency = quantity_of(memory.find("latency"));
  found.kernels = kernels_of(memory.find("bandwidth"));
  found.contention_groups = groups_of(memory.find("contention_groups"));
  found.scaling = scaling_of(memory.find("contention_scaling"));
  found.loaded = loaded_of(memory.find("loaded_latency"));
  found.numa = {text_in(numa, "over"),
                ids_of(numa.find("places")),
                experiments_of(numa),
                classes_of(numa.find("classes")),
                count_of<std::size_t>(numa.find("block_bytes")),
                counts_of(numa.find("block_bytes_of"))};
  found.declared_nodes = declared_nodes_of(declared.find("numa"));
  found.declared_distances = distances_of(declared.find("distances"));
  found.core_to_core = {ids_of(core_to_core.find("cores")),
                        matrix_of(core_to_core.find("latency"), core_to_core.find("sparse").find("latency"))};
  found.network = network_of(facts.find("network"), found.cores);
  return found;
}

}  // namespace groma::profile
