#include <algorithm>
#include <array>
#include <deque>

#include "mpi/wait.hpp"
#include "randomaccess/routed/exchange.hpp"
#include "randomaccess/routed/link.hpp"
#include "randomaccess/window.hpp"

namespace groma::randomaccess {
namespace {

constexpr std::uint64_t kBlock = 256;             ///< updates generated before messages are looked at again
constexpr std::uint32_t kStepsBeforeAsking = 16;  ///< without work, before a rank asks for a turn
constexpr std::uint64_t kMinUnasked = 8;  ///< a part-full bucket leaves unasked with 1/8 of its capacity

template <class Sequence, class Owner>
class Router {
 public:
  Router(const MessageExchange& exchange, Owner owner)
      : messages_(exchange.messages),
        route_(with_strays(exchange.route, exchange.messages.rank())),
        owner_(owner),
        index_(exchange.ranks.words()),
        shares_(exchange.shares),
        window_(exchange.setup.table, exchange.ranks.first(static_cast<std::uint64_t>(messages_.rank())),
                index_, shares_.window),
        here_(shares_.here) {
    for (const Link& link : route_.links) {
      links_.emplace_back(link, messages_.rank() < link.peer, shares_.bucket);
      buckets_.push_back({links_.back().filling(), 0, shares_.bucket});
    }
    buckets_.push_back({here_.data(), 0, shares_.here});
    buckets_.push_back({stray_.data(), 0, stray_.size()});
  }

  Activity run(Section section) {
    value_ = Sequence::at(static_cast<std::int64_t>(section.first));
    left_ = section.count;
    for (MessageLink& link : links_) link.start(messages_);
    while (!is_done()) {
      const bool generated = generate();
      const bool moved = receive();
      const bool sent = send_due();
      backoff_.after_step(generated || moved || sent);
    }
    window_.drain();
    for (MessageLink& link : links_) link.stop();
    mpi::barrier(messages_, mpi::WaitPolicy::kYield);  // no later message meets a receive of now
    done_.waited = backoff_.waited();
    return done_;
  }

 private:
  [[nodiscard]] bool is_done() const {
    return left_ == 0 &&
           std::ranges::all_of(links_, [](const MessageLink& link) { return link.is_closed(); });
  }

  /// Puts what `next` returns into buckets, as what comes from stage `from` does; at most `count` and no
  /// further than to the first bucket that is full. Returns how many.
  template <class Next>
  std::uint64_t sort(std::uint64_t count, std::size_t from, Next next) {
    const std::uint32_t* const link_for = route_.link_for[from].data();
    Bucket* const buckets = buckets_.data();
    for (std::uint64_t done = 0; done < count;) {
      const std::uint64_t value = next();
      Bucket& bucket = buckets[link_for[owner_(index_(value))]];
      bucket.updates[bucket.count++] = value;
      ++done;
      if (!bucket.is_full()) continue;
      if (&bucket < &of_here()) return done;
      apply_here();
    }
    return count;
  }

  Bucket& of_here() { return buckets_[links_.size()]; }

  void apply_here() {
    Bucket& bucket = of_here();
    window_.take(std::span<const std::uint64_t>(bucket.updates, bucket.count));
    bucket.count = 0;
    buckets_.back().count = 0;
  }

  /// Whether no bucket of this stage or a later one is full, so that what comes from before can be sorted.
  [[nodiscard]] bool has_room(std::size_t stage) const {
    for (std::size_t link = 0; link < links_.size(); ++link) {
      if (static_cast<std::size_t>(links_[link].stage()) >= stage && buckets_[link].is_full()) return false;
    }
    return true;
  }

  bool generate() {
    std::uint64_t room = kBlock;
    while (left_ != 0 && room != 0 && has_room(0)) {
      const std::uint64_t count =
          sort(std::min(left_, room), 0, [this] { return value_ = Sequence::next(value_); });
      left_ -= count;
      room -= count;
      send_full();
    }
    apply_here();
    return room != kBlock;
  }

