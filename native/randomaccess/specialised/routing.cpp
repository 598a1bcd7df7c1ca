// A rank that generates updates or routes them, and applies none.
//
// The buckets of a dimension share a pool of room with what is under way along it, and the queues of a rank
// share one with the buckets for them. A bucket leaves when it is full, or when its pool is used up and less
// than half of that is under way: then the fullest one leaves.
//
// Why it always comes to an end: what comes in at stage s is put into buckets of stages from s on, and is
// taken only while their pools have room. A message of stage s leaves its pool when a receive of stage s + 1
// on another node is free; what is in a queue does when the reader, whose stages are all later, has taken it.
// Each dimension has a pool of its own, so that it depends on later stages only: the last ones, the ranks
// that update, never wait, hence their receives and queues become free; hence so do those before, down to
// stage 0, which generates. A stage that nothing comes to any more sends what is left in its buckets, and its
// end, so that the ends follow the updates through the stages in the same order.
#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

#include "randomaccess/specialised/messages.hpp"
#include "randomaccess/specialised/rank_context.hpp"

namespace groma::randomaccess {
namespace {

constexpr std::uint64_t kBlock = 256;  ///< updates generated before messages and queues are looked at again

/// The values of some sections, one after the other.
template <class Sequence>
class Source {
 public:
  explicit Source(const std::vector<Section>& sections) : sections_(sections) { start(); }

  [[nodiscard]] bool is_empty() const { return left_ == 0; }
  /// Of the current section.
  [[nodiscard]] std::uint64_t left() const { return left_; }
  std::uint64_t next() { return value_ = Sequence::next(value_); }
  /// So many have been taken by next().
  void taken(std::uint64_t count) {
    left_ -= count;
    start();
  }

 private:
  void start() {
    for (; left_ == 0 && at_ < sections_.size(); ++at_) {
      value_ = Sequence::at(static_cast<std::int64_t>(sections_[at_].first));
      left_ = sections_[at_].count;
    }
  }

  const std::vector<Section>& sections_;
  std::size_t at_ = 0;
  std::uint64_t left_ = 0;
  std::uint64_t value_ = 0;
};

/// One dimension that this rank sends along; its buckets are neighbours.
struct Dimension {
  int stage;
  std::size_t first_bucket;
  std::uint64_t pool;      ///< updates that its buckets and messages may hold
  std::vector<int> peers;  ///< ranks
  SendBuffers sends;
  std::size_t ended = 0;  ///< peers that know that nothing follows
  [[nodiscard]] bool has_ended() const { return ended == peers.size() && sends.is_empty(); }
};

/// What comes in at a stage.
struct Input {
  int stage;
  ReceiveBuffers receives;
};

template <class Sequence, class Owner>
class Routing {
 public:
  Routing(const RankContext& context, Owner owner, const std::vector<Section>& sections, std::uint64_t use)
      : context_(context),
        own_(context.roles.stages(context.rank)),
        owner_(owner),
        index_(context.nodes.words()),
        source_(sections) {
    add_stages();
    add_queues(use);
    lay_out_buckets();
    for (int stage = own_.first; stage < own_.end; ++stage) outlets_.push_back(outlets_of(stage));
  }

  Activity run() {
    for (Input& input : inputs_) input.receives.start();
    while (!is_done()) {
      for (Dimension& dimension : dimensions_) dimension.sends.poll();
      const bool generated = generate();
      const bool received = receive();
      const bool read = read_queues();
      const bool sent = send_rest();
      note();
      backoff_.after_step(generated || received || read || sent);
    }
    for (Input& input : inputs_) input.receives.stop();
    done_.waited = backoff_.waited();
    done_.delayed = delay_.spent();
    return done_;
  }

 private:
  void add_stages() {
    const std::uint64_t bucket = context_.budget.bucket;
    for (int stage = own_.first; stage < own_.end; ++stage) {
      if (stage > 0)
        inputs_.push_back({stage, {bucket, stage - 1, context_.senders_to(stage), context_.messages}});
      if (stage < context_.roles.dimensions()) add_dimension(stage);
    }
  }

