#include "survey/numa_bench.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "survey/beyond_cache.hpp"

namespace groma::survey {
namespace {

constexpr Bytes kMinBlock = 1_MiB;

/// Cells whose reads are timed before the plan is made.
constexpr std::size_t kTimedCells = 12;
constexpr Bytes kShortPart = 64_KiB;
constexpr Bytes kLongPart = 1_MiB;

/// The line through the times of short and long reads.
ReadCost line_through(Seconds at_short, Seconds at_long, Seconds scattered, Bytes longer) {
  const auto bytes = static_cast<double>((longer - kShortPart).value());
  const double each = std::max(((at_long - at_short) / Seconds(1.0)) / bytes, 0.0);
  const double fixed = at_short.value() - each * static_cast<double>(kShortPart.value());
  const double at_random = (scattered.value() - fixed) / static_cast<double>(longer.value());
  return {Seconds(std::max(fixed, 0.0)), each, std::max(at_random, each)};
}

}  // namespace

NumaBench::NumaBench(const Context& context, Places places)
    : context_(&context),
      places_(std::move(places)),
      last_level_(context.topology.last_level_cache()),
      of_system_(context.place_memory == nullptr ? system_memory() : nullptr),
      memory_(of_system_ ? of_system_.get() : context.place_memory) {}

Result<NumaBench> NumaBench::prepare(const Context& context) {
  if (context.topology.allowed.empty()) {
    return Error{"probe.no_topology", "the system does not say which cores may be used",
                 "make /sys/devices/system/cpu and sched_getaffinity available"};
  }
  const std::string& over = context.parameters.text("over");
  const std::optional<Over> chosen = over_named(over);
  if (!chosen) return Error{"usage", "over=" + over + " is no kind of place", "use auto, cores or nodes"};
  return NumaBench(context, choose_places(context.topology, *chosen, context.parameters.count("most_cores")));
}

Result<Bytes> NumaBench::block_size(std::size_t blocks, std::uint32_t sharing) const {
  if (parameters().bytes("most_block") < kMinBlock) {
    return Error{"usage", "parameter most_block takes " + std::to_string(kMinBlock.value()) + " B at least",
                 "use " + in_mib(kMinBlock) + " or more"};
  }
  const Bytes most(std::bit_floor(std::max<std::uint64_t>(parameters().bytes("most_block").value(), 1)));
  const Bytes size = choose_block_size(last_level_, most, context_->memory, blocks, sharing);
  if (size < kMinBlock) {
    return too_little_memory("a block for each of " + std::to_string(blocks) + " places",
                             kMinBlock * (4 * blocks), context_->memory);
  }
  return size;
}

Bytes NumaBench::beyond_cache() const {
  return last_level_.value_or(kUndeclaredCache) * kMinTimesCache;
}

std::vector<Pair> NumaBench::cells(Own own, std::size_t most) const {
  return choose_cells(places_, context_->topology, own, most, parameters().count("seed"));
}

Result<Seconds> NumaBench::timed_read(const PartRead& part) {
  return timed([&]() -> Status {
    const Result<Seconds> read = memory_->read(part);
    if (!read) return read.error();
    return Done{};
  });
}

Result<ReadCost> NumaBench::read_cost(Bytes block) {
  const Bytes longer = std::min(kLongPart, block);
  const std::vector<Pair> timed = cells(Own::kIncluded, kTimedCells);
  std::vector<Seconds> sums(3);
  for (const Pair& cell : timed) {
    PartRead part{places_.list[cell.second].cpu, BlockSet::kKept, cell.first, Bytes(0), kShortPart};
    for (std::size_t way = 0; way < sums.size(); ++way) {
      const Result<Seconds> time = timed_read(part);
      if (!time) return time.error();
      sums[way] = sums[way] + time.value();
      part.bytes = longer;
      // Elsewhere, or a cache would have what was just read.
      part.begin = way == 1 && block >= longer * 2 ? longer : Bytes(0);
      part.order = way == 1 ? ReadOrder::kScattered : ReadOrder::kSequential;
    }
  }
  const auto count = static_cast<double>(timed.size());
  return line_through(sums[0] / count, sums[1] / count, sums[2] / count, longer);
}

Seconds NumaBench::time_left() const {
  return std::max(context_->started + budget() - context_->clock.now(), budget() / 3.0);
}

bool NumaBench::is_over() const {
  const Seconds granted =
      std::max(context_->started + budget(), prepared_.value_or(context_->started) + budget() / 3.0);
  return context_->cancelled.load(std::memory_order_relaxed) || context_->clock.now() >= granted;
}

Case NumaBench::describe(std::string_view measure, PartSize size) const {
  return Case("s")
      .with("measure", measure)
      .with("over", places_.over)
      .with("block_bytes", size.part.value())
      .with("over_last_level", last_level_ ? Json(static_cast<double>(size.reused.value()) /
                                                  static_cast<double>(last_level_->value()))
                                           : Json::null());
}

Status NumaBench::sample(const std::vector<Case>& cases, std::span<const Task> tasks) {
  SamplingRule rule = parameters().rule();
  rule.quantile = 0.5;
  prepared_ = context_->clock.now();
  context_->sample(cases, tasks, rule);
  return failures_.status();
}

std::vector<Parameter> with_numa_parameters(std::vector<Parameter> own, Parameter most_block) {
  most_block.type = "bytes>=1048576";
  own.push_back(most_block);
  own.push_back({"over", "auto", "auto", "auto",
                 "places: cores, nodes (NUMA nodes), or auto, which takes nodes on more than 64 cores",
                 "auto|cores|nodes"});
  own.push_back({"most_cores", "16", "64", "64", "largest number of cores if over=auto"});
  return own;
}

}  // namespace groma::survey
