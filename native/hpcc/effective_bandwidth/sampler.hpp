// Takes one sample of one pattern: from a barrier, warm-up apart, first and last byte of every message
// checked as it arrives, all bytes after the clock has stopped.
#pragma once

#include <vector>

#include "base/clock.hpp"
#include "hpcc/effective_bandwidth/messages.hpp"
#include "hpcc/routes.hpp"
#include "mpi/communicator.hpp"

namespace groma::hpcc {

/// What one rank measured of a sample. Times are those of one message: half an iteration.
struct RankSample {
  bool took_part = false;
  Seconds start;  ///< of the timed iterations, by the own clock
  Seconds warm_up;
  Seconds time;
  std::uint64_t wrong = 0;  ///< messages or bytes that arrived otherwise than sent
};

/// Where the routes of patterns lead.
struct Routes {
  std::vector<RankPair> pairs;
  std::vector<Neighbours> rings;  ///< of this rank
};

class Sampler {
 public:
  Sampler(const mpi::Communicator& all, const Clock& clock, Messages messages)
      : all_(all), clock_(clock), messages_(std::move(messages)) {}

  /// Collective: samples of all ranks have the same number.
  RankSample sample(const Pattern& pattern, const Routes& routes, std::uint64_t number);

 private:
  RankSample ping_pong(const Pattern& pattern, const RankPair& pair, std::uint64_t number);
  RankSample ring(const Pattern& pattern, const Neighbours& neighbours, std::uint64_t number);
  template <class Step>
  RankSample time_steps(const Pattern& pattern, Step step);
  void fill_set(const Pattern& pattern, std::uint64_t number);

  const mpi::Communicator& all_;
  const Clock& clock_;
  Messages messages_;
  std::uint64_t iterations_ = 0;  ///< done so far by this rank, so that buffers go on rotating
};

}  // namespace groma::hpcc
