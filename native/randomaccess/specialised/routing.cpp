// A rank that generates updates or routes them, and applies none.
//
// Why it always comes to an end: what comes in at stage s is put into buckets of stages from s on, and is
// taken only while none of those is full. A full bucket of stage s leaves when a receive of stage s + 1 on
// another node is free, or a queue to a rank whose stages are all later has room. Room of a stage is set
// aside for it alone, so that it depends on later stages only: the last ones, the ranks that update, never
// wait, hence their receives and queues become free; hence so do those before, down to stage 0, which
// generates. A stage that nothing comes to any more sends what is left in its buckets, and its end, so that
// the ends follow the updates through the stages in the same order.
#include <algorithm>
#include <deque>
#include <utility>

#include "randomaccess/specialised/messages.hpp"
#include "randomaccess/specialised/post.hpp"

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
  std::vector<int> peers;  ///< ranks
  Departures departures;
  std::size_t ended = 0;  ///< peers that have been told that nothing will follow
  [[nodiscard]] bool has_ended() const { return ended == peers.size() && departures.is_empty(); }
};

/// What comes in at a stage.
struct Inlet {
  int stage;
  Arrivals arrivals;
};

template <class Sequence, class Owner>
class Routing {
 public:
  Routing(const Post& post, Owner owner, const std::vector<Section>& sections, std::uint64_t use)
      : post_(post),
        own_(post.roles.stages(post.rank)),
        owner_(owner),
        index_(post.nodes.words()),
        source_(sections) {
    add_stages();
    add_queues(use);
    lay_out_buckets();
    for (int stage = own_.first; stage < own_.end; ++stage) outlets_.push_back(outlets_of(stage));
  }

  Activity run() {
    for (Inlet& inlet : inlets_) inlet.arrivals.start();
    while (!is_done()) {
      for (Dimension& dimension : dimensions_) dimension.departures.poll();
      const bool generated = generate();
      const bool received = receive();
      const bool read = read_queues();
      const bool sent = send_rest();
      note();
      patience_.spent_turn(generated || received || read || sent);
    }
    for (Inlet& inlet : inlets_) inlet.arrivals.stop();
    done_.waited = patience_.waited();
    return done_;
  }

 private:
  void add_stages() {
    const std::uint64_t bucket = post_.budget.bucket;
    for (int stage = own_.first; stage < own_.end; ++stage) {
      if (stage > 0) inlets_.push_back({stage, {bucket, stage - 1, post_.senders_to(stage), post_.messages}});
      if (stage < post_.roles.dimensions()) add_dimension(stage);
    }
  }

  /// Ranks of other nodes that this one sends to.
  [[nodiscard]] std::vector<int> peers_along(int dimension) const {
    std::vector<int> peers;
    for (const Link& link : post_.route.links) {
      if (link.stage != dimension) continue;
      peers.push_back(post_.rank_on(link.peer, post_.roles.lane(post_.rank), dimension + 1));
    }
    return peers;
  }

  void add_dimension(int stage) {
    auto peers = peers_along(stage);
    const std::size_t first = buckets_of_links_;
    buckets_of_links_ += peers.size();
    dimensions_.push_back({stage, first, std::move(peers), {post_.budget.bucket, stage, post_.messages}});
  }

  void add_queues(std::uint64_t use) {
    for (const UpdateQueue& queue : post_.to) writers_.emplace_back(queue);
    for (const UpdateQueue& queue : post_.from) readers_.emplace_back(queue, use);
  }

  /// Of the links, dimension after dimension, then of the queues.
  void lay_out_buckets() {
    const std::size_t count = buckets_of_links_ + writers_.size();
    memory_.resize(count * post_.budget.bucket);
    for (std::size_t at = 0; at < count; ++at) {
      buckets_.push_back({memory_.data() + at * post_.budget.bucket, 0, post_.budget.bucket});
    }
  }

