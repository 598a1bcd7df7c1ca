// What a rank does: steps that send, receive, wait and compute. Workloads of messages are such data.
#pragma once

#include <cstdint>
#include <vector>

namespace groma::sim::torus {

using Rank = std::uint32_t;
inline constexpr Rank kAnyRank = 0xFFFFFFFF;
inline constexpr std::int32_t kAnyTag = -1;

/// Which way a message goes where both directions of a dimension are equally long.
enum class Ties : std::uint8_t { kRandom, kUp, kDown };

enum class Action : std::uint8_t {
  kSend,     ///< starts a send
  kReceive,  ///< starts a receive
  kWait,     ///< until one request is complete
  kWaitAll,  ///< until all requests so far are complete
  kCompute,
};

using RequestId = std::uint32_t;  ///< sends and receives of a rank, in the order in which they start

struct Step {
  Action action = Action::kCompute;
  Ties ties = Ties::kRandom;
  Rank peer = kAnyRank;
  std::int32_t tag = 0;
  RequestId request = 0;
  std::uint64_t bytes = 0;
  double cycles = 0.0;  ///< of kCompute
};

class Program {
 public:
  RequestId send(Rank to, std::uint64_t bytes, std::int32_t tag = 0, Ties ties = Ties::kRandom) {
    steps_.push_back({Action::kSend, ties, to, tag, requests_, bytes, 0.0});
    return requests_++;
  }
  RequestId receive(Rank from, std::int32_t tag = 0) {
    steps_.push_back({Action::kReceive, Ties::kRandom, from, tag, requests_, 0, 0.0});
    return requests_++;
  }
  void wait(RequestId request) {
    steps_.push_back({Action::kWait, Ties::kRandom, kAnyRank, 0, request, 0, 0.0});
  }
  void wait_all() { steps_.push_back({Action::kWaitAll, Ties::kRandom, kAnyRank, 0, 0, 0, 0.0}); }
  void compute(double cycles) {
    steps_.push_back({Action::kCompute, Ties::kRandom, kAnyRank, 0, 0, 0, cycles});
  }

  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
  [[nodiscard]] RequestId requests() const { return requests_; }

 private:
  std::vector<Step> steps_;
  RequestId requests_ = 0;
};

}  // namespace groma::sim::torus
