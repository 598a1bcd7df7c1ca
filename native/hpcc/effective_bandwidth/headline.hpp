// Computes the headline values of the suite from the samples of one round (HPCC 1.5.0). Pure functions.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "hpcc/benchmark.hpp"
#include "hpcc/effective_bandwidth/patterns.hpp"

namespace groma::hpcc {

/// One key of the summary: the time of a message, or its bytes per time.
struct Headline {
  std::string_view key;
  std::string_view series;
  std::string_view unit;
  double scale;  ///< from SI to the unit of the key
};

constexpr std::size_t kHeadlines = 10;
/// In the order of the summary.
const std::array<Headline, kHeadlines>& headlines();

using HeadlineValues = std::array<double, kHeadlines>;

/// `decisive` has the time of one message of each slot: of the client, or the largest over the ranks of a
/// ring, each rank with the faster way to exchange (stored in the slots of kSendReceive). The best repeat of
/// each pair or ring counts; then least, mean and largest over the pairs, and the geometric mean over random
/// rings. Values in SI units, in the order of headlines(). A time of NaN was not measured, and a value is NaN
/// where nothing of its kind was.
HeadlineValues headlines_of(const std::vector<Pattern>& patterns, const std::vector<double>& decisive,
                            BufferState buffers);

/// The fastest and the slowest random ring: what the geometric mean hides. Best repeats, in seconds.
struct RingSpread {
  double fastest;
  double slowest;
};
RingSpread random_ring_spread(const std::vector<Pattern>& patterns, const std::vector<double>& decisive,
                              std::uint64_t bytes);

/// How many pairs and random rings of each size have a time.
struct Coverage {
  std::size_t latency_pairs;
  std::size_t bandwidth_pairs;
  std::size_t latency_rings;
  std::size_t bandwidth_rings;

  bool operator==(const Coverage&) const = default;
};
Coverage coverage_of(const std::vector<Pattern>& patterns, const std::vector<double>& decisive);

/// Medians over the rounds that have the value; -1 where none has.
std::vector<SummaryEntry> summary_of(const std::vector<HeadlineValues>& rounds);

}  // namespace groma::hpcc