  /// The bucket for each node of what comes in at a stage; for this node, the one of the first updating rank.
  [[nodiscard]] std::vector<std::uint32_t> outlets_of(int stage) const {
    std::vector<std::uint32_t> outlets;
    for (const std::uint32_t link : post_.route.link_for[static_cast<std::size_t>(stage)]) {
      outlets.push_back(static_cast<std::uint32_t>(outlet_of(link)));
    }
    return outlets;
  }

  [[nodiscard]] std::size_t outlet_of(std::size_t link) const {
    const auto& links = post_.route.links;
    const Roles& roles = post_.roles;
    if (link == links.size()) return bucket_to(roles.routers());
    const int stage = links[link].stage;
    if (!own_.has(stage)) return bucket_to(roles.rank_at(roles.lane(post_.rank), stage));
    std::size_t before = 0;  // links of stages that this rank has not
    while (!own_.has(links[before].stage)) ++before;
    return link - before;
  }

  [[nodiscard]] std::size_t bucket_to(int rank) const {
    const auto targets = post_.roles.targets(post_.rank);
    return buckets_of_links_ + static_cast<std::size_t>(std::ranges::find(targets, rank) - targets.begin());
  }

  [[nodiscard]] bool is_done() const {
    return is_closed_ && std::ranges::all_of(dimensions_, &Dimension::has_ended);
  }

