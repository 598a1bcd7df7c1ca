#include "survey/numa_places.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include "base/affinity.hpp"
#include "base/team.hpp"
#include "base/topology_queries.hpp"
#include "survey/beyond_cache.hpp"

namespace groma::survey {
namespace {

constexpr Bytes kSmallestBlock = 1_MiB;
constexpr std::uint32_t kFirst = 1;

std::vector<NumaPlace> places_on(const std::vector<LogicalCore>& cores, const Topology& topology) {
  std::vector<NumaPlace> list;
  for (const LogicalCore logical : cores) {
    const TopologyCore& core = topology.cores.at(logical.number());
    list.push_back({logical.number(), core.physical, core.numa});
  }
  return list;
}

/// One hardware thread per physical core, or all of them if that would leave one only.
std::vector<LogicalCore> distinct_cores(const Topology& topology) {
  const std::vector<LogicalCore> distinct = one_core_per(Place::kCore, topology);
  return distinct.size() >= 2 ? distinct : topology.allowed;
}

template <class T>
std::vector<T> evenly_chosen(const std::vector<T>& items, std::size_t most) {
  if (items.size() <= most) return items;
  std::vector<T> chosen;
  for (std::size_t i = 0; i < most; ++i) chosen.push_back(items[i * items.size() / most]);
  return chosen;
}

double declared_distance(const Topology& topology, const NumaPlace& owner, const NumaPlace& reader) {
  const std::size_t from = owner.numa.number();
  const std::size_t to = reader.numa.number();
  return from < topology.distances.size() ? topology.distances[from].at(to) : 0.0;
}

}  // namespace

std::vector<std::uint32_t> Places::indexes() const {
  std::vector<std::uint32_t> all(list.size());
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

std::vector<PhysicalCore> Places::cpus(const std::vector<std::uint32_t>& indexes) const {
  std::vector<PhysicalCore> chosen;
  for (const std::uint32_t index : indexes) chosen.push_back(list.at(index).cpu);
  return chosen;
}

Places choose_places(const Topology& topology, std::size_t most_cores) {
  Places places{"numa", places_on(one_core_per(Place::kNuma, topology), topology)};
  if (places.list.size() >= 2) {
    for (NumaPlace& place : places.list) place.id = place.numa.number();
    std::ranges::sort(places.list, {}, &NumaPlace::id);
    return places;
  }
  const std::size_t most = std::max<std::size_t>(most_cores, 1);
  return {"cores", places_on(evenly_chosen(distinct_cores(topology), most), topology)};
}

std::vector<Pair> choose_cells(const Places& places, const Topology& topology, Own own, std::size_t most,
                               std::uint64_t seed) {
  std::vector<Pair> all = ordered_pairs(places.count());
  if (own == Own::kExcluded) std::erase_if(all, [](const Pair& cell) { return cell.first == cell.second; });
  if (all.size() <= most) return all;
  std::map<std::pair<bool, double>, std::vector<Pair>> by_distance;
  for (const Pair& cell : all) {
    const double distance = declared_distance(topology, places.list[cell.first], places.list[cell.second]);
    by_distance[{cell.first != cell.second, distance}].push_back(cell);
  }
  std::vector<std::vector<Pair>> classes = {std::move(all)};
  for (auto& [distance, cells] : by_distance) classes.push_back(std::move(cells));
  return spread_over_classes(classes, most, RandomStream(seed));
}

std::size_t affordable_cells(Bytes block, double blocks_per_cell, Seconds budget) {
  constexpr double kSlowBytesPerSecond = 4e9;
  const Seconds cell(blocks_per_cell * static_cast<double>(block.value()) / kSlowBytesPerSecond);
  return std::max<std::size_t>(static_cast<std::size_t>(budget / (cell * 2.0)), 4);
}

std::vector<std::uint32_t> choose_shifts(std::uint32_t places, std::size_t most, std::uint64_t seed) {
  std::set<std::uint32_t> shifts = {0};
  for (std::uint32_t shift = 1; shift < places && shifts.size() < most; shift *= 2) shifts.insert(shift);
  RandomStream random(seed);
  const std::size_t wanted = std::min<std::size_t>(places, std::max<std::size_t>(most, 1));
  while (shifts.size() < wanted) shifts.insert(static_cast<std::uint32_t>(random.below(places)));
  return {shifts.begin(), shifts.end()};
}

Bytes choose_block_size(std::optional<Bytes> last_level, Bytes most, Bytes memory, std::size_t blocks) {
  const Bytes beyond_cache(std::bit_ceil(last_level.value_or(Bytes(0)).value() * 2));
  const Bytes wanted = std::clamp(beyond_cache, most / 4, most);
  const Bytes affordable = memory / (4 * std::max<std::size_t>(blocks, 1));
  return Bytes(std::bit_floor(std::min(wanted, affordable).value()));
}

NumaBench::NumaBench(const Context& context, Places places, Bytes block_size)
    : context_(context), places_(std::move(places)), block_size_(block_size) {}

Result<NumaBench> NumaBench::prepare(const Context& context) {
  if (context.topology.allowed.empty()) {
    return Error{"probe.no_topology", "the system does not say which cores may be used",
                 "make /sys/devices/system/cpu and sched_getaffinity available"};
  }
  Places places = choose_places(context.topology, context.parameters.count("most_cores"));
  const Bytes most(std::bit_floor(std::max<std::uint64_t>(context.parameters.count("most_block"), 1)));
  // Two sets of blocks at most are alive at once; every experiment has blocks of the same size, so that
  // their times can be compared.
  const Bytes size =
      choose_block_size(context.topology.last_level_cache(), most, context.memory, 2 * places.list.size());
  if (size < kSmallestBlock) {
    return too_little_memory("a block for each of " + std::to_string(places.count()) + " NUMA places",
                             kSmallestBlock * (8 * places.list.size()), context.memory);
  }
  return NumaBench(context, std::move(places), size);
}

std::vector<Pair> NumaBench::cells(Own own, double blocks_per_cell) const {
  return choose_cells(places_, context_.topology, own,
                      affordable_cells(block_size_, blocks_per_cell, budget()),
                      context_.parameters.count("seed"));
}

bool NumaBench::is_over() const {
  const Seconds granted =
      std::max(context_.started + budget(), prepared_.value_or(context_.started) + budget() / 3.0);
  return context_.cancelled.load(std::memory_order_relaxed) || context_.clock.now() >= granted;
}

Case NumaBench::describe(std::string_view measure) const {
  const std::optional<Bytes> cache = context_.topology.last_level_cache();
  return Case("s")
      .with("measure", measure)
      .with("over", places_.over)
      .with("block_bytes", block_size_.value())
      .with("over_last_level",
            cache ? Json(static_cast<double>(block_size_.value()) / static_cast<double>(cache->value()))
                  : Json::null());
}

void NumaBench::write(const Block& block) {
  write_sequence(block.as<std::uint32_t>(), kFirst);
}

Result<Block> NumaBench::written_block() const {
  Result<Block> block = Block::map(block_size_, PageMode::kHuge);
  if (block) write(block.value());
  return block;
}

Result<std::vector<Block>> NumaBench::written_blocks(const std::vector<std::uint32_t>& owners) const {
  std::vector<std::optional<Result<Block>>> written(owners.size());
  const Status status = run_team(places_.cpus(owners),
                                 [&](const TeamMember& member) { written[member.index] = written_block(); });
  if (!status) return status.error();
  std::vector<Block> blocks;
  for (auto& one : written) {
    if (!*one) return one->error();
    blocks.push_back(std::move(*one).value());
  }
  return blocks;
}

Seconds NumaBench::checked(const BlockRead& read) {
  if (read.sum != expected_sum(block_size_.value() / sizeof(std::uint32_t), kFirst)) {
    failures_.note(Error{"probe.wrong_data", "a block did not hold what was written to it",
                         "check this machine's memory"});
  }
  return read.time;
}

Seconds NumaBench::read(const Block& block) {
  return checked(read_in_sequence(block.as<const std::uint32_t>()));
}

Seconds NumaBench::read_randomly(const Block& block, std::uint64_t seed) {
  return checked(read_scattered(block.as<const std::uint32_t>(), seed));
}

bool NumaBench::move_to(std::uint32_t place) {
  const Status pinned = pin_this_thread(places_.list.at(place).cpu);
  failures_.note(pinned);
  return static_cast<bool>(pinned);
}

Status NumaBench::sample(const std::vector<Case>& cases, std::span<const Task> tasks) {
  SamplingRule rule = context_.parameters.rule();
  rule.quantile = 0.5;
  prepared_ = context_.clock.now();
  context_.sample(cases, tasks, rule);
  return failures_.status();
}

std::optional<std::uint32_t> home_of(const std::byte* address) {
  void* page = const_cast<std::byte*>(address);
  int node = -1;
  // With no target nodes the call moves nothing and only reports.
  if (syscall(SYS_move_pages, 0, 1UL, &page, nullptr, &node, 0) != 0 || node < 0) return std::nullopt;
  return static_cast<std::uint32_t>(node);
}

std::vector<Parameter> with_numa_parameters(std::vector<Parameter> own, Parameter most_block) {
  own.push_back(most_block);
  own.push_back({"most_cores", "8", "16", "64", "largest number of cores where there is one NUMA node only"});
  return own;
}

}  // namespace groma::survey
