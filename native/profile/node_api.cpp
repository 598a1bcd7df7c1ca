// The named getters of a node: cores, caches, memory, NUMA, core to core.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>

#include "profile/api.hpp"
#include "profile/interpolation.hpp"

namespace groma::profile {
namespace {

const Cache* find_level(const Facts& facts, int level) {
  const auto found = std::ranges::find(facts.caches, level, &Cache::level);
  return found == facts.caches.end() ? nullptr : &*found;
}

/// Of pages that nobody split where there is such an entry.
const Tlb* find_tlb(const Facts& facts, int level, std::size_t page) {
  const Tlb* found = nullptr;
  for (const Tlb& one : facts.tlb) {
    const bool is_it = one.level == level && one.page == page;
    if (is_it && (found == nullptr || (found->is_split && !one.is_split))) found = &one;
  }
  return found;
}

/// A part of a level of cache.
groma_status of_cache(const groma_profile* profile, int level, MaybeQuantity Cache::*part,
                      groma_quantity* out, const char* what) noexcept {
  if (profile == nullptr || out == nullptr) return null_argument();
  const Cache* cache = find_level(profile->content.facts(), level);
  return hand_over(cache == nullptr ? std::nullopt : cache->*part, out, what);
}

groma_status of_tlb(const groma_profile* profile, int level, std::size_t page, MaybeQuantity Tlb::*part,
                    groma_quantity* out) noexcept {
  if (profile == nullptr || out == nullptr) return null_argument();
  const Tlb* tlb = find_tlb(profile->content.facts(), level, page);
  return hand_over(tlb == nullptr ? std::nullopt : tlb->*part, out, "this level of the TLB with these pages");
}

/// A single quantity of the node.
groma_status of_node(const groma_profile* profile, MaybeQuantity Facts::*part, groma_quantity* out,
                     const char* what) noexcept {
  if (profile == nullptr || out == nullptr) return null_argument();
  return hand_over(profile->content.facts().*part, out, what);
}

constexpr const char* kSharing = "which cores share the caches of this level";

groma_status sharing(const groma_profile* profile, int level, const std::vector<Group>** groups) noexcept {
  if (profile == nullptr) return null_argument();
  const Cache* cache = find_level(profile->content.facts(), level);
  if (cache == nullptr || !cache->shared_by) return not_measured(kSharing);
  *groups = &*cache->shared_by;
  return GROMA_OK;
}

/// The bandwidth of a contention group, which may list its cores in another order.
groma_status scaling(const groma_profile* profile, std::size_t group, const GroupScaling** out) noexcept {
  const Facts& facts = profile->content.facts();
  constexpr const char* kWhat = "the bandwidth of this contention group";
  if (!facts.contention_groups) return not_measured(kWhat);
  if (group >= facts.contention_groups->size()) {
    return fail(GROMA_BAD_ARGUMENT, "group %zu of %zu groups", group, facts.contention_groups->size());
  }
  const Group& cores = (*facts.contention_groups)[group];
  const auto found = std::ranges::find_if(
      facts.scaling, [&](const GroupScaling& one) { return std::ranges::is_permutation(one.cores, cores); });
  if (found == facts.scaling.end()) return not_measured(kWhat);
  *out = &*found;
  return GROMA_OK;
}

groma_status loaded_mix(const groma_profile* profile, std::size_t mix, const LoadedMix** out) noexcept {
  const auto& mixes = profile->content.facts().loaded;
  if (mixes.empty()) return not_measured("the latency of loaded memory");
  if (mix >= mixes.size()) return fail(GROMA_BAD_ARGUMENT, "mix %zu of %zu mixes", mix, mixes.size());
  *out = &mixes[mix];
  return GROMA_OK;
}

const Matrix* find_experiment(const Numa& numa, std::string_view name) {
  const std::size_t dot = std::min(name.find('.'), name.size());
  const std::string_view step = name.substr(std::min(dot + 1, name.size()));
  const auto is_it = [&](const NamedMatrix& one) {
    return one.name == name.substr(0, dot) && one.step == step;
  };
  const auto found = std::ranges::find_if(numa.experiments, is_it);
  return found == numa.experiments.end() ? nullptr : &found->entries;
}

const groma_quantity* find_time(const Numa& numa, const char* experiment, int owner, int reader) {
  const Matrix* matrix = find_experiment(numa, experiment);
  const auto row = index_of(numa.places, owner);
  const auto column = index_of(numa.places, reader);
  return matrix != nullptr && row && column ? matrix->find(*row, *column) : nullptr;
}

/// Of an experiment that was measured. The steps of the ping back share one.
std::optional<std::size_t> find_block(const Numa& numa, std::string_view experiment) {
  if (find_experiment(numa, experiment) == nullptr) return std::nullopt;
  const std::string_view name = experiment.substr(0, experiment.find('.'));
  const auto own = std::ranges::find(numa.block_of, name, [](const auto& one) { return one.first; });
  return own == numa.block_of.end() ? numa.block : own->second;
}

const groma_quantity* find_ratio(const Numa& numa, int owner, int reader) {
  const auto holds = [&](const DistanceClass& one) {
    return std::ranges::binary_search(one.pairs, std::pair(owner, reader));
  };
  const auto found = std::ranges::find_if(numa.classes, holds);
  return found == numa.classes.end() ? nullptr : &found->ratio;
}

std::optional<double> declared_distance(const Facts& facts, int node, int other) {
  const auto row = index_of(facts.declared_nodes, node);
  const auto column = index_of(facts.declared_nodes, other);
  if (!row || !column || *row >= facts.declared_distances.size()) return std::nullopt;
  const std::vector<double>& distances = facts.declared_distances[*row];
  if (*column >= distances.size() || std::isnan(distances[*column])) return std::nullopt;
  return distances[*column];
}

groma_status hand_over_found(const groma_quantity* found, groma_quantity* out, const char* what) noexcept {
  if (found == nullptr) return not_measured(what);
  *out = *found;
  return GROMA_OK;
}

}  // namespace
}  // namespace groma::profile

