#include "hpcc/random_access/local.hpp"

#include <thread>

#include "hpcc/random_access/window.hpp"

namespace groma::hpcc::random_access {
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

std::uint64_t run_workers(const Mailboxes& boxes, const Partition& parts, std::uint64_t first,
                          std::uint64_t count, std::span<std::uint64_t> table, Generator generator,
                          Section section, std::uint64_t epoch, std::uint64_t limit) {
  if (boxes.workers() == 1) {
    return update_alone(table, parts.first(0), parts.words(), generator, section, limit).most();
  }
  std::vector<LookAhead> held(count);
  const auto work = [&](std::uint64_t which) {
    const std::uint64_t self = first + which;
    const auto own = table.subspan(parts.first(self) - parts.first(first), parts.size(self));
    const WorkerTask task{boxes, parts, self, own, generator, limit / count};
    held[which] = exchange_updates(task, part_of(section, which, count), epoch);
  };
  {
    std::vector<std::jthread> others;
    for (std::uint64_t which = 1; which < count; ++which) others.emplace_back(work, which);
    work(0);
  }
  std::uint64_t together = 0;
  for (const LookAhead& one : held) together += one.most();
  return together;
}

LocalTable::LocalTable(std::span<std::uint64_t> table, std::uint64_t threads)
    : table_(table),
      threads_(threads),
      parts_(table.size(), threads),
      memory_(Mailboxes::bytes(threads, Mailboxes::capacity_for(threads)) + kApart) {}

void LocalTable::apply(Generator generator, Section section) {
  held_.note(run_workers(boxes_in(memory_, threads_), parts_, 0, threads_, table_, generator, section,
                         ++epoch_, kLookAhead));
}

}  // namespace groma::hpcc::random_access
