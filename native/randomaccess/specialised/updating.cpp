// A rank that updates its part of the node's table, and does nothing else. It never waits for room anywhere,
// so that whoever passes updates to it finds room after a while.
#include <algorithm>
#include <deque>

#include "randomaccess/specialised/messages.hpp"
#include "randomaccess/specialised/post.hpp"
#include "randomaccess/window.hpp"

namespace groma::randomaccess {
namespace {

template <class Sequence>
class Updating {
 public:
  Updating(const Post& post, std::uint64_t use) : window_(window_for(post)) {
    for (const UpdateQueue& queue : post.from) queues_.emplace_back(queue, use);
    const Stages own = post.roles.stages(post.rank);
    for (int stage = own.first; stage < own.end; ++stage) {
      arrivals_.emplace_back(post.budget.bucket, stage - 1, post.senders_to(stage), post.messages);
    }
  }

  Activity run() {
    for (Arrivals& arrivals : arrivals_) arrivals.start();
    while (!has_ended()) {
      const bool read = read_queues();
      const bool received = receive();
      patience_.spent_turn(read || received);
    }
    window_.drain();
    for (Arrivals& arrivals : arrivals_) arrivals.stop();
    return {.most_pending = held_.most(), .waited = patience_.waited()};
  }

 private:
  static Window<Sequence> window_for(const Post& post) {
    const auto part = static_cast<std::uint64_t>(post.rank - post.roles.routers());
    const std::uint64_t first = post.split.first(part);
    return {post.table.subspan(first, post.split.size(part)), post.first_word() + first,
            typename Sequence::Index(post.nodes.words()), post.budget.window};
  }

  [[nodiscard]] bool has_ended() const {
    return std::ranges::all_of(queues_, &QueueReader::has_ended) &&
           std::ranges::all_of(arrivals_, &Arrivals::has_ended);
  }

  bool read_queues() {
    bool any = false;
    for (QueueReader& queue : queues_) {
      const auto updates = queue.arrived();
      if (updates.empty()) continue;
      apply(updates);
      queue.take(updates.size());
      any = true;
    }
    return any;
  }

  bool receive() {
    bool any = false;
    for (Arrivals& arrivals : arrivals_) {
      arrivals.poll();
      if (!arrivals.has_arrived()) continue;
      apply(arrivals.arrived());
      arrivals.take(arrivals.arrived().size());
      any = true;
    }
    return any;
  }

  void apply(std::span<const std::uint64_t> updates) {
    window_.take(updates);
    std::uint64_t pending = window_.pending();
    for (const Arrivals& arrivals : arrivals_) pending += arrivals.pending();
    held_.note(pending);
  }

  Window<Sequence> window_;
  std::vector<QueueReader> queues_;
  std::deque<Arrivals> arrivals_;  // one at most
  LookAhead held_;
  Patience patience_;
};

}  // namespace

Activity apply_updates(const Post& post, std::uint64_t use) {
  return with_sequence(post.generator, [&]<class Sequence>() { return Updating<Sequence>(post, use).run(); });
}

}  // namespace groma::randomaccess