using namespace groma::profile;  // what follows is its C face

groma_status groma_core_count(const groma_profile* profile, size_t* count) {
  if (profile == nullptr || count == nullptr) return null_argument();
  const std::size_t cores = profile->content.facts().cores.size();
  if (cores == 0) return not_measured("the cores");
  *count = cores;
  return GROMA_OK;
}

groma_status groma_core(const groma_profile* profile, size_t index, groma_core_info* core) {
  if (profile == nullptr || core == nullptr) return null_argument();
  const auto& cores = profile->content.facts().cores;
  if (cores.empty()) return not_measured("the cores");
  if (index >= cores.size()) return fail(GROMA_BAD_ARGUMENT, "core %zu of %zu cores", index, cores.size());
  *core = cores[index];
  return GROMA_OK;
}

groma_status groma_core_frequency(const groma_profile* profile, groma_quantity* frequency) {
  return of_node(profile, &Facts::core_frequency, frequency, "the frequency of its cores");
}

groma_status groma_cache_count(const groma_profile* profile, size_t* levels) {
  if (profile == nullptr || levels == nullptr) return null_argument();
  if (profile->content.facts().caches.empty()) return not_measured("the caches");
  *levels = profile->content.facts().caches.size();
  return GROMA_OK;
}

groma_status groma_cache_size(const groma_profile* profile, int level, groma_quantity* size) {
  return of_cache(profile, level, &Cache::size, size, "the size of this level of cache");
}

groma_status groma_cache_latency(const groma_profile* profile, int level, groma_quantity* latency) {
  return of_cache(profile, level, &Cache::latency, latency, "the latency of this level of cache");
}

groma_status groma_cache_line(const groma_profile* profile, int level, groma_quantity* line) {
  return of_cache(profile, level, &Cache::line, line, "the line of this level of cache");
}

