// What the memory probes share: cores in the order of use, their rings, the kernels in the variant that is
// fastest here.
#pragma once

#include <string_view>
#include <vector>

#include "survey/probe.hpp"
#include "survey/stream_team.hpp"

namespace groma::survey {

/// A kernel and the variant that was fastest on one core.
struct Choice {
  const StreamKernel* kernel;
  const StreamVariant* variant;
  [[nodiscard]] KernelPass pass() const { return {*kernel, variant->pass}; }
};

inline constexpr Parameter kStreamMemory = {
    "memory",
    "0",
    "0",
    "0",
    "bytes of all arrays together; 0 takes four times the last-level cache for each core, or twice at least",
    "bytes"};

class StreamBench {
 public:
  /// Rings for the `cores` as StreamMemory::place() makes them, of the size that kStreamMemory asks for.
  /// Errors where there is no core or too little memory for what is `measured`.
  static Result<StreamBench> prepare(const Context& context, std::vector<LogicalCore> cores,
                                     std::string_view measured);

  [[nodiscard]] const Context& context() const { return *context_; }
  [[nodiscard]] const std::vector<LogicalCore>& cores() const { return cores_; }
  [[nodiscard]] Bytes ring_size() const { return memory_.ring_size(); }

  /// Threads that run at once on some of the cores.
  [[nodiscard]] std::vector<Streamer> streamers(std::span<const LogicalCore> active);

  /// The kernels that have a variant of `isa` ("auto": any), tried on the first core.
  [[nodiscard]] Result<std::vector<Choice>> choose(std::span<const StreamKernel* const> kernels,
                                                   std::string_view isa);

  /// The probe's rule for medians.
  [[nodiscard]] SamplingRule rule() const;

 private:
  StreamBench(const Context& context, std::vector<LogicalCore> cores, StreamMemory memory)
      : context_(&context), cores_(std::move(cores)), memory_(std::move(memory)) {}

  const Context* context_;
  std::vector<LogicalCore> cores_;
  StreamMemory memory_;
};

/// The allowed cores in spread_order().
std::vector<LogicalCore> allowed_cores(const Topology& topology);

/// The parameter `slice`: an error where a pass would time its own begin and end and not the memory.
Result<Bytes> asked_slice(const Parameters& parameters);

/// What `streamers` together count for in one pass.
Bytes counted_bytes(const TimedStream& timed, std::span<const Streamer> streamers);

/// Samples the bandwidth of each pass over `bytes` in which every thread kept its core, and discards the
/// others. Where all of the first round were disturbed, the quickest stands in, so that every case has a
/// sample.
void record_passes(Recorder& recorder, std::size_t which, Bytes bytes, std::span<const PassTime> passes);

}  // namespace groma::survey