  /// Ranks of other nodes that this one sends to.
  [[nodiscard]] std::vector<int> peers_along(int dimension) const {
    std::vector<int> peers;
    for (const Link& link : context_.route.links) {
      if (link.stage != dimension) continue;
      peers.push_back(context_.rank_on(link.peer, context_.roles.lane(context_.rank), dimension + 1));
    }
    return peers;
  }

  void add_dimension(int stage) {
    auto peers = peers_along(stage);
    const std::size_t first = buckets_of_links_;
    buckets_of_links_ += peers.size();
    dimensions_.push_back({stage,
                           first,
                           context_.budget.dimensions[dimensions_.size()],
                           std::move(peers),
                           {context_.budget.bucket, stage, context_.messages}});
  }

  void add_queues(std::uint64_t use) {
    for (const SpscQueue& queue : context_.to) writers_.emplace_back(queue);
    for (const SpscQueue& queue : context_.from) readers_.emplace_back(queue, use);
  }

  /// Of the links, dimension after dimension, then of the queues.
  void lay_out_buckets() {
    const std::uint64_t batch = batch_of_queues(context_.budget.queues, writers_.size());
    memory_.resize(buckets_of_links_ * context_.budget.bucket + writers_.size() * batch);
    std::uint64_t* next = memory_.data();
    for (std::size_t at = 0; at < buckets_of_links_ + writers_.size(); ++at) {
      const std::uint64_t size = at < buckets_of_links_ ? context_.budget.bucket : batch;
      buckets_.push_back({next, 0, size});
      next += size;
    }
  }

  /// Buckets of queues leave while about half of their pool is under way, or of two a quarter each.
  static std::uint64_t batch_of_queues(std::uint64_t pool, std::uint64_t queues) {
    return std::max<std::uint64_t>(1, pool / (queues + 3));
  }

  /// The bucket for each node of what comes in at a stage; for this node, the one of the first updating rank.
  [[nodiscard]] std::vector<std::uint32_t> outlets_of(int stage) const {
    std::vector<std::uint32_t> outlets;
    for (const std::uint32_t link : context_.route.link_for[static_cast<std::size_t>(stage)]) {
      outlets.push_back(static_cast<std::uint32_t>(outlet_of(link)));
    }
    return outlets;
  }

  [[nodiscard]] std::size_t outlet_of(std::size_t link) const {
    const auto& links = context_.route.links;
    const Roles& roles = context_.roles;
    if (link == links.size()) return bucket_to(roles.routers());
    const int stage = links[link].stage;
    if (!own_.has(stage)) return bucket_to(roles.rank_at(roles.lane(context_.rank), stage));
    std::size_t before = 0;  // links of stages that this rank has not
    while (!own_.has(links[before].stage)) ++before;
    return link - before;
  }

  [[nodiscard]] std::size_t bucket_to(int rank) const {
    const auto targets = context_.roles.targets(context_.rank);
    return buckets_of_links_ + static_cast<std::size_t>(std::ranges::find(targets, rank) - targets.begin());
  }

  [[nodiscard]] bool is_done() const {
    return is_closed_ && std::ranges::all_of(dimensions_, &Dimension::has_ended);
  }

  /// Puts what `next` returns into buckets, as what comes in at a stage; at most `count`, for which there is
  /// room, and no further than to the first bucket that is full and cannot leave. Returns how many.
  template <class Next>
  std::uint64_t sort(std::uint64_t count, int stage, Next next) {
    const std::uint32_t* const outlets = outlets_[static_cast<std::size_t>(stage - own_.first)].data();
    Bucket* const buckets = buckets_.data();
    const auto self = static_cast<std::uint64_t>(context_.node);
    const std::uint64_t first_word = context_.first_word();
    const Split split = context_.split;
    for (std::uint64_t done = 0; done < count;) {
      const std::uint64_t value = next();
      const std::uint64_t word = index_(value);
      const std::uint64_t node = owner_(word);
      // Both are computed so that there is no branch, which would be mispredicted.
      const std::uint64_t updater = node == self ? split(word - first_word) : 0;
      const std::uint64_t at = outlets[node] + updater;
      Bucket& bucket = buckets[at];
      bucket.updates[bucket.count++] = value;
      ++done;
      if (bucket.is_full() && !pass_on(at)) return done;
    }
    return count;
  }

