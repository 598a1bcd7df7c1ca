// How many senders one receiver can drain, alone and while it sends itself.
#include <algorithm>
#include <utility>

#include "mpi/token_scheduler.hpp"
#include "survey/network/buffers.hpp"
#include "survey/network/message_size.hpp"
#include "survey/network/rounds.hpp"
#include "survey/network/stream.hpp"
#include "survey/network/validation.hpp"

namespace groma::survey::network {
namespace {

const ProbeInfo kInfo{
    .name = "net_receiver",
    .title = "Limit of one receiver",
    .measures =
        "time of every rank for its messages while 1 … k send to one, which sends to 0 … m itself (s)",
    .method =
        "the rank in the middle and those nearest to it synchronize, then every stream sends its messages, "
        "two in flight at a time",
    .traffic = "30 messages of each sender and to each target per sample",
    .reference = "Performance tools for BlueGene/L, detecting message-passing overhead",
    .order = 60,
    .ranks = "one_per_node",
    .parameters = {{"senders", "3", "6", "6", "maximum number of senders"},
                   {"targets", "1", "4", "4", "maximum number of ranks that the receiver sends to"},
                   {"bytes", "1048576", "1048576", "1048576", "bytes of a message; the budget may reduce it"},
                   {"messages", "30", "30", "30", "messages of each stream"},
                   {"budget", "4", "15", "60", "seconds for all rounds"},
                   {"rounds", "6", "10", "30", "rounds after which sampling stops"}}};

constexpr std::uint32_t kMinRounds = 4;
constexpr std::uint64_t kMinBytes = 4096;

/// The rank in the middle of the job, and the other ranks from near to far.
struct Participants {
  int receiver;
  std::vector<int> others;
};

Participants participants_of(int ranks) {
  Participants found{.receiver = ranks / 2, .others = {}};
  for (int distance = 1; static_cast<int>(found.others.size()) + 1 < ranks; ++distance) {
    for (const int rank : {found.receiver + distance, found.receiver - distance}) {
      if (rank >= 0 && rank < ranks) found.others.push_back(rank);
    }
  }
  return found;
}

/// `senders` of the nearest ranks send to the receiver, which sends to `targets` of them.
struct Phase {
  std::size_t senders;
  std::size_t targets;
  std::size_t first_case;

  [[nodiscard]] std::size_t cases() const { return 1 + senders + targets; }
  [[nodiscard]] std::size_t sender_case(std::size_t which) const { return first_case + 1 + which; }
  [[nodiscard]] std::size_t target_case(std::size_t which) const { return first_case + 1 + senders + which; }
};

std::vector<Phase> phases_of(std::size_t senders, std::size_t targets) {
  std::vector<Phase> phases;
  std::size_t cases = 0;
  for (std::size_t sending = 0; sending <= targets; ++sending) {
    for (std::size_t count = 1; count <= senders; ++count) {
      phases.push_back({.senders = count, .targets = sending, .first_case = cases});
      cases += phases.back().cases();
    }
  }
  return phases;
}

/// What all phases have in common.
struct Experiment {
  Participants ranks;
  std::vector<Phase> phases;
  std::uint32_t messages;
  std::uint64_t bytes;
};

std::vector<Case> cases_of(const Experiment& experiment) {
  std::vector<Case> cases;
  const auto add = [&](const Phase& phase, int rank, const char* role) {
    cases.push_back(Case("s")
                        .with("senders", phase.senders)
                        .with("receivers", phase.targets)
                        .with("rank", rank)
                        .with("role", role)
                        .with("bytes", experiment.bytes)
                        .with("messages", experiment.messages));
  };
  for (const Phase& phase : experiment.phases) {
    add(phase, experiment.ranks.receiver, "receiver");
    for (std::size_t i = 0; i < phase.senders; ++i) add(phase, experiment.ranks.others[i], "sender");
    for (std::size_t i = 0; i < phase.targets; ++i) add(phase, experiment.ranks.others[i], "target");
  }
  return cases;
}

class ReceiverBench {
 public:
  ReceiverBench(const Context& context, Buffers buffers, const Experiment& experiment)
      : context_(context), buffers_(std::move(buffers)), experiment_(experiment), scheduler_(context.world) {}

  /// Collective. All phases once, with messages of so many bytes.
  void measure_all(std::uint64_t bytes, RandomStream random, RoundNotes& notes) {
    ++number_;
    buffers_.prepare(bytes);
    const auto order = shuffled_indices(experiment_.phases.size(), random);
    std::vector<mpi::RankGroup> groups;
    for (const std::size_t which : order) groups.push_back(group_of(experiment_.phases[which]));
    scheduler_.run(groups,
                   [&](std::size_t at) { measure(experiment_.phases[order[at]], groups[at], bytes, notes); });
  }

  [[nodiscard]] std::uint64_t wrong() const { return wrong_; }

 private:
  [[nodiscard]] mpi::RankGroup group_of(const Phase& phase) const {
    const auto others = static_cast<std::ptrdiff_t>(std::max(phase.senders, phase.targets));
    mpi::RankGroup group = {experiment_.ranks.receiver};
    group.insert(group.end(), experiment_.ranks.others.begin(), experiment_.ranks.others.begin() + others);
    return group;
  }