  /// Puts what `next` returns into buckets, as what comes in at a stage; at most `count` and no further than
  /// to the first bucket that is full and cannot leave. Returns how many.
  template <class Next>
  std::uint64_t sort(std::uint64_t count, int stage, Next next) {
    const std::uint32_t* const outlets = outlets_[static_cast<std::size_t>(stage - own_.first)].data();
    Bucket* const buckets = buckets_.data();
    const auto self = static_cast<std::uint64_t>(post_.node);
    const std::uint64_t first_word = post_.first_word();
    const Split split = post_.split;
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

  /// Whether the bucket could leave.
  bool pass_on(std::size_t at) {
    return at < buckets_of_links_ ? send(at) : hand_over(at - buckets_of_links_);
  }

  bool send(std::size_t at) {
    Dimension& dimension = *std::ranges::find_if(
        dimensions_, [at](const Dimension& one) { return at - one.first_bucket < one.peers.size(); });
    if (!dimension.departures.has_room()) return false;
    send(dimension, at - dimension.first_bucket);
    return true;
  }

  void send(Dimension& dimension, std::size_t peer) {
    Bucket& bucket = buckets_[dimension.first_bucket + peer];
    ++done_.messages;
    done_.bytes += bucket.count * sizeof(std::uint64_t);
    dimension.departures.send(bucket, dimension.peers[peer]);
  }

  bool hand_over(std::size_t queue) {
    Bucket& bucket = buckets_[buckets_of_links_ + queue];
    QueueWriter& writer = writers_[queue];
    if (!writer.fits(bucket.count)) {
      note();
      writer.look();
    }
    if (!writer.fits(bucket.count)) return false;
    writer.push({bucket.updates, bucket.count});
    done_.handed += bucket.count;
    bucket.count = 0;
    return true;
  }

  /// Whether no bucket is full that what comes in at a stage may need.
  bool has_room(int stage) {
    for (std::size_t at = first_bucket_from(stage); at < buckets_.size(); ++at) {
      if (buckets_[at].is_full() && !pass_on(at)) return false;
    }
    return true;
  }

  [[nodiscard]] std::size_t first_bucket_from(int stage) const {
    for (const Dimension& dimension : dimensions_) {
      if (dimension.stage >= stage) return dimension.first_bucket;
    }
    return buckets_of_links_;
  }

  bool generate() {
    if (!own_.has(0)) return false;
    std::uint64_t room = kBlock;
    while (room != 0 && !source_.is_empty() && has_room(0)) {
      const std::uint64_t count = sort(std::min(source_.left(), room), 0, [this] { return source_.next(); });
      source_.taken(count);
      room -= count;
    }
    return room != kBlock;
  }

  bool receive() {
    bool any = false;
    for (Inlet& inlet : inlets_) {
      inlet.arrivals.poll();
      if (!inlet.arrivals.has_arrived() || !has_room(inlet.stage)) continue;
      inlet.arrivals.take(sort(inlet.arrivals.arrived(), inlet.stage));
      any = true;
    }
    return any;
  }

  /// What ranks earlier on the lane pass on is for any of the stages here.
  bool read_queues() {
    bool any = false;
    for (QueueReader& queue : readers_) {
      const auto updates = queue.arrived();
      if (updates.empty() || !has_room(own_.first)) continue;
      queue.take(sort(updates, own_.first));
      any = true;
    }
    return any;
  }

  std::uint64_t sort(std::span<const std::uint64_t> updates, int stage) {
    const std::uint64_t* from = updates.data();
    return sort(updates.size(), stage, [&from] { return *from++; });
  }

  /// Whether nothing comes any more at this stage or an earlier one.
  [[nodiscard]] bool has_ended_through(int stage) const {
    return source_is_empty() && std::ranges::all_of(readers_, &QueueReader::has_ended) &&
           std::ranges::all_of(inlets_, [stage](const Inlet& inlet) {
             return inlet.stage > stage || inlet.arrivals.has_ended();
           });
  }

  [[nodiscard]] bool source_is_empty() const { return !own_.has(0) || source_.is_empty(); }

  /// What is left where nothing more will come, and the ends.
  bool send_rest() {
    bool any = false;
    for (Dimension& dimension : dimensions_) {
      if (has_ended_through(dimension.stage)) any |= end(dimension);
    }
    if (!is_closed_ && has_ended_through(own_.end)) any |= close_queues();
    return any;
  }

  bool end(Dimension& dimension) {
    bool any = false;
    while (dimension.ended < dimension.peers.size() && dimension.departures.has_room()) {
      const bool is_end = buckets_[dimension.first_bucket + dimension.ended].count == 0;
      send(dimension, dimension.ended);
      dimension.ended += static_cast<std::size_t>(is_end);
      any = true;
    }
    return any;
  }

  bool close_queues() {
    for (std::size_t queue = 0; queue < writers_.size(); ++queue) {
      if (!hand_over(queue)) return false;
    }
    for (QueueWriter& writer : writers_) writer.end();
    return is_closed_ = true;
  }

  /// Called before anything is found to have gone, so that the count is never below what is held.
  void note() {
    std::uint64_t pending = 0;
    for (const Bucket& bucket : buckets_) pending += bucket.count;
    for (const Dimension& dimension : dimensions_) pending += dimension.departures.pending();
    for (const QueueWriter& writer : writers_) pending += writer.unread();
    for (const Inlet& inlet : inlets_) pending += inlet.arrivals.pending();
    done_.most_pending = std::max(done_.most_pending, pending);
  }

  const Post& post_;
  Stages own_;
  Owner owner_;
  typename Sequence::Index index_;
  Source<Sequence> source_;
  std::deque<Dimension> dimensions_;  // by stage
  std::deque<Inlet> inlets_;
  std::vector<QueueWriter> writers_;
  std::vector<QueueReader> readers_;
  std::size_t buckets_of_links_ = 0;
  std::vector<std::uint64_t> memory_;  // of buckets; departures swap theirs with it
  std::vector<Bucket> buckets_;
  std::vector<std::vector<std::uint32_t>> outlets_;  // of every own stage, for each node
  bool is_closed_ = false;
  Patience patience_;
  Activity done_;
};

}  // namespace

Activity route_updates(const Post& post, const std::vector<Section>& sections, std::uint64_t use) {
  return with_sequence(post.generator, [&]<class Sequence>() {
    return with_owner(post.nodes, post.owner, [&](auto owner) {
      return Routing<Sequence, decltype(owner)>(post, owner, sections, use).run();
    });
  });
}

}  // namespace groma::randomaccess
