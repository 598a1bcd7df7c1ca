#include "randomaccess/local.hpp"

#include <algorithm>

#include "base/thread_pool.hpp"
#include "randomaccess/window.hpp"

namespace groma::randomaccess {
namespace {

std::span<std::byte> aligned(std::vector<std::byte>& memory) {
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(memory.data()) % kFalseSharingRange;
  return std::span(memory).subspan((kFalseSharingRange - beyond) % kFalseSharingRange);
}

PairQueues queues_in(std::vector<std::byte>& memory, std::uint64_t workers) {
  return {aligned(memory), workers, PairQueues::capacity_for(workers)};
}

}  // namespace

LookAhead update_alone(std::span<std::uint64_t> table, std::uint64_t first, std::uint64_t words,
                       Generator generator, Section section, std::uint64_t limit) {
  return with_sequence(generator, [&]<class Sequence>() {
    Window<Sequence> window(table, first, typename Sequence::Index(words), limit);
    std::uint64_t value = Sequence::at(static_cast<std::int64_t>(section.first));
    window.take(section.count, [&value] { return value = Sequence::next(value); });
    LookAhead held;
    held.note(window.pending());
    window.drain();
    return held;
  });
}

Activity run_workers(const WorkerGroup& group, Section section, std::uint64_t use) {
  if (group.queues.workers() == 1) {
    const LookAhead held = update_alone(group.table, group.parts.first(0), group.parts.words(),
                                        group.generator, section, group.limit);
    return {.most_pending = held.most()};
  }
  std::vector<Activity> done(group.count);
  const auto work = [&](std::size_t which) {
    const std::uint64_t self = group.first + which;
    const auto own =
        group.table.subspan(group.parts.first(self) - group.parts.first(group.first), group.parts.size(self));
    const WorkerTask task{group.queues, group.parts, self, own, group.generator, group.limit / group.count,
                          group.owner};
    done[which] = exchange_updates(task, part_of(section, which, group.count), use);
  };
  ThreadPool(group.count, Pinning::kNone).run(work);
  Activity together;
  std::uint64_t pending = 0;
  for (const Activity& one : done) {
    together.add(one);
    pending += one.most_pending;
  }
  together.most_pending = pending;
  return together;
}

LocalTable::LocalTable(std::span<std::uint64_t> table, std::uint64_t threads)
    : table_(table),
      threads_(std::min(threads, kMaxThreads)),
      parts_(table.size(), threads_),
      memory_(PairQueues::bytes(threads_, PairQueues::capacity_for(threads_)) + kFalseSharingRange) {}

void LocalTable::apply(Generator generator, Section section) {
  const PairQueues queues = queues_in(memory_, threads_);
  held_.note(run_workers({queues, parts_, 0, threads_, table_, generator, kLookAhead}, section, ++uses_)
                 .most_pending);
}

}  // namespace groma::randomaccess
