// A rank that generates updates or routes them, and applies none. Updates that end on its node, or that other
// ranks of the lane send on, go to those through queues; these share a pool with the buckets for them.
#include <algorithm>

#include "randomaccess/routed/pool_routing.hpp"
#include "randomaccess/specialised/rank_context.hpp"

namespace groma::randomaccess {
namespace {

class QueueEnds {
 public:
  explicit QueueEnds(const RankContext& context) : context_(context) {
    for (const SpscQueue& queue : context.to) writers_.emplace_back(queue);
  }

  [[nodiscard]] std::size_t outlets() const { return writers_.size(); }
  /// They leave while about half of the pool is under way, or of two a quarter each.
  [[nodiscard]] std::uint64_t capacity() const {
    return std::max<std::uint64_t>(1, pool() / (writers_.size() + 3));
  }

  /// What ends on the node goes to the first rank that updates, or one of those after it.
  [[nodiscard]] std::size_t outlet_of(std::size_t link) const {
    const auto& links = context_.route.links;
    const Roles& roles = context_.roles;
    if (link == links.size()) return outlet_to(roles.routers());
    return outlet_to(roles.rank_at(roles.lane(context_.rank), links[link].stage));
  }
  [[nodiscard]] Split parts() const { return context_.split; }

  [[nodiscard]] std::uint64_t pool() const { return context_.budget.queues; }
  /// At least as many as there are.
  [[nodiscard]] std::uint64_t unread() const {
    std::uint64_t sum = 0;
    for (const SpscProducer& writer : writers_) sum += writer.unread();
    return sum;
  }
  void refresh() {
    for (SpscProducer& writer : writers_) {
      if (writer.unread() != 0) writer.refresh();
    }
  }
  [[nodiscard]] std::uint64_t held(std::uint64_t filling) const { return filling + unread(); }

  /// A queue has room for the whole pool.
  void pass_on(std::size_t outlet, Bucket& bucket) {
    writers_[outlet].push({bucket.updates, bucket.count});
    handed_ += bucket.count;
    bucket.count = 0;
  }
  void close() {
    for (SpscProducer& writer : writers_) writer.close();
  }

  [[nodiscard]] std::uint64_t handed() const { return handed_; }

 private:
  [[nodiscard]] std::size_t outlet_to(int rank) const {
    const auto targets = context_.roles.targets(context_.rank);
    return static_cast<std::size_t>(std::ranges::find(targets, rank) - targets.begin());
  }

  const RankContext& context_;
  std::vector<SpscProducer> writers_;
  std::uint64_t handed_ = 0;
};

/// The queues from ranks earlier on the lane.
class QueueReaders {
 public:
  QueueReaders(const RankContext& context, std::uint64_t use) {
    for (const SpscQueue& queue : context.from) queues_.emplace_back(queue, use);
  }

  /// `take` returns how many it has dealt with.
  template <class Take>
  bool read(const Take& take) {
    bool any = false;
    for (SpscConsumer& queue : queues_) {
      const std::uint64_t count = take(queue.arrived());
      queue.pop(count);
      any |= count != 0;
    }
    return any;
  }
  [[nodiscard]] bool is_finished() const { return std::ranges::all_of(queues_, &SpscConsumer::is_finished); }

 private:
  std::vector<SpscConsumer> queues_;
};

/// Ranks of other nodes that this one sends to along a dimension.
std::vector<int> peers_along(const RankContext& context, int dimension) {
  std::vector<int> peers;
  for (const Link& link : context.route.links) {
    if (link.stage != dimension) continue;
    peers.push_back(context.rank_on(link.peer, context.roles.lane(context.rank), dimension + 1));
  }
  return peers;
}

PoolRoute part_of_rank(const RankContext& context) {
  PoolRoute part{.messages = context.messages,
                 .places = context.nodes,
                 .place = context.node,
                 .route = with_strays(context.route, context.node),
                 .own = context.roles.stages(context.rank),
                 .bucket = context.budget.bucket,
                 .outgoing = {},
                 .incoming = {},
                 .perturbation = context.perturbation};
  for (int stage = part.own.first; stage < part.own.end; ++stage) {
    if (stage > 0) part.incoming.push_back({stage, context.senders_to(stage), kPosted});
    if (stage == context.roles.dimensions()) continue;
    part.outgoing.push_back(
        {stage, context.budget.dimensions[part.outgoing.size()], peers_along(context, stage)});
  }
  return part;
}

}  // namespace

Activity route_updates(const RankContext& context, const std::vector<Section>& sections, std::uint64_t use) {
  const PoolRoute part = part_of_rank(context);
  return with_sequence(context.generator, [&]<class Sequence>() {
    return with_owner(context.nodes, context.owner, [&](auto owner) {
      QueueEnds ends(context);
      PoolRouting<Sequence, decltype(owner), QueueEnds, QueueReaders> routing(part, owner, sections, ends,
                                                                              {context, use});
      Activity done = routing.run();
      done.handed = ends.handed();
      return done;
    });
  });
}

}  // namespace groma::randomaccess
