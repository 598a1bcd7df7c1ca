#include "randomaccess/study/owner_cost.hpp"

#include <bit>
#include <deque>

#include "base/do_not_optimize.hpp"

namespace groma::randomaccess {
namespace {

constexpr std::size_t kIndices = 4096;  // 32 KiB at most: from the first-level cache or the one behind it
constexpr int kPasses = 16;
constexpr std::uint64_t kUsualWords = std::uint64_t{1} << 27U;
constexpr SamplingRule kRule = {.budget = Seconds(2.0), .min_rounds = 10, .max_rounds = 60};

std::vector<std::uint64_t> random_indices(std::uint64_t words, std::uint64_t seed) {
  RandomStream random = RandomStream(seed).fork(words);
  std::vector<std::uint64_t> indices(kIndices);
  for (std::uint64_t& index : indices) index = random.below(words);
  return indices;
}

/// Lookups that do not wait for each other, as those of an exchange. Never inlined: a divisor that the
/// compiler knew would be no division.
template <class Owner>
[[gnu::noinline]] std::uint64_t look_up(const Owner& by, const std::vector<std::uint64_t>& indices) {
  const Owner owner = by;
  std::uint64_t sum = 0;
  for (const std::uint64_t index : indices) sum += owner(index);
  return sum;
}

template <class Owner>
Seconds time_of(const Owner& owner, const std::vector<std::uint64_t>& indices) {
  const std::int64_t start = monotonic_ns();
  for (int pass = 0; pass < kPasses; ++pass) {
    do_not_optimize(look_up(owner, indices));
    clobber_memory();  // or one pass would do for all
  }
  return between(start, monotonic_ns()) / static_cast<double>(kPasses * kIndices);
}

/// The cases and tasks of all numbers of parts.
struct Trials {
  std::deque<Partition> partitions;
  std::vector<std::uint64_t> indices;
  std::vector<Case> cases;
  std::vector<Task> tasks;
};

template <class Owner>
void add(Trials& to, const Partition& of, const Owner& owner, std::string_view way) {
  const std::size_t which = to.cases.size();
  to.cases.push_back(Case("s").with("way", way).with("parts", of.parts()).with("words", of.words()));
  to.tasks.push_back({[owner, which, &indices = to.indices](Recorder& recorder) {
    recorder.sample(which, time_of(owner, indices).value());
  }});
}

void add_all(Trials& to, const Partition& of) {
  with_owner(of, OwnerRule::kDivision, [&](auto owner) { add(to, of, owner, "division"); });
  with_multiplication(of,
                      [&](auto owner) { add(to, of, owner, of.is_predictable() ? "prediction" : "search"); });
}

}  // namespace

Result<EndReason> measure_owner_cost(const StudyOptions& options, const Clock& clock,
                                     const std::atomic<bool>& cancelled, SampleSink& sink) {
  const std::uint64_t words = options.words.value_or(kUsualWords);
  if (!std::has_single_bit(words)) {
    return Error{"usage", "a table of " + std::to_string(words) + " words is not a power of two",
                 "take " + std::to_string(std::bit_floor(words))};
  }
  for (const std::uint64_t parts : options.parts) {
    if (parts <= words) continue;
    return Error{"usage", std::to_string(parts) + " parts of a table of " + std::to_string(words) + " words",
                 "take at least one word for each part"};
  }
  Trials trials{{}, random_indices(words, options.seed), {}, {}};
  for (const std::uint64_t parts : options.parts) {
    add_all(trials, trials.partitions.emplace_back(words, parts));
  }
  SamplingRule rule = kRule;
  rule.seed = options.seed;
  return sample_interleaved(trials.cases, trials.tasks, rule, clock, cancelled, sink);
}

}  // namespace groma::randomaccess
