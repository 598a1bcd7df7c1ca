// A rank that only updates its part of the node's table. It never waits for room, so the ranks that pass
// updates to it find room after a while.
#include <algorithm>
#include <deque>

#include "randomaccess/routed/messages.hpp"
#include "randomaccess/specialised/rank_context.hpp"
#include "randomaccess/window.hpp"

namespace groma::randomaccess {
namespace {

template <class Sequence>
class Updating {
 public:
  Updating(const RankContext& context, std::uint64_t use)
      : discards_(context.perturbation.discards),
        perturbation_(context.perturbation),
        index_(context.nodes.words()),
        first_word_(context.first_word() + context.first_of_own()),
        words_(context.own_words().size()),
        window_(window_for(context)) {
    for (const SpscQueue& queue : context.from) queues_.emplace_back(queue, use);
    const Stages own = context.roles.stages(context.rank);
    for (int stage = own.first; stage < own.end; ++stage) {
      receives_.emplace_back(context.budget.bucket, kPosted, stage - 1, context.senders_to(stage),
                             context.messages);
    }
  }

  Activity run() {
    for (ReceiveBuffers& receives : receives_) receives.start();
    while (!has_ended()) {
      const bool read = read_queues();
      const bool received = receive();
      backoff_.after_step(read || received);
    }
    window_.drain();
    for (ReceiveBuffers& receives : receives_) receives.stop();
    return {.most_pending = held_.most(), .waited = backoff_.waited(), .delayed = perturbation_.delayed()};
  }

 private:
  static Window<Sequence> window_for(const RankContext& context) {
    return {context.own_words(), context.first_word() + context.first_of_own(),
            typename Sequence::Index(context.nodes.words()), context.budget.window};
  }

  [[nodiscard]] bool has_ended() const {
    return std::ranges::all_of(queues_, &SpscConsumer::is_finished) &&
           std::ranges::all_of(receives_, &ReceiveBuffers::has_ended);
  }

  bool read_queues() {
    bool any = false;
    for (SpscConsumer& queue : queues_) {
      const auto updates = queue.arrived();
      if (updates.empty()) continue;
      apply(updates);
      queue.pop(updates.size());
      any = true;
    }
    return any;
  }

  bool receive() {
    bool any = false;
    for (ReceiveBuffers& receives : receives_) {
      receives.poll();
      if (!receives.has_arrived()) continue;
      perturbation_.received(receives.arrived().size());
      apply_own(receives.arrived());
      receives.take(receives.arrived().size());
      any = true;
    }
    return any;
  }

  /// What comes from other nodes may have gone astray, because the network or a rank is faulty: it must not
  /// touch memory of others.
  void apply_own(std::span<const std::uint64_t> updates) {
    const auto is_own = [this](std::uint64_t value) { return index_(value) - first_word_ < words_; };
    while (!updates.empty()) {
      const auto stray = std::ranges::find_if_not(updates, is_own);
      const auto own = static_cast<std::size_t>(stray - updates.begin());
      apply(updates.first(own));
      updates = updates.subspan(std::min(own + 1, updates.size()));
    }
  }

  void apply(std::span<const std::uint64_t> updates) {
    if (!discards_) {
      window_.take(updates);
      perturbation_.worked(updates.size());
    }
    std::uint64_t pending = window_.pending();
    for (const ReceiveBuffers& receives : receives_) pending += receives.pending();
    held_.note(pending);
  }

  bool discards_;
  PerturbationDelay perturbation_;
  typename Sequence::Index index_;
  std::uint64_t first_word_;  // that this rank updates
  std::uint64_t words_;
  Window<Sequence> window_;
  std::vector<SpscConsumer> queues_;
  std::deque<ReceiveBuffers> receives_;  // one at most
  LookAhead held_;
  Backoff backoff_;
};

}  // namespace

Activity apply_updates(const RankContext& context, std::uint64_t use) {
  return with_sequence(context.generator,
                       [&]<class Sequence>() { return Updating<Sequence>(context, use).run(); });
}

}  // namespace groma::randomaccess