  /// Whether the bucket could leave. One for a queue always can: the queue has room for the whole pool.
  bool pass_on(std::size_t at) {
    if (at < buckets_of_links_) return send(at);
    hand_over(at - buckets_of_links_);
    return true;
  }

  bool send(std::size_t at) {
    Dimension& dimension = *std::ranges::find_if(
        dimensions_, [at](const Dimension& one) { return at - one.first_bucket < one.peers.size(); });
    if (!dimension.sends.has_room()) return false;
    send(dimension, at - dimension.first_bucket);
    return true;
  }

  void send(Dimension& dimension, std::size_t peer) {
    Bucket& bucket = buckets_[dimension.first_bucket + peer];
    delay_.spend(bucket.count, context_.handicap.each_sent);
    done_.count_message(bucket.count, bucket.capacity);
    dimension.sends.send(bucket, dimension.peers[peer]);
  }

  void hand_over(std::size_t queue) {
    Bucket& bucket = buckets_[buckets_of_links_ + queue];
    writers_[queue].push({bucket.updates, bucket.count});
    done_.handed += bucket.count;
    bucket.count = 0;
  }

  /// Updates that may come in at a stage before this is asked again.
  std::uint64_t room(int stage) {
    std::uint64_t room = writers_.empty() ? std::numeric_limits<std::uint64_t>::max() : room_in_queues();
    for (Dimension& dimension : dimensions_) {
      if (dimension.stage >= stage) room = std::min(room, room_along(dimension));
    }
    return room;
  }

  /// None where a bucket is full and cannot leave, or the pool is used up.
  std::uint64_t room_along(Dimension& dimension) {
    const std::size_t end = dimension.first_bucket + dimension.peers.size();
    for (std::size_t at = dimension.first_bucket; at < end; ++at) {
      if (buckets_[at].is_full() && !send(at)) return 0;
    }
    const std::uint64_t under_way = dimension.sends.pending();
    const std::uint64_t room = dimension.pool - under_way - held_in(dimension.first_bucket, end);
    if (room == 0 && 2 * under_way < dimension.pool) send(fullest_of(dimension.first_bucket, end));
    return room;
  }

  std::uint64_t room_in_queues() {
    const std::uint64_t held = held_in(buckets_of_links_, buckets_.size());
    const std::uint64_t pool = context_.budget.queues;
    if (held + unread() == pool) refresh();
    const std::uint64_t room = pool - held - unread();
    if (room == 0 && 2 * unread() < pool) pass_on(fullest_of(buckets_of_links_, buckets_.size()));
    return room;
  }

  /// Updates in the queues that this rank writes, at least as many as there are.
  [[nodiscard]] std::uint64_t unread() const {
    std::uint64_t sum = 0;
    for (const SpscProducer& writer : writers_) sum += writer.unread();
    return sum;
  }

  void refresh() {
    note();
    for (SpscProducer& writer : writers_) {
      if (writer.unread() != 0) writer.refresh();
    }
  }

  [[nodiscard]] std::uint64_t held_in(std::size_t first, std::size_t end) const {
    std::uint64_t sum = 0;
    for (std::size_t at = first; at < end; ++at) sum += buckets_[at].count;
    return sum;
  }

  [[nodiscard]] std::size_t fullest_of(std::size_t first, std::size_t end) const {
    const auto begin = buckets_.begin();
    const auto fullest = std::max_element(begin + static_cast<std::ptrdiff_t>(first),
                                          begin + static_cast<std::ptrdiff_t>(end), has_fewer);
    return static_cast<std::size_t>(fullest - begin);
  }
  static bool has_fewer(const Bucket& left, const Bucket& right) { return left.count < right.count; }

  bool generate() {
    if (!own_.has(0)) return false;
    std::uint64_t block = kBlock;
    while (block != 0 && !source_.is_empty()) {
      const std::uint64_t most = std::min({source_.left(), block, room(0)});
      if (most == 0) break;
      const std::uint64_t count = sort(most, 0, [this] { return source_.next(); });
      delay_.spend(count, context_.handicap.each_worked);
      source_.taken(count);
      block -= count;
    }
    return block != kBlock;
  }

