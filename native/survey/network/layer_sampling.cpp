#include "survey/network/layer_sampling.hpp"

#include <algorithm>

#include "survey/network/buffers.hpp"
#include "survey/network/rounds.hpp"
#include "survey/network/validation.hpp"

namespace groma::survey::network {
namespace {

constexpr std::uint64_t kLargest = std::uint64_t{1} << 30U;

/// A pair whose task it is, with the number of the first of its cases.
struct PairTask {
  const LayerPairs* layer;
  Pair pair;
  std::size_t first_case;
};

/// At most `pairs` of each layer; each has `cases` cases.
std::vector<PairTask> tasks_of(const std::vector<LayerPairs>& layers, std::size_t pairs, std::size_t cases) {
  std::vector<PairTask> tasks;
  for (const LayerPairs& layer : layers) {
    for (std::size_t i = 0; i < std::min(pairs, layer.pairs.size()); ++i) {
      tasks.push_back({.layer = &layer, .pair = layer.pairs[i], .first_case = tasks.size() * cases});
    }
  }
  return tasks;
}

std::vector<Case> cases_of(const std::vector<PairTask>& tasks, const std::vector<std::uint64_t>& sizes,
                           const std::vector<const char*>& whats) {
  std::vector<Case> cases;
  for (const PairTask& task : tasks) {
    for (const std::uint64_t size : sizes) {
      for (const char* what : whats) {
        Case one = layer_case(*task.layer, task.pair, size);
        cases.push_back(what == nullptr ? one : one.with("what", what));
      }
    }
  }
  return cases;
}

class LayerBench {
 public:
  LayerBench(const Context& context, const LayerSampling& sampling, const Buffers& buffers,
             const std::vector<std::uint64_t>& sizes, const std::vector<PairTask>& tasks)
      : context_(context),
        sampling_(sampling),
        buffers_(buffers),
        sizes_(sizes),
        tasks_(tasks),
        scheduler_(context.world) {}

  void measure_all(RandomStream random, RoundNotes& notes) {
    ++number_;
    const auto order = shuffled_indices(tasks_.size(), random);
    std::vector<mpi::RankGroup> groups;
    for (const std::size_t which : order) groups.push_back(group_of(tasks_[which].pair));
    scheduler_.run(groups, [&](std::size_t at) {
      measure(tasks_[order[at]], ping_pong_of(groups[at]), random.fork(order[at]), notes);
    });
  }

  [[nodiscard]] std::uint64_t wrong() const { return wrong_; }

 private:
  [[nodiscard]] PingPong ping_pong_of(const mpi::RankGroup& group) const {
    const bool leads = group.front() == context_.world.rank();
    return {.comm = context_.world.handle(),
            .peer = leads ? group.back() : group.front(),
            .leads = leads,
            .out = {},
            .in = {}};
  }

  void measure(const PairTask& task, PingPong ping_pong, RandomStream random, RoundNotes& notes) {
    for (const std::size_t size : shuffled_indices(sizes_.size(), random)) {
      ping_pong.out = buffers_.message(0, sizes_[size]);
      ping_pong.in = buffers_.message(1, sizes_[size]);
      LayerSample sample;
      notes.busy([&] { sample = sampling_.take(ping_pong, number_); });
      wrong_ += sample.wrong;
      if (!ping_pong.leads) continue;
      const std::size_t first = task.first_case + size * sample.times.size();
      for (std::size_t i = 0; i < sample.times.size(); ++i) {
        if (const auto time = sample.times[i]) notes.sample(first + i, time->value());
      }
    }
  }

  const Context& context_;
  const LayerSampling& sampling_;
  const Buffers& buffers_;
  const std::vector<std::uint64_t>& sizes_;
  const std::vector<PairTask>& tasks_;
  mpi::TokenScheduler scheduler_;
  std::uint32_t number_ = 0;
  std::uint64_t wrong_ = 0;
};

}  // namespace

Status check_layers(const Parameters& parameters, int ranks) {
  const auto layers = parse_layers(parameters.text("layers"), ranks);
  if (!layers) return layers.error();
  if (parameters.count("largest") <= kLargest) return Done{};
  return Error{"usage", "the largest message is too large", "give at most 1 GiB"};
}

Result<Outcome> sample_layers(const Context& context, const LayerSampling& sampling) {
  const auto layers = parse_layers(context.parameters.text("layers"), context.world.size());
  if (!layers) return layers.error();
  const std::uint64_t largest = context.parameters.count("largest");
  Result<Buffers> buffers = Buffers::make(context, largest, 2);
  if (!buffers) return buffers.error();
  buffers.value().prepare(largest);
  const auto sizes = sampling.sizes_up_to(largest);
  const auto tasks =
      tasks_of(layers.value(), context.parameters.count("pairs"), sizes.size() * sampling.whats.size());
  LayerBench bench(context, sampling, buffers.value(), sizes, tasks);
  sample_rounds(context, cases_of(tasks, sizes, sampling.whats), context.parameters.rule(),
                [&](RandomStream random, RoundNotes& notes) { bench.measure_all(random, notes); });
  if (const Status valid = validated(context.world, bench.wrong()); !valid) return valid.error();
  return Outcome{};
}

}  // namespace groma::survey::network
