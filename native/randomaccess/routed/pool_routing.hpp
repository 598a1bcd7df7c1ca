// Generates updates and routes them. The buckets of a dimension share a pool of room with what is under way
// along it. A bucket leaves when it is full, or when its pool is used up and less than half of that is under
// way: then the fullest one leaves.
//
// Why it always comes to an end: what comes in at stage s is put into buckets of stages from s on, and is
// taken only while their pools have room. A message of stage s leaves its pool when a receive of stage s + 1
// on another place is free; what ends here does when those have taken it that apply it, which wait for
// nothing. Each dimension has a pool of its own, so that it depends on later stages only: the last ones never
// wait, hence their receives become free; hence so do those before, down to stage 0, which generates. A stage
// that nothing comes to any more sends what is left in its buckets, and its end, so that the ends follow the
// updates through the stages in the same order.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <deque>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "randomaccess/activity.hpp"
#include "randomaccess/partition.hpp"
#include "randomaccess/routed/messages.hpp"
#include "randomaccess/routed/perturbation.hpp"
#include "randomaccess/routed/route.hpp"
#include "randomaccess/stream.hpp"

namespace groma::randomaccess {

/// A dimension that a rank sends along, to one peer at least.
struct Outgoing {
  int stage;
  std::uint64_t pool;      ///< updates that its buckets and messages may hold
  std::vector<int> peers;  ///< ranks, in the order of links; each is sent an end
};

/// A stage that messages come into.
struct Incoming {
  int stage;
  int senders;
  std::uint64_t posted;  ///< receives
};

/// The part of a rank in passing updates on. Places are what routes lead to: ranks, or nodes of ranks.
struct PoolRoute {
  const mpi::Communicator& messages;  ///< of its own
  const Partition& places;
  int place;
  Route route;  ///< of the place, with_strays
  Stages own;   ///< those whose messages this rank sends or receives
  std::uint64_t bucket;
  std::vector<Outgoing> outgoing;  ///< by stage
  std::vector<Incoming> incoming;
  Perturbation perturbation = {};
};

/// What becomes of updates that go along none of the own dimensions. They fill outlets, a bucket each.
template <class T>
concept Ends = requires(T ends, std::size_t at, std::uint64_t word, Bucket& bucket) {
  { ends.outlets() } -> std::convertible_to<std::size_t>;
  { ends.capacity() } -> std::convertible_to<std::uint64_t>;   // of an outlet
  { ends.outlet_of(at) } -> std::convertible_to<std::size_t>;  // of a link of the route, or of what ends here
  { ends.parts()(word) } -> std::convertible_to<std::uint64_t>;  // outlets further, for a word of this place
  { ends.pool() } -> std::convertible_to<std::uint64_t>;  // updates that outlets and what left them may hold
  { ends.unread() } -> std::convertible_to<std::uint64_t>;    // left an outlet, and counts for this rank
  {ends.refresh()};                                           // finds out what is still unread
  { ends.held(word) } -> std::convertible_to<std::uint64_t>;  // with so many in outlets, or more
  {ends.pass_on(at, bucket)};                                 // empties the bucket; never waits
  {ends.close()};                                             // nothing follows
};

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

/// What comes from other ranks of the same place; none by default.
struct NoReaders {
  template <class Take>
  bool read(const Take& /*take*/) {
    return false;
  }
  [[nodiscard]] bool is_finished() const { return true; }
};

template <class Sequence, class Owner, Ends Sink, class Readers = NoReaders>
class PoolRouting {
 public:
  PoolRouting(const PoolRoute& task, Owner owner, const std::vector<Section>& sections, Sink& ends,
              Readers readers = {})
      : task_(task),
        owner_(owner),
        index_(task.places.words()),
        source_(sections),
        ends_(ends),
        readers_(std::move(readers)),
        perturbation_(task.perturbation) {
    for (const Outgoing& one : task.outgoing) add_dimension(one);
    for (const Incoming& one : task.incoming) {
      inputs_.push_back({one.stage, {task.bucket, one.posted, one.stage - 1, one.senders, task.messages}});
    }
    lay_out_buckets();
    for (int stage = task.own.first; stage < task.own.end; ++stage) outlets_.push_back(outlets_of(stage));
  }

  Activity run() {
    for (Input& input : inputs_) input.receives.start();
    while (!is_done()) {
      for (Dimension& dimension : dimensions_) dimension.sends.poll();
      const bool generated = generate();
      const bool received = receive();
      const bool read = read_others();
      const bool sent = send_rest();
      note();
      backoff_.after_step(generated || received || read || sent);
    }
    for (Input& input : inputs_) input.receives.stop();
    done_.waited = backoff_.waited();
    done_.delayed = perturbation_.delayed();
    return done_;
  }