  /// In this order: what is received, then what is sent.
  [[nodiscard]] std::vector<Stream> streams_of(const Phase& phase, std::size_t place,
                                               std::uint64_t bytes) const {
    std::vector<Stream> streams;
    const auto add = [&](int peer, Direction direction) {
      const std::size_t first = 2 * streams.size();
      streams.push_back({.peer = peer,
                         .direction = direction,
                         .memory = {buffers_.message(first, bytes), buffers_.message(first + 1, bytes)}});
    };
    const auto& others = experiment_.ranks.others;
    if (place == 0) {
      for (std::size_t i = 0; i < phase.senders; ++i) add(others[i], Direction::kReceive);
      for (std::size_t i = 0; i < phase.targets; ++i) add(others[i], Direction::kSend);
      return streams;
    }
    if (place <= phase.targets) add(experiment_.ranks.receiver, Direction::kReceive);
    if (place <= phase.senders) add(experiment_.ranks.receiver, Direction::kSend);
    return streams;
  }

  void measure(const Phase& phase, const mpi::RankGroup& group, std::uint64_t bytes, RoundNotes& notes) {
    const auto place = static_cast<std::size_t>(std::find(group.begin(), group.end(), context_.world.rank()) -
                                                group.begin());
    const std::vector<Stream> streams = streams_of(phase, place, bytes);
    scheduler_.synchronize(group);
    std::vector<Seconds> times;
    notes.busy(
        [&] { times = run_streams(context_.world, context_.clock, streams, experiment_.messages, number_); });
    wrong_ += wrong_messages(streams, number_);
    record(phase, place, times, notes);
  }

  static void record(const Phase& phase, std::size_t place, const std::vector<Seconds>& times,
                     RoundNotes& notes) {
    if (place == 0) {
      const auto received = times.begin() + static_cast<std::ptrdiff_t>(phase.senders);
      notes.sample(phase.first_case, std::max_element(times.begin(), received)->value());
      return;
    }
    if (place <= phase.targets) notes.sample(phase.target_case(place - 1), times.front().value());
    if (place <= phase.senders) notes.sample(phase.sender_case(place - 1), times.back().value());
  }

  const Context& context_;
  Buffers buffers_;
  const Experiment& experiment_;
  mpi::TokenScheduler scheduler_;
  std::uint32_t number_ = 0;
  std::uint64_t wrong_ = 0;
};

/// Collective. The largest message with which the fewest rounds fit the budget.
std::uint64_t fit(const Context& context, const SamplingRule& rule, ReceiverBench& bench,
                  const MessageLimits& limits) {
  const auto once = [&](std::uint64_t bytes) {
    RoundNotes notes(context.clock);
    const Seconds start = context.clock.now();
    bench.measure_all(bytes, RandomStream(1), notes);
    return Seconds(context.world.reduce_to_all((context.clock.now() - start).value(), mpi::Reduction::kMax));
  };
  const auto time = [&](std::uint64_t bytes, int tries) {
    Seconds fastest = once(bytes);
    for (int i = 1; i < tries; ++i) fastest = std::min(fastest, once(bytes));
    return fastest;
  };
  return fit_message(
      limits, [&] { return time_left(context, rule); }, time);
}

Status check_parameters(const Parameters& parameters, int ranks) {
  if (ranks > 1 && parameters.count("senders") > 0) return Done{};
  return Error{"usage", "no rank sends to the receiver", "start it on at least two nodes"};
}

Result<Outcome> run(const Context& context) {
  const auto others = static_cast<std::uint64_t>(context.world.size()) - 1;
  const std::uint64_t senders = std::min(others, context.parameters.count("senders"));
  const std::uint64_t targets = std::min(others, context.parameters.count("targets"));
  const std::uint64_t most = std::max(kMinBytes, context.parameters.count("bytes"));
  Experiment experiment{.ranks = participants_of(context.world.size()),
                        .phases = phases_of(senders, targets),
                        .messages = static_cast<std::uint32_t>(
                            std::clamp<std::uint64_t>(context.parameters.count("messages"), 2, 1'000'000)),
                        .bytes = most};
  Result<Buffers> buffers = Buffers::make(context, most, 2 * (senders + targets));
  if (!buffers) return buffers.error();
  ReceiverBench bench(context, std::move(buffers).value(), experiment);
  const SamplingRule rule = median_rule(context, kMinRounds);
  experiment.bytes = fit(context, rule, bench,
                         {.most = most, .exchanges = std::size_t{1} + rule.min_rounds, .least = kMinBytes});
  sample_rounds(context, cases_of(experiment), rule, [&](RandomStream random, RoundNotes& notes) {
    bench.measure_all(experiment.bytes, random, notes);
  });
  if (const Status valid = validated(context.world, bench.wrong()); !valid) return valid.error();
  return Outcome{.facts = JsonObject().add("bytes", experiment.bytes)};
}

const Registration kRegistered(kInfo, {run, check_parameters});

}  // namespace
}  // namespace groma::survey::network
