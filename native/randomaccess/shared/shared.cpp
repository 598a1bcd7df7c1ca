// Ranks of one node pass updates through queues in a shared window; tables stay private, because shared
// memory gets no huge pages on most systems.
#include <algorithm>
#include <utility>

#include "mpi/shared_parts.hpp"
#include "randomaccess/algorithm.hpp"
#include "randomaccess/local.hpp"

namespace groma::randomaccess {
namespace {

constexpr std::uint64_t kMinToApply = 2;  ///< of a rank that brings no updates: half of it is its window
constexpr std::uint64_t kMaxToApply = 256;

/// Of a rank that brings no updates, where the limit is that of the node and its first rank brings all.
std::uint64_t limit_to_apply(std::uint64_t of_node, std::uint64_t others) {
  return std::clamp(of_node / 2 / others, kMinToApply, kMaxToApply);
}

/// The limit of each rank. A rank that only applies updates needs its window; the rest of a node's limit is
/// for the one that generates and fills the queues of all. Ranks that all generate have equal needs.
std::uint64_t limit_of(const Setup& setup) {
  const auto [updates, of_node] = setup.limit;
  const auto ranks = static_cast<std::uint64_t>(setup.world.size());
  const auto rank = static_cast<std::uint64_t>(setup.world.rank());
  if (!of_node || ranks == 1) return updates;
  if (!setup.placement.node_generates) return part_of({0, updates}, rank, ranks).count;
  const std::uint64_t each = limit_to_apply(updates, ranks - 1);
  return rank == 0 ? updates - (ranks - 1) * each : each;
}

bool is_enough(const Site& site) {
  const auto ranks = static_cast<std::uint64_t>(site.ranks);
  if (!site.limit.of_node) return site.limit.updates >= kMinLookAhead;
  const std::uint64_t least = site.placement.node_generates ? kMinToApply : kMinLookAhead;
  return site.limit.updates >= kMinLookAhead + (ranks - 1) * least;
}

class SharedQueues final : public Updater {
 public:
  static Result<std::unique_ptr<Updater>> make(const Setup& setup) {
    const std::uint64_t capacity = PairQueues::capacity_for(setup.workers.parts());
    const Bytes size(setup.world.is_root() ? PairQueues::bytes(setup.workers.parts(), capacity) : 0);
    auto memory = mpi::SharedParts::allocate(setup.world, size);
    if (!memory) return memory.error();
    return std::unique_ptr<Updater>(new SharedQueues(setup, capacity, std::move(memory).value()));
  }

  void apply(Section section) override {
    const PairQueues queues(memory_.of<std::byte>(0), setup_.workers.parts(), capacity_);
    done_.add(run_workers({queues, setup_.workers, setup_.first_worker(), setup_.threads, setup_.table,
                           setup_.generator, limit_of(setup_), setup_.owner},
                          section, ++uses_));
  }

  [[nodiscard]] Activity activity() const override { return done_; }

 private:
  SharedQueues(Setup setup, std::uint64_t capacity, mpi::SharedParts memory)
      : setup_(std::move(setup)), capacity_(capacity), memory_(std::move(memory)) {
    if (setup_.world.is_root()) std::ranges::fill(memory_.of<std::byte>(0), std::byte{0});
    memory_.synchronize();
    setup_.world.barrier();
    memory_.synchronize();
  }

  Setup setup_;
  std::uint64_t capacity_;
  mpi::SharedParts memory_;  ///< all of it on the root
  std::uint64_t uses_ = 0;
  Activity done_;
};

std::string unsupported_reason(const Site& site) {
  if (!site.one_node) return "its ranks must share memory, but these are on several nodes";
  return is_enough(site) ? "" : "the look-ahead leaves ranks less than 4, too little for its queues";
}

const AlgorithmRegistration kShared({
    .name = "shared",
    .number = 10,
    .what = "queues in memory that the ranks of one node share, one for each pair; owners apply",
    .unsupported_reason = unsupported_reason,
    .priority = [](const Site& /*site*/) { return 100; },
    .make = SharedQueues::make,
});

}  // namespace
}  // namespace groma::randomaccess