 private:
  static constexpr std::uint64_t kBlock = 256;  ///< updates generated before messages are looked at again

  /// One that this rank sends along; its buckets are neighbours.
  struct Dimension {
    int stage;
    std::size_t first_bucket;
    std::uint64_t pool;
    const std::vector<int>& peers;
    SendBuffers sends;
    std::size_t ended = 0;  ///< peers that know that nothing follows
    [[nodiscard]] std::size_t end_bucket() const { return first_bucket + peers.size(); }
    [[nodiscard]] bool has_ended() const { return ended == peers.size() && sends.is_empty(); }
  };

  /// What comes in at a stage.
  struct Input {
    int stage;
    ReceiveBuffers receives;
  };

  void add_dimension(const Outgoing& one) {
    dimensions_.push_back(
        {one.stage, buckets_of_links_, one.pool, one.peers, {task_.bucket, one.stage, task_.messages}});
    buckets_of_links_ += one.peers.size();
  }

  /// Of the links, dimension after dimension, then of the outlets, then of what belongs nowhere.
  void lay_out_buckets() {
    memory_.resize(buckets_of_links_ * task_.bucket + ends_.outlets() * ends_.capacity());
    std::uint64_t* next = memory_.data();
    for (std::size_t at = 0; at < first_stray(); ++at) {
      const std::uint64_t size = at < buckets_of_links_ ? task_.bucket : ends_.capacity();
      buckets_.push_back({next, 0, size});
      next += size;
    }
    buckets_.push_back({stray_.data(), 0, stray_.size()});
  }

  [[nodiscard]] std::size_t first_stray() const { return buckets_of_links_ + ends_.outlets(); }

  /// The bucket for each place of what comes in at a stage; for this one, the first of those that end here.
  [[nodiscard]] std::vector<std::uint32_t> outlets_of(int stage) const {
    std::vector<std::uint32_t> outlets;
    for (const std::uint32_t link : task_.route.link_for[static_cast<std::size_t>(stage)]) {
      outlets.push_back(static_cast<std::uint32_t>(outlet_of(link)));
    }
    return outlets;
  }

  [[nodiscard]] std::size_t outlet_of(std::size_t link) const {
    const auto& links = task_.route.links;
    if (link > links.size()) return first_stray();
    if (link == links.size()) return buckets_of_links_ + ends_.outlet_of(link);
    const int stage = links[link].stage;
    const auto dimension = std::ranges::find(dimensions_, stage, &Dimension::stage);
    if (dimension != dimensions_.end()) return dimension->first_bucket + link - first_link_of(stage);
    // An own stage that this rank never sends along gets only what has gone astray.
    return task_.own.has(stage) ? first_stray() : buckets_of_links_ + ends_.outlet_of(link);
  }

  [[nodiscard]] std::size_t first_link_of(int stage) const {
    const auto& links = task_.route.links;
    return static_cast<std::size_t>(std::ranges::find(links, stage, &Link::stage) - links.begin());
  }

  [[nodiscard]] bool is_done() const {
    return is_closed_ && std::ranges::all_of(dimensions_, &Dimension::has_ended);
  }

  /// Puts what `next` returns into buckets, as what comes in at a stage; at most `count`, for which there is
  /// room, and no further than to the first bucket that is full and cannot leave. Returns how many.
  template <class Next>
  std::uint64_t sort(std::uint64_t count, int stage, Next next) {
    const std::uint32_t* const outlets = outlets_[static_cast<std::size_t>(stage - task_.own.first)].data();
    Bucket* const buckets = buckets_.data();
    const auto self = static_cast<std::uint64_t>(task_.place);
    const std::uint64_t first_word = task_.places.first(self);
    const auto part_of = ends_.parts();
    for (std::uint64_t done = 0; done < count;) {
      const std::uint64_t value = next();
      const std::uint64_t word = index_(value);
      const std::uint64_t place = owner_(word);
      // Both are computed so that there is no branch, which would be mispredicted.
      const std::uint64_t part = place == self ? part_of(word - first_word) : 0;
      const std::uint64_t at = outlets[place] + part;
      Bucket& bucket = buckets[at];
      bucket.updates[bucket.count++] = value;
      ++done;
      if (bucket.is_full() && !pass_on(at)) return done;
    }
    return count;
  }

  /// Whether the bucket could leave. An outlet always can.
  bool pass_on(std::size_t at) {
    if (at < buckets_of_links_) return send(at);
    if (at < first_stray()) {
      ends_.pass_on(at - buckets_of_links_, buckets_[at]);
    } else {
      buckets_[at].count = 0;
    }
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
    perturbation_.sent(bucket.count);
    done_.count_message(bucket.count, bucket.capacity);
    dimension.sends.send(bucket, dimension.peers[peer]);
  }

