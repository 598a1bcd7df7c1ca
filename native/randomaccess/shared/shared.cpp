// Ranks of one node pass updates through queues in a shared window; tables stay private, because shared
// memory gets no huge pages on most systems.
#include <algorithm>
#include <utility>

#include "mpi/shared_parts.hpp"
#include "randomaccess/algorithm.hpp"
#include "randomaccess/local.hpp"

namespace groma::randomaccess {
namespace {

constexpr std::uint64_t kLeastLimit = 4;

class SharedQueues final : public Updater {
 public:
  static Result<std::unique_ptr<Updater>> make(const Setup& setup) {
    const std::uint64_t capacity = Mailboxes::capacity_for(setup.workers.parts());
    const Bytes size(setup.world.is_root() ? Mailboxes::bytes(setup.workers.parts(), capacity) : 0);
    auto memory = mpi::SharedParts::allocate(setup.world, size);
    if (!memory) return memory.error();
    return std::unique_ptr<Updater>(new SharedQueues(setup, capacity, std::move(memory).value()));
  }

  void apply(Section section) override {
    const Mailboxes boxes(memory_.of<std::byte>(0), setup_.workers.parts(), capacity_);
    const std::uint64_t first = static_cast<std::uint64_t>(setup_.world.rank()) * setup_.threads;
    done_.add(run_workers({boxes, setup_.workers, first, setup_.threads, setup_.table, setup_.generator,
                           setup_.limit, setup_.owner},
                          section, ++epoch_));
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
  std::uint64_t epoch_ = 0;
  Activity done_;
};

std::string hindrance(const Site& site) {
  if (!site.one_node) return "its ranks must share memory, these lie on several nodes";
  return site.limit < kLeastLimit ? "a look-ahead of less than 4 leaves no room for its queues" : "";
}

const AlgorithmRegistration kShared({
    .name = "shared",
    .number = 10,
    .what = "queues in memory that the ranks of one node share, one for each pair; owners apply",
    .hindrance = hindrance,
    .merit = [](const Site& /*site*/) { return 100; },
    .make = SharedQueues::make,
});

}  // namespace
}  // namespace groma::randomaccess
