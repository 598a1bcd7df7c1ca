#include "randomaccess/global_run.hpp"

#include <algorithm>
#include <utility>

#include "job/repetition.hpp"
#include "randomaccess/verification.hpp"

namespace groma::randomaccess {
namespace {

constexpr std::uint64_t kWarmUp = std::uint64_t{1} << 18U;

}  // namespace

GlobalRun::GlobalRun(const Clock& clock, const Setup& setup, std::unique_ptr<Updater> updater, Section own,
                     std::uint64_t parts)
    : clock_(clock),
      setup_(setup),
      first_(setup.workers.first(setup.first_worker())),
      updater_(std::move(updater)),
      own_(own),
      parts_(parts) {
  fill(setup_.table, first_);
  const Section part{own_.first, std::min(own_.count, kWarmUp)};
  updater_->apply(part);
  check(part);
}

Part GlobalRun::measure(std::uint64_t round) {
  fill(setup_.table, first_);
  const Section part = part_of(own_, round % parts_, parts_);
  const Seconds time = job::time_together(setup_.world, clock_, [&] { updater_->apply(part); });
  totals_.check = totals_.check + job::time_together(setup_.world, clock_, [&] { check(part); });
  const std::uint64_t updates = setup_.world.reduce_to_all(part.count, mpi::Reduction::kSum);
  totals_.updates += updates;
  totals_.time = totals_.time + time;
  return {updates, time};
}

void GlobalRun::check(Section part) {
  totals_.wrong += count_wrong_words(setup_, part);
}

RunTotals GlobalRun::totals() const {
  RunTotals all = totals_;
  all.wrong = setup_.world.reduce_to_all(totals_.wrong, mpi::Reduction::kSum);
  return all;
}

}  // namespace groma::randomaccess