  /// Updates that may come in at a stage before this is asked again.
  std::uint64_t room(int stage) {
    std::uint64_t room = ends_.outlets() == 0 ? std::numeric_limits<std::uint64_t>::max() : room_at_ends();
    for (Dimension& dimension : dimensions_) {
      if (dimension.stage >= stage) room = std::min(room, room_along(dimension));
    }
    return room;
  }

  /// None where a bucket is full and cannot leave, or the pool is used up.
  std::uint64_t room_along(Dimension& dimension) {
    const std::size_t end = dimension.end_bucket();
    for (std::size_t at = dimension.first_bucket; at < end; ++at) {
      if (buckets_[at].is_full() && !send(at)) return 0;
    }
    const std::uint64_t under_way = dimension.sends.pending();
    const std::uint64_t room = dimension.pool - under_way - held_in(dimension.first_bucket, end);
    if (room == 0 && 2 * under_way < dimension.pool) send(fullest_of(dimension.first_bucket, end));
    return room;
  }

  std::uint64_t room_at_ends() {
    const std::uint64_t held = held_in(buckets_of_links_, first_stray());
    if (held + ends_.unread() == ends_.pool()) {
      note();
      ends_.refresh();
    }
    const std::uint64_t room = ends_.pool() - held - ends_.unread();
    if (room == 0 && 2 * ends_.unread() < ends_.pool()) pass_on(fullest_of(buckets_of_links_, first_stray()));
    return room;
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
    if (!task_.own.has(0)) return false;
    std::uint64_t block = kBlock;
    while (block != 0 && !source_.is_empty()) {
      const std::uint64_t most = std::min({source_.left(), block, room(0)});
      if (most == 0) break;
      const std::uint64_t count = sort(most, 0, [this] { return source_.next(); });
      perturbation_.worked(count);
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
      perturbation_.received(count);
      input.receives.take(count);
      any |= count != 0;
    }
    return any;
  }

  /// What comes from ranks of the same place is for any of the stages here.
  bool read_others() {
    return readers_.read(
        [this](std::span<const std::uint64_t> updates) { return take(updates, task_.own.first); });
  }

  /// Sorts as many as there is room for. Returns how many are dealt with.
  std::uint64_t take(std::span<const std::uint64_t> updates, int stage) {
    if (updates.empty() || task_.perturbation.discards) return updates.size();
    const std::uint64_t* from = updates.data();
    const std::uint64_t most = std::min<std::uint64_t>(updates.size(), room(stage));
    const std::uint64_t count = sort(most, stage, [&from] { return *from++; });
    perturbation_.worked(count);
    return count;
  }

  /// Whether nothing comes any more at this stage or an earlier one.
  [[nodiscard]] bool has_ended_through(int stage) const {
    return source_is_empty() && readers_.is_finished() &&
           std::ranges::all_of(inputs_, [stage](const Input& input) {
             return input.stage > stage || input.receives.has_ended();
           });
  }

  [[nodiscard]] bool source_is_empty() const { return !task_.own.has(0) || source_.is_empty(); }

  /// What is left where nothing more will come, and the ends.
  bool send_rest() {
    bool any = false;
    for (Dimension& dimension : dimensions_) {
      if (has_ended_through(dimension.stage)) any |= end(dimension);
    }
    if (is_closed_ || !has_ended_through(task_.own.end)) return any;
    close_ends();
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

  void close_ends() {
    for (std::size_t at = buckets_of_links_; at < first_stray(); ++at) pass_on(at);
    ends_.close();
    is_closed_ = true;
  }

  /// Called before anything is found to have gone, so that the count is never below what is held.
  void note() {
    std::uint64_t pending =
        held_in(0, buckets_of_links_) + ends_.held(held_in(buckets_of_links_, first_stray()));
    for (const Dimension& dimension : dimensions_) pending += dimension.sends.pending();
    for (const Input& input : inputs_) pending += input.receives.pending();
    done_.most_pending = std::max(done_.most_pending, pending);
  }

  const PoolRoute& task_;
  Owner owner_;
  typename Sequence::Index index_;
  Source<Sequence> source_;
  Sink& ends_;
  Readers readers_;
  std::deque<Dimension> dimensions_;  // by stage
  std::deque<Input> inputs_;
  std::size_t buckets_of_links_ = 0;
  std::vector<std::uint64_t> memory_;  // of buckets; send buffers swap theirs with it
  std::array<std::uint64_t, 64> stray_{};
  std::vector<Bucket> buckets_;
  std::vector<std::vector<std::uint32_t>> outlets_;  // of every own stage, for each place
  bool is_closed_ = false;
  Backoff backoff_;
  PerturbationDelay perturbation_;
  Activity done_;
};

}  // namespace groma::randomaccess
