#include "survey/stream_bench.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/topology_queries.hpp"
#include "survey/beyond_cache.hpp"

namespace groma::survey {
namespace {

constexpr Bytes kMinRing = 4_MiB;
/// Takes some microseconds at what the fastest core reads.
constexpr Bytes kMinSlice = 64_KiB;
/// A median of fewer rounds would show one moment of the machine only.
constexpr std::uint32_t kMinRounds = 20;

}  // namespace

Result<StreamBench> StreamBench::prepare(const Context& context, std::vector<LogicalCore> cores,
                                         std::string_view measured) {
  if (cores.empty()) {
    return Error{"probe.needs_cores", "the system names no core that this process may use",
                 "check the cpuset"};
  }
  const std::string count = std::to_string(cores.size()) + (cores.size() == 1 ? " core" : " cores");
  const std::string name = std::string(measured) + " on " + count;
  if (const Bytes needed = kMinRing * (4 * cores.size()); context.memory < needed) {
    return too_little_memory(name, needed, context.memory);
  }
  const Bytes ring = context.parameters.bytes(kStreamMemory.name) / cores.size();
  Result<StreamMemory> memory = StreamMemory::place(context.topology, cores, ring, context.memory);
  if (!memory) return Error{memory.error().code, name + ": " + memory.error().what, memory.error().next};
  return StreamBench(context, std::move(cores), std::move(memory).value());
}

std::vector<Streamer> StreamBench::streamers(std::span<const LogicalCore> active) {
  return memory_.streamers(active, context_->topology);
}

Result<std::vector<Choice>> StreamBench::choose(std::span<const StreamKernel* const> kernels,
                                                std::string_view isa) {
  const std::array first = {cores_.front()};
  const auto variants = choose_variants(kernels, isa, streamers(first).front());
  if (!variants) return variants.error();
  std::vector<Choice> choices;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (variants.value()[i] != nullptr) choices.push_back({kernels[i], variants.value()[i]});
  }
  if (choices.empty()) {
    return Error{"usage", "no kernel has instructions '" + std::string(isa) + "' on this processor",
                 "leave isa=auto"};
  }
  return choices;
}

SamplingRule StreamBench::rule() const {
  SamplingRule rule = context_->parameters.rule();
  rule.quantile = 0.5;
  rule.min_rounds = kMinRounds;
  return rule;
}

std::vector<LogicalCore> allowed_cores(const Topology& topology) {
  return spread_order(topology.allowed, topology);
}

Result<Bytes> asked_slice(const Parameters& parameters) {
  const Bytes asked = parameters.bytes("slice");
  if (asked >= kMinSlice) return asked;
  return Error{"usage", "parameter slice takes " + std::to_string(kMinSlice.value()) + " B at least",
               "a shorter pass times its own begin and end: use more rounds instead"};
}

Bytes counted_bytes(const TimedStream& timed, std::span<const Streamer> streamers) {
  return counted_bytes(timed.slice, timed.stream.kernel) * streamers.size();
}

void record_passes(Recorder& recorder, std::size_t which, Bytes bytes, std::span<const PassTime> passes) {
  const bool stands_in = recorder.round() == 0 && std::ranges::all_of(passes, &PassTime::disturbed);
  const auto quickest = std::ranges::min_element(passes, {}, &PassTime::elapsed);
  for (auto pass = passes.begin(); pass != passes.end(); ++pass) {
    if (!pass->disturbed || (stands_in && pass == quickest)) {
      recorder.sample(which, (bytes / pass->elapsed).value());
    } else {
      recorder.discard();
    }
  }
}

}  // namespace groma::survey