groma_status groma_cache_associativity(const groma_profile* profile, int level, groma_quantity* ways) {
  return of_cache(profile, level, &Cache::associativity, ways, "the associativity of this level of cache");
}

groma_status groma_cache_group_count(const groma_profile* profile, int level, size_t* groups) {
  if (groups == nullptr) return null_argument();
  const std::vector<Group>* found = nullptr;
  const groma_status status = sharing(profile, level, &found);
  if (status == GROMA_OK) *groups = found->size();
  return status;
}

groma_status groma_cache_group(const groma_profile* profile, int level, size_t group,
                               groma_core_list* cores) {
  if (profile == nullptr || cores == nullptr) return null_argument();
  const Cache* cache = find_level(profile->content.facts(), level);
  return cache == nullptr ? not_measured(kSharing)
                          : hand_over_group(cache->shared_by, group, cores, kSharing);
}

groma_status groma_cache_sharers(const groma_profile* profile, int level, int core, groma_core_list* cores) {
  if (cores == nullptr) return null_argument();
  const std::vector<Group>* groups = nullptr;
  if (const groma_status status = sharing(profile, level, &groups); status != GROMA_OK) return status;
  const auto found =
      std::ranges::find_if(*groups, [&](const Group& group) { return index_of(group, core).has_value(); });
  if (found == groups->end()) return not_measured("a cache of this level at this core");
  *cores = as_list(*found);
  return GROMA_OK;
}

groma_status groma_tlb_reach(const groma_profile* profile, int level, size_t page, groma_quantity* reach) {
  return of_tlb(profile, level, page, &Tlb::reach, reach);
}

groma_status groma_tlb_miss_cost(const groma_profile* profile, int level, size_t page, groma_quantity* cost) {
  return of_tlb(profile, level, page, &Tlb::miss_cost, cost);
}

groma_status groma_memory_latency(const groma_profile* profile, groma_quantity* latency) {
  return of_node(profile, &Facts::memory_latency, latency, "the latency of memory");
}

groma_status groma_memory_bandwidth(const groma_profile* profile, const char* kernel, size_t cores,
                                    groma_quantity* bandwidth) {
  if (profile == nullptr || kernel == nullptr || bandwidth == nullptr) return null_argument();
  if (cores == 0) return fail(GROMA_BAD_ARGUMENT, "0 cores have no bandwidth");
  const auto& kernels = profile->content.facts().kernels;
  const auto found = std::ranges::find(kernels, std::string_view(kernel), &Kernel::name);
  return hand_over(
      found == kernels.end() ? std::nullopt : interpolated(found->bandwidth, static_cast<double>(cores)),
      bandwidth, "the bandwidth of this kernel on that many cores");
}

groma_status groma_memory_contention_group_count(const groma_profile* profile, size_t* groups) {
  if (profile == nullptr || groups == nullptr) return null_argument();
  const Groups& found = profile->content.facts().contention_groups;
  if (!found) return not_measured("which cores contend for memory");
  *groups = found->size();
  return GROMA_OK;
}

groma_status groma_memory_contention_group(const groma_profile* profile, size_t group,
                                           groma_core_list* cores) {
  if (profile == nullptr || cores == nullptr) return null_argument();
  return hand_over_group(profile->content.facts().contention_groups, group, cores,
                         "which cores contend for memory");
}

groma_status groma_memory_group_bandwidth(const groma_profile* profile, size_t group, size_t cores,
                                          groma_quantity* bandwidth) {
  if (profile == nullptr || bandwidth == nullptr) return null_argument();
  if (cores == 0) return fail(GROMA_BAD_ARGUMENT, "0 cores have no bandwidth");
  const GroupScaling* found = nullptr;
  if (const groma_status status = scaling(profile, group, &found); status != GROMA_OK) return status;
  return hand_over(interpolated(found->bandwidth, static_cast<double>(cores)), bandwidth,
                   "the bandwidth of that many cores of this group");
}

