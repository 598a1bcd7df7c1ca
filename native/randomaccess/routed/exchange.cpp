#include "randomaccess/routed/exchange.hpp"

#include <algorithm>
#include <deque>

#include "randomaccess/routed/link.hpp"
#include "randomaccess/window.hpp"

namespace groma::randomaccess {
namespace {

constexpr std::uint64_t kBlock = 256;  ///< updates generated before messages are looked at again

/// How a rank's limit is spent.
struct Shares {
  std::uint64_t window;
  std::uint64_t here;    ///< bucket of updates to be applied here
  std::uint64_t bucket;  ///< of each link: one fills, one is on its way
};

Shares shares_of(std::uint64_t links, std::uint64_t limit) {
  const std::uint64_t window = std::bit_floor(std::max<std::uint64_t>(1, limit / 8));
  const std::uint64_t here = std::max<std::uint64_t>(1, limit / 16);
  const std::uint64_t rest = limit - std::min(limit, window + here);
  return {window, here, rest / std::max<std::uint64_t>(1, 2 * links)};
}

template <class Sequence, class Owner>
class Router {
 public:
  Router(const MessageExchange& exchange, Owner owner)
      : messages_(exchange.messages),
        route_(exchange.route),
        owner_(owner),
        index_(exchange.ranks.words()),
        shares_(shares_of(static_cast<std::uint64_t>(route_.most_links), exchange.setup.limit)),
        window_(exchange.setup.table, exchange.ranks.first(static_cast<std::uint64_t>(messages_.rank())),
                index_, shares_.window),
        here_(shares_.here) {
    for (const Link& link : route_.links) {
      links_.emplace_back(link, messages_.rank() < link.peer, shares_.bucket);
      buckets_.push_back({links_.back().filling(), 0, shares_.bucket});
    }
    buckets_.push_back({here_.data(), 0, shares_.here});
  }

  Activity run(Section section) {
    value_ = Sequence::at(static_cast<std::int64_t>(section.first));
    left_ = section.count;
    for (MessageLink& link : links_) link.start(messages_);
    while (!is_done()) {
      const bool generated = generate();
      const bool moved = receive();
      const bool sent = send_due();
      patience_.spent_turn(generated || moved || sent);
    }
    window_.drain();
    for (MessageLink& link : links_) link.stop();
    messages_.barrier();  // no message of what comes next meets a receive of now
    done_.waited = patience_.waited();
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
      if (&bucket != &buckets_.back()) return done;
      apply_here();
    }
    return count;
  }

  /// The most that is held is held just before updates leave.
  void apply_here() {
    note();
    Bucket& bucket = buckets_.back();
    window_.take(std::span<const std::uint64_t>(bucket.updates, bucket.count));
    bucket.count = 0;
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
    for (MessageLink& link : links_) {
      link.poll();
      const auto next_stage = static_cast<std::size_t>(link.stage()) + 1;
      if (!link.has_arrived() || !has_room(next_stage)) continue;
      const std::span<const std::uint64_t> updates = link.arrived();
      const std::uint64_t* from = updates.data();
      link.take(sort(updates.size(), next_stage, [&from] { return *from++; }), messages_);
      any = true;
    }
    if (any) apply_here();
    return any;
  }

  void send(std::size_t at, bool last) {
    ++done_.messages;
    done_.bytes += buckets_[at].count * sizeof(std::uint64_t);
    links_[at].send(buckets_[at], last, messages_);
  }

  void send_full() {
    for (std::size_t at = 0; at < links_.size(); ++at) {
      if (buckets_[at].is_full() && links_[at].can_send()) send(at, false);
    }
  }

  /// Full buckets; the rest where nothing more will come, or where a peer may wait for it while this rank
  /// waits as well, for longer than a turn: without it each might wait for the other in a ring.
  bool send_due() {
    bool any = false;
    const bool stuck = patience_.idle_turns() > 0 && (left_ == 0 || !has_room(0));
    for (std::size_t at = 0; at < links_.size(); ++at) {
      MessageLink& link = links_[at];
      const bool last = left_ == 0 && is_drained_before(link.stage());
      const bool ends = last && (!link.told_last() || link.is_owed());
      const bool wanted = buckets_[at].is_full() || ends || (stuck && link.is_owed());
      if (!wanted || !link.can_send()) continue;
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

  void note() {
    std::uint64_t pending = window_.pending();
    for (const Bucket& bucket : buckets_) pending += bucket.count;
    for (const MessageLink& link : links_) pending += link.pending();
    done_.most_pending = std::max(done_.most_pending, pending);
  }

  const mpi::Communicator& messages_;
  const Route& route_;
  Owner owner_;
  typename Sequence::Index index_;
  Shares shares_;
  Window<Sequence> window_;
  std::vector<std::uint64_t> here_;
  std::deque<MessageLink> links_;
  std::vector<Bucket> buckets_;  // of every link, then of what is applied here
  std::uint64_t value_ = 0;
  std::uint64_t left_ = 0;
  Patience patience_;
  Activity done_;
};

}  // namespace

std::uint64_t bucket_size(std::uint64_t links, std::uint64_t limit) {
  return shares_of(links, limit).bucket;
}

Activity exchange_by_messages(const MessageExchange& exchange, Section section) {
  return with_sequence(exchange.setup.generator, [&]<class Sequence>() {
    return with_owner(exchange.ranks, exchange.setup.owner, [&](auto owner) {
      return Router<Sequence, decltype(owner)>(exchange, owner).run(section);
    });
  });
}

}  // namespace groma::randomaccess