  /// Sorts what has arrived as far as there is room; whether anything had.
  bool receive() {
    bool any = false;
    note();
    for (MessageLink& link : links_) {
      // With its turn a link can be asked only, which matters to a rank that cannot go on.
      if (!link.has_turn() || backoff_.idle_steps() > 0) link.poll(messages_);
      const auto next_stage = static_cast<std::size_t>(link.stage()) + 1;
      if (!link.has_arrived() || !has_room(next_stage)) continue;
      note();
      const std::span<const std::uint64_t> updates = link.arrived();
      const std::uint64_t* from = updates.data();
      link.take(sort(updates.size(), next_stage, [&from] { return *from++; }), messages_);
      any = true;
    }
    if (any) apply_here();
    return any;
  }

  void send(std::size_t at, bool last) {
    done_.count_message(buckets_[at].count, shares_.bucket);
    links_[at].send(buckets_[at], last, messages_);
  }

  void ask(MessageLink& link) {
    done_.count_message(0, shares_.bucket);
    link.ask(messages_);
  }

  void send_full() {
    for (std::size_t at = 0; at < links_.size(); ++at) {
      if (buckets_[at].is_full() && links_[at].can_send()) send(at, false);
    }
  }

  /// Full buckets and last messages leave at once, part-full ones only while this rank cannot go on: if it is
  /// worthwhile, or if the peer asks for its turn. Without an answer each might wait for the other in a ring.
  /// A rank asks only where it has a full bucket or its last message to send, once a turn; so however long it
  /// waits, for each of those there are two small messages at most.
  bool send_due() {
    bool any = false;
    const bool stuck = backoff_.idle_steps() > 0 && (left_ == 0 || !has_room(0));
    const bool may_ask = stuck && backoff_.idle_steps() > kStepsBeforeAsking;
    for (std::size_t at = 0; at < links_.size(); ++at) {
      MessageLink& link = links_[at];
      const Bucket& bucket = buckets_[at];
      const bool last = left_ == 0 && is_drained_before(link.stage());
      const bool ready = bucket.is_full() || (last && !link.has_sent_last());
      if (ready && may_ask && link.can_ask()) ask(link);
      const bool answers = link.is_awaited() && (stuck || link.has_sent_last());
      const bool relieves = stuck && kMinUnasked * bucket.count >= bucket.capacity && !link.is_drained();
      if (!(ready || answers || relieves) || !link.can_send()) continue;
      send(at, last);
      any = true;
    }
    return any;
  }

  /// Whether nothing comes any more from stages before this one.
  [[nodiscard]] bool is_drained_before(int stage) const {
    return std::ranges::all_of(
        links_, [&](const MessageLink& link) { return link.stage() >= stage || link.is_drained(); });
  }

  /// Called before what is held can become less: before peers are found to have more of it, and before what
  /// came from them is applied. The bucket of updates to apply here counts as full all the time.
  void note() {
    std::uint64_t pending = window_.pending() + shares_.here;
    for (std::size_t at = 0; at < links_.size(); ++at) pending += buckets_[at].count + links_[at].pending();
    done_.most_pending = std::max(done_.most_pending, pending);
  }

  const mpi::Communicator& messages_;
  Route route_;
  Owner owner_;
  typename Sequence::Index index_;
  Shares shares_;
  Window<Sequence> window_;
  std::vector<std::uint64_t> here_;
  std::array<std::uint64_t, 64> stray_{};
  std::deque<MessageLink> links_;
  std::vector<Bucket> buckets_;  // of every link, then of what is applied here, then of what belongs nowhere
  std::uint64_t value_ = 0;
  std::uint64_t left_ = 0;
  Backoff backoff_;
  Activity done_;
};

}  // namespace

Activity exchange_in_turns(const MessageExchange& exchange, Section section) {
  return with_sequence(exchange.setup.generator, [&]<class Sequence>() {
    return with_owner(exchange.ranks, exchange.setup.owner, [&](auto owner) {
      return Router<Sequence, decltype(owner)>(exchange, owner).run(section);
    });
  });
}

}  // namespace groma::randomaccess