groma_status groma_memory_group_saturates_at(const groma_profile* profile, size_t group, size_t* cores) {
  if (profile == nullptr || cores == nullptr) return null_argument();
  const GroupScaling* found = nullptr;
  if (const groma_status status = scaling(profile, group, &found); status != GROMA_OK) return status;
  return hand_over(found->saturates_at, cores, "how many cores of this group fill its memory");
}

groma_status groma_memory_read_fraction_count(const groma_profile* profile, size_t* mixes) {
  if (profile == nullptr || mixes == nullptr) return null_argument();
  const std::size_t found = profile->content.facts().loaded.size();
  if (found == 0) return not_measured("the latency of loaded memory");
  *mixes = found;
  return GROMA_OK;
}

groma_status groma_memory_read_fraction(const groma_profile* profile, size_t mix, double* fraction) {
  if (profile == nullptr || fraction == nullptr) return null_argument();
  const LoadedMix* found = nullptr;
  if (const groma_status status = loaded_mix(profile, mix, &found); status != GROMA_OK) return status;
  *fraction = found->read_fraction;
  return GROMA_OK;
}

groma_status groma_memory_loaded_latency(const groma_profile* profile, size_t mix, double bandwidth,
                                         groma_quantity* latency) {
  if (profile == nullptr || latency == nullptr) return null_argument();
  if (!(bandwidth >= 0.0)) return fail(GROMA_BAD_ARGUMENT, "a bandwidth is at least 0 B/s");
  const LoadedMix* found = nullptr;
  if (const groma_status status = loaded_mix(profile, mix, &found); status != GROMA_OK) return status;
  return hand_over(interpolated_from_first(found->latency, bandwidth), latency,
                   "the latency under that much load");
}

groma_status groma_numa_places(const groma_profile* profile, const char** over, groma_core_list* places) {
  if (profile == nullptr) return null_argument();
  const Numa& numa = profile->content.facts().numa;
  if (numa.over == nullptr || numa.places.empty()) return not_measured("NUMA experiments");
  if (over != nullptr) *over = numa.over;
  if (places != nullptr) *places = as_list(numa.places);
  return GROMA_OK;
}

groma_status groma_numa_time(const groma_profile* profile, const char* experiment, int owner, int reader,
                             groma_quantity* time) {
  if (profile == nullptr || experiment == nullptr || time == nullptr) return null_argument();
  return hand_over_found(find_time(profile->content.facts().numa, experiment, owner, reader), time,
                         "the time of this experiment for this owner and reader");
}

groma_status groma_numa_block(const groma_profile* profile, const char* experiment, size_t* bytes) {
  if (profile == nullptr || experiment == nullptr || bytes == nullptr) return null_argument();
  return hand_over(find_block(profile->content.facts().numa, experiment), bytes,
                   "the block of this experiment");
}

groma_status groma_numa_ratio(const groma_profile* profile, int owner, int reader, groma_quantity* ratio) {
  if (profile == nullptr || ratio == nullptr) return null_argument();
  return hand_over_found(find_ratio(profile->content.facts().numa, owner, reader), ratio,
                         "the distance class of this owner and reader");
}

groma_status groma_numa_declared_distance(const groma_profile* profile, int node, int other,
                                          double* distance) {
  if (profile == nullptr || distance == nullptr) return null_argument();
  return hand_over(declared_distance(profile->content.facts(), node, other), distance,
                   "a declared distance of these NUMA nodes");
}

groma_status groma_core_to_core_latency(const groma_profile* profile, int core, int other,
                                        groma_quantity* latency) {
  if (profile == nullptr || latency == nullptr) return null_argument();
  if (core == other) return fail(GROMA_BAD_ARGUMENT, "a line does not pass from core %d to itself", core);
  const CoreToCore& facts = profile->content.facts().core_to_core;
  const auto row = index_of(facts.cores, core);
  const auto column = index_of(facts.cores, other);
  return hand_over_found(row && column ? facts.latency.find_either(*row, *column) : nullptr, latency,
                         "the latency between these cores");
}
