// Latency of pairs of ranks: what is the same whether one pair is measured at a time or many.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mpi/token_scheduler.hpp"
#include "survey/network/buffers.hpp"
#include "survey/network/rounds.hpp"

namespace groma::survey::network {

/// Two ranks, the first of which leads: it sends first and takes the time.
using PairOfRanks = mpi::RankGroup;

class PairBench {
 public:
  PairBench(const Context& context, Buffers buffers, std::uint64_t bytes)
      : context_(context), buffers_(std::move(buffers)), scheduler_(context.world), bytes_(bytes) {}

  /// Collective. One pair after the other in a random order, while the other ranks sleep; the sample of
  /// pair i is that of case `first_case` + i.
  void measure_in_turn(std::span<const PairOfRanks> pairs, std::size_t first_case, RandomStream random,
                       RoundNotes& notes);

  /// By both ranks of a pair, which meet first. Other pairs may be measured at the same time.
  void measure(const PairOfRanks& pair, std::size_t which, RoundNotes& notes);

  /// Messages carry the number of their round.
  void begin_round() { ++round_; }
  [[nodiscard]] std::uint64_t wrong() const { return wrong_; }

 private:
  void exchange(const PairOfRanks& pair, std::size_t which, RoundNotes& notes);

  const Context& context_;
  Buffers buffers_;
  mpi::TokenScheduler scheduler_;
  std::uint64_t bytes_;
  std::uint32_t round_ = 0;
  std::uint64_t wrong_ = 0;
};

/// Collective. All pairs once.
using RoundOfPairs = std::function<void(PairBench& bench, RandomStream random, RoundNotes& notes)>;

/// Collective; only the root needs the cases. Rounds with messages of the parameter `bytes` until the 5th
/// percentiles have settled. Errors: "memory", "validation".
Status sample_pairs(const Context& context, const std::vector<Case>& cases, const RoundOfPairs& round);

/// Errors (usage): fewer than two ranks, long messages.
Status check_pairs(const Parameters& parameters, int ranks);

}  // namespace groma::survey::network
