#include "survey/network/pair_bench.hpp"

#include <algorithm>

#include "survey/network/ping_pong.hpp"
#include "survey/network/validation.hpp"

namespace groma::survey::network {
namespace {

constexpr std::uint32_t kMinRounds = 10;
constexpr std::uint64_t kLongestMessage = 1 << 30U;

}  // namespace

void PairBench::measure_in_turn(std::span<const PairOfRanks> pairs, std::size_t first_case,
                                RandomStream random, RoundNotes& notes) {
  const auto order = shuffled_indices(pairs.size(), random);
  std::vector<mpi::RankGroup> groups;
  for (const std::size_t which : order) groups.push_back(pairs[which]);
  scheduler_.run(groups, [&](std::size_t at) { exchange(groups[at], first_case + order[at], notes); });
}

void PairBench::measure(const PairOfRanks& pair, std::size_t which, RoundNotes& notes) {
  scheduler_.synchronize(pair);
  exchange(pair, which, notes);
}

void PairBench::exchange(const PairOfRanks& pair, std::size_t which, RoundNotes& notes) {
  const bool leads = pair.front() == context_.world.rank();
  const PingPong ping_pong{.comm = context_.world.handle(),
                           .peer = leads ? pair.back() : pair.front(),
                           .leads = leads,
                           .out = buffers_.message(0, bytes_),
                           .in = buffers_.message(1, bytes_)};
  Seconds time;
  notes.busy([&] { time = round_trip(context_.clock, ping_pong, iterations_for(bytes_), round_, wrong_); });
  if (leads) notes.sample(which, 0.5 * time.value());
}

Status sample_pairs(const Context& context, const std::vector<Case>& cases, const RoundOfPairs& round) {
  const std::uint64_t bytes = context.parameters.count("bytes");
  Result<Buffers> buffers = Buffers::make(context, bytes, 2);
  if (!buffers) return buffers.error();
  buffers.value().prepare(bytes);
  PairBench bench(context, std::move(buffers).value(), bytes);
  SamplingRule rule = context.parameters.rule();
  rule.min_rounds = std::min(kMinRounds, rule.max_rounds);
  sample_rounds(context, cases, rule, [&](RandomStream random, RoundNotes& notes) {
    bench.begin_round();
    round(bench, random, notes);
  });
  return validated(context.world, bench.wrong());
}

Status check_pairs(const Parameters& parameters, int ranks) {
  if (ranks < 2) return Error{"usage", "one rank does not make a pair", "start at least two ranks"};
  if (parameters.count("bytes") <= kLongestMessage) return Done{};
  return Error{"usage", "pairs are measured with short messages", "give fewer bytes"};
}

}  // namespace groma::survey::network