  bool receive() {
    bool any = false;
    for (Input& input : inputs_) {
      input.receives.poll();
      if (!input.receives.has_arrived()) continue;
      const std::uint64_t count = take(input.receives.arrived(), input.stage);
      delay_.spend(count, context_.handicap.each_received);
      input.receives.take(count);
      any |= count != 0;
    }
    return any;
  }

  /// What ranks earlier on the lane pass on is for any of the stages here.
  bool read_queues() {
    bool any = false;
    for (SpscConsumer& queue : readers_) {
      const std::uint64_t count = take(queue.arrived(), own_.first);
      queue.pop(count);
      any |= count != 0;
    }
    return any;
  }

  /// Sorts as many as there is room for. Returns how many are dealt with.
  std::uint64_t take(std::span<const std::uint64_t> updates, int stage) {
    if (updates.empty() || context_.handicap.discards) return updates.size();
    const std::uint64_t* from = updates.data();
    const std::uint64_t most = std::min<std::uint64_t>(updates.size(), room(stage));
    const std::uint64_t count = sort(most, stage, [&from] { return *from++; });
    delay_.spend(count, context_.handicap.each_worked);
    return count;
  }

  /// Whether nothing comes any more at this stage or an earlier one.
  [[nodiscard]] bool has_ended_through(int stage) const {
    return source_is_empty() && std::ranges::all_of(readers_, &SpscConsumer::is_finished) &&
           std::ranges::all_of(inputs_, [stage](const Input& input) {
             return input.stage > stage || input.receives.has_ended();
           });
  }

  [[nodiscard]] bool source_is_empty() const { return !own_.has(0) || source_.is_empty(); }

  /// What is left where nothing more will come, and the ends.
  bool send_rest() {
    bool any = false;
    for (Dimension& dimension : dimensions_) {
      if (has_ended_through(dimension.stage)) any |= end(dimension);
    }
    if (is_closed_ || !has_ended_through(own_.end)) return any;
    close_queues();
    return true;
  }

  bool end(Dimension& dimension) {
    bool any = false;
    while (dimension.ended < dimension.peers.size() && dimension.sends.has_room()) {
      const bool is_end = buckets_[dimension.first_bucket + dimension.ended].count == 0;
      send(dimension, dimension.ended);
      dimension.ended += static_cast<std::size_t>(is_end);
      any = true;
    }
    return any;
  }

  void close_queues() {
    for (std::size_t queue = 0; queue < writers_.size(); ++queue) {
      hand_over(queue);
      writers_[queue].close();
    }
    is_closed_ = true;
  }

  /// Called before anything is found to have gone, so that the count is never below what is held.
  void note() {
    std::uint64_t pending = held_in(0, buckets_.size()) + unread();
    for (const Dimension& dimension : dimensions_) pending += dimension.sends.pending();
    for (const Input& input : inputs_) pending += input.receives.pending();
    done_.most_pending = std::max(done_.most_pending, pending);
  }

  const RankContext& context_;
  Stages own_;
  Owner owner_;
  typename Sequence::Index index_;
  Source<Sequence> source_;
  std::deque<Dimension> dimensions_;  // by stage
  std::deque<Input> inputs_;
  std::vector<SpscProducer> writers_;
  std::vector<SpscConsumer> readers_;
  std::size_t buckets_of_links_ = 0;
  std::vector<std::uint64_t> memory_;  // of buckets; send buffers swap theirs with it
  std::vector<Bucket> buckets_;
  std::vector<std::vector<std::uint32_t>> outlets_;  // of every own stage, for each node
  bool is_closed_ = false;
  Backoff backoff_;
  Delay delay_;
  Activity done_;
};

}  // namespace

Activity route_updates(const RankContext& context, const std::vector<Section>& sections, std::uint64_t use) {
  return with_sequence(context.generator, [&]<class Sequence>() {
    return with_owner(context.nodes, context.owner, [&](auto owner) {
      return Routing<Sequence, decltype(owner)>(context, owner, sections, use).run();
    });
  });
}

}  // namespace groma::randomaccess
