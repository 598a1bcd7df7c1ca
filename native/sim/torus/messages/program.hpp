// What a rank does: steps that send, receive, wait and compute. Workloads of messages are such data.
#pragma once

#include <cstdint>
#include <vector>

namespace groma::sim::torus {

using Rank = std::uint32_t;
inline constexpr Rank kAnyRank = 0xFFFFFFFF;
inline constexpr std::int32_t kAnyTag = -1;

/// Whether a receive takes a message; any tag stands for those of the program, not for those below 0 of
/// collectives.
constexpr bool matches(Rank from, std::int32_t tag, Rank wanted_from, std::int32_t wanted_tag) {
  const bool has_tag = wanted_tag == kAnyTag ? tag >= 0 : wanted_tag == tag;
  return has_tag && (wanted_from == kAnyRank || wanted_from == from);
}

/// Which way a message goes where both directions of a dimension are equally long.
enum class Ties : std::uint8_t { kRandom, kUp, kDown };

enum class Action : std::uint8_t {
  kSend,     ///< starts a send
  kReceive,  ///< starts a receive
  kWait,     ///< until one request is complete
  kWaitAll,  ///< until all requests so far are complete
  kCompute,
  kBegin,  ///< starts a strand
};

using RequestId = std::uint32_t;  ///< sends and receives of a rank, in the order in which they start

struct Step {
  Action action = Action::kCompute;
  Ties ties = Ties::kRandom;
  Rank peer = kAnyRank;
  std::int32_t tag = 0;
  RequestId request = 0;
  std::uint64_t bytes = 0;
  double cycles = 0.0;       ///< of kCompute
  std::uint32_t strand = 0;  ///< of kBegin
};

/// Steps in order, and strands: steps that go on by themselves beside the program once it has begun them, as
/// non-blocking collectives do.
class Program {
 public:
  RequestId send(Rank to, std::uint64_t bytes, std::int32_t tag = 0, Ties ties = Ties::kRandom) {
    return add({Action::kSend, ties, to, tag, requests_++, bytes, 0.0});
  }
  RequestId receive(Rank from, std::int32_t tag = 0) {
    return add({Action::kReceive, Ties::kRandom, from, tag, requests_++, 0, 0.0});
  }
  void wait(RequestId request) { add({Action::kWait, Ties::kRandom, kAnyRank, 0, request, 0, 0.0}); }
  /// Not within a strand.
  void wait_all() { add({Action::kWaitAll, Ties::kRandom, kAnyRank, 0, 0, 0, 0.0}); }
  void compute(double cycles) { add({Action::kCompute, Ties::kRandom, kAnyRank, 0, 0, 0, cycles}); }
  /// What is added until end_strand() belongs to a strand. The request is complete when its last step is.
  RequestId begin_strand() {
    const auto number = static_cast<std::uint32_t>(strands_.size());
    const RequestId request = add({Action::kBegin, Ties::kRandom, kAnyRank, 0, requests_++, 0, 0.0, number});
    strands_.emplace_back();
    in_strand_ = true;
    return request;
  }
  void end_strand() { in_strand_ = false; }

  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
  [[nodiscard]] const std::vector<std::vector<Step>>& strands() const { return strands_; }
  [[nodiscard]] RequestId requests() const { return requests_; }

 private:
  RequestId add(const Step& step) {
    (in_strand_ ? strands_.back() : steps_).push_back(step);
    return step.request;
  }

  std::vector<Step> steps_;
  std::vector<std::vector<Step>> strands_;
  bool in_strand_ = false;
  RequestId requests_ = 0;
};

}  // namespace groma::sim::torus
