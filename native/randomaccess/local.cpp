#include "randomaccess/local.hpp"

#include <thread>

#include "randomaccess/window.hpp"

namespace groma::randomaccess {
namespace {

std::span<std::byte> aligned(std::vector<std::byte>& memory) {
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(memory.data()) % kApart;
  return std::span(memory).subspan((kApart - beyond) % kApart);
}

Mailboxes boxes_in(std::vector<std::byte>& memory, std::uint64_t workers) {
  return {aligned(memory), workers, Mailboxes::capacity_for(workers)};
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

void update_plainly(std::span<std::uint64_t> table, Generator generator, Section section) {
  with_sequence(generator, [&]<class Sequence>() {
    const typename Sequence::Index index(table.size());
    std::uint64_t value = Sequence::at(static_cast<std::int64_t>(section.first));
    for (std::uint64_t left = section.count; left != 0; --left) {
      value = Sequence::next(value);
      table[index(value)] ^= value;
    }
  });
}

Activity run_workers(const WorkerGroup& group, Section section, std::uint64_t epoch) {
  if (group.boxes.workers() == 1) {
    const LookAhead held = update_alone(group.table, group.parts.first(0), group.parts.words(),
                                        group.generator, section, group.limit);
    return {.most_pending = held.most()};
  }
  std::vector<Activity> done(group.count);
  const auto work = [&](std::uint64_t which) {
    const std::uint64_t self = group.first + which;
    const auto own =
        group.table.subspan(group.parts.first(self) - group.parts.first(group.first), group.parts.size(self));
    const WorkerTask task{group.boxes, group.parts, self, own, group.generator, group.limit / group.count,
                          group.owner};
    done[which] = exchange_updates(task, part_of(section, which, group.count), epoch);
  };
  {
    std::vector<std::jthread> others;
    for (std::uint64_t which = 1; which < group.count; ++which) others.emplace_back(work, which);
    work(0);
  }
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
      threads_(threads),
      parts_(table.size(), threads),
      memory_(Mailboxes::bytes(threads, Mailboxes::capacity_for(threads)) + kApart) {}

void LocalTable::apply(Generator generator, Section section) {
  const Mailboxes boxes = boxes_in(memory_, threads_);
  held_.note(run_workers({boxes, parts_, 0, threads_, table_, generator, kLookAhead}, section, ++epoch_)
                 .most_pending);
}

}  // namespace groma::randomaccess
