// Ranks of one node pass updates through queues in a shared window; tables stay private, because shared
// memory gets no huge pages on most systems.
#include "hpcc/random_access/algorithm.hpp"
#include "hpcc/random_access/local.hpp"
#include "mpi/shared_memory.hpp"

namespace groma::hpcc::random_access {
namespace {

class SharedQueues final : public Updater {
 public:
  explicit SharedQueues(const Setup& setup)
      : setup_(setup),
        capacity_(Mailboxes::capacity_for(setup.workers.parts())),
        memory_(setup.world, Bytes(Mailboxes::bytes(setup.workers.parts(), capacity_))) {}

  void apply(Section section) override {
    const Mailboxes boxes(memory_.bytes(), setup_.workers.parts(), capacity_);
    const std::uint64_t first = static_cast<std::uint64_t>(setup_.world.rank()) * setup_.threads;
    held_.note(run_workers(boxes, setup_.workers, first, setup_.threads, setup_.table, setup_.generator,
                           section, ++epoch_, setup_.limit));
  }

  [[nodiscard]] std::uint64_t most_pending() const override { return held_.most(); }

 private:
  Setup setup_;
  std::uint64_t capacity_;
  mpi::SharedMemory memory_;
  std::uint64_t epoch_ = 0;
  LookAhead held_;
};

const AlgorithmRegistration kShared({
    .name = "shared",
    .number = 10,
    .what = "queues in memory that the ranks of one node share, one for each pair; owners apply",
    .can_run = [](const Site& site) { return site.one_node; },
    .merit = [](const Site& /*site*/) { return 100; },
    .make = [](const Setup& setup) -> std::unique_ptr<Updater> {
      return std::make_unique<SharedQueues>(setup);
    },
});

}  // namespace
}  // namespace groma::hpcc::random_access
