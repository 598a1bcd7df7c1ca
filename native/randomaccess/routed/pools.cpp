// Passes updates on as specialised ranks do, where each rank does everything: it generates, routes, and
// applies what ends there.
#include <limits>

#include "mpi/wait.hpp"
#include "randomaccess/routed/exchange.hpp"
#include "randomaccess/routed/pool_routing.hpp"
#include "randomaccess/window.hpp"

namespace groma::randomaccess {
namespace {

/// The window on the table, and one bucket in front of it, which counts as full all the time.
template <class Sequence>
class WindowEnds {
 public:
  explicit WindowEnds(const MessageExchange& exchange)
      : here_(exchange.shares.here),
        window_(exchange.setup.table,
                exchange.ranks.first(static_cast<std::uint64_t>(exchange.messages.rank())),
                typename Sequence::Index(exchange.ranks.words()), exchange.shares.window) {}

  [[nodiscard]] std::size_t outlets() const { return 1; }
  [[nodiscard]] std::uint64_t capacity() const { return here_; }
  [[nodiscard]] std::size_t outlet_of(std::size_t /*link*/) const { return 0; }
  [[nodiscard]] auto parts() const {
    return [](std::uint64_t /*word*/) { return std::uint64_t{0}; };
  }

  /// The window takes all.
  [[nodiscard]] std::uint64_t pool() const { return std::numeric_limits<std::uint64_t>::max(); }
  [[nodiscard]] std::uint64_t unread() const { return window_.pending(); }
  void refresh() {}
  [[nodiscard]] std::uint64_t held(std::uint64_t /*filling*/) const { return here_ + window_.pending(); }

  void pass_on(std::size_t /*outlet*/, Bucket& bucket) {
    window_.take(std::span<const std::uint64_t>(bucket.updates, bucket.count));
    bucket.count = 0;
  }
  void close() { window_.drain(); }

 private:
  std::uint64_t here_;
  Window<Sequence> window_;
};

std::vector<int> peers_at(const Route& route, int stage) {
  std::vector<int> peers;
  for (const Link& link : route.links) {
    if (link.stage == stage) peers.push_back(link.peer);
  }
  return peers;
}

PoolRoute part_of_rank(const MessageExchange& exchange) {
  const auto stages = static_cast<int>(exchange.route.link_for.size()) - 1;
  PoolRoute part{.messages = exchange.messages,
                 .places = exchange.ranks,
                 .place = exchange.messages.rank(),
                 .route = with_strays(exchange.route, exchange.messages.rank()),
                 .own = {0, stages + 1},
                 .bucket = exchange.shares.bucket,
                 .outgoing = {},
                 .incoming = {}};
  for (int stage = 0; stage < stages; ++stage) {
    const StagePool& pool = exchange.shares.pools[static_cast<std::size_t>(stage)];
    if (pool.room != 0) part.outgoing.push_back({stage, pool.room, peers_at(exchange.route, stage)});
    if (pool.senders != 0) part.incoming.push_back({stage + 1, pool.senders, pool.posted()});
  }
  return part;
}

}  // namespace

Activity exchange_in_pools(const MessageExchange& exchange, Section section) {
  const PoolRoute part = part_of_rank(exchange);
  const std::vector<Section> sections = {section};
  const Activity done = with_sequence(exchange.setup.generator, [&]<class Sequence>() {
    return with_owner(exchange.ranks, exchange.setup.owner, [&](auto owner) {
      WindowEnds<Sequence> ends(exchange);
      return PoolRouting<Sequence, decltype(owner), WindowEnds<Sequence>>(part, owner, sections, ends).run();
    });
  });
  mpi::barrier(exchange.messages, mpi::WaitPolicy::kYield);  // no later message meets a receive of now
  return done;
}

}  // namespace groma::randomaccess
