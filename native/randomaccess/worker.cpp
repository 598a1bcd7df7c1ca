#include "randomaccess/worker.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "randomaccess/window.hpp"

namespace groma::randomaccess {
namespace {

constexpr std::uint64_t kBlock = 256;  ///< updates generated before the queues are polled again

/// Updates of one block for one worker, and room for one more that is written but not counted.
struct Share {
  std::array<std::uint64_t, kBlock + 1> updates;
  std::uint64_t count = 0;
};

template <class Sequence, class Owner>
class Worker {
 public:
  Worker(const WorkerTask& task, Owner owner, std::uint64_t use)
      : task_(task),
        owner_(owner),
        index_(task.parts.words()),
        window_(task.table, task.parts.first(task.self), index_, task.limit / 2),
        block_(std::min({kBlock, (task.limit - window_.depth()) / 2, task.queues.capacity() / 2})) {
    for (std::uint64_t other = 0; other < task.queues.workers(); ++other) {
      if (other == task.self) continue;
      out_.push_back({SpscProducer(task.queues.queue(task.self, other)), other});
      in_.emplace_back(task.queues.queue(other, task.self), use);
    }
    shares_.resize(task.queues.workers());
  }

  Activity run(Section section) {
    std::uint64_t value = Sequence::at(static_cast<std::int64_t>(section.first));
    std::uint64_t left = section.count;
    if (left == 0) close();
    while (left != 0 || !all_finished()) {
      bool worked = false;
      if (left != 0 && has_room()) {
        const std::uint64_t count = std::min(left, block_);
        value = generate(value, count);
        left -= count;
        worked = true;
        if (left == 0) close();
      }
      worked |= receive();
      backoff_.after_step(worked);
    }
    window_.drain();
    return {.most_pending = held_.most(), .handed = handed_, .waited = backoff_.waited()};
  }

 private:
  struct OutputQueue {
    SpscProducer queue;
    std::uint64_t to;
  };

  /// Whether a block fits, wherever its updates go.
  bool has_room() {
    if (fits()) return true;
    for (OutputQueue& output : out_) output.queue.refresh();
    return fits();
  }

  [[nodiscard]] bool fits() const {
    std::uint64_t fullest = 0;
    for (const OutputQueue& output : out_) fullest = std::max(fullest, output.queue.unread());
    return window_.depth() + unread() + block_ <= task_.limit && fullest + block_ <= task_.queues.capacity();
  }

  /// Updates in the queues that this worker writes, at least as many as there are.
  [[nodiscard]] std::uint64_t unread() const {
    std::uint64_t sum = 0;
    for (const OutputQueue& output : out_) sum += output.queue.unread();
    return sum;
  }

  void close() {
    for (OutputQueue& output : out_) output.queue.close();
  }

  [[nodiscard]] bool all_finished() const { return std::ranges::all_of(in_, &SpscConsumer::is_finished); }

  std::uint64_t generate(std::uint64_t value, std::uint64_t count) {
    value = shares_.size() == 2 ? split(value, count) : scatter(value, count);
    publish();
    Share& own = shares_[task_.self];
    window_.take(std::span<const std::uint64_t>(own.updates.data(), own.count));
    own.count = 0;
    return value;
  }

  /// Every update goes to a share without a branch, the worker's own as well; whether it is own would be
  /// mispredicted every other time.
  std::uint64_t scatter(std::uint64_t value, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      value = Sequence::next(value);
      Share& share = shares_[owner_(index_(value))];
      share.updates[share.count++] = value;
    }
    return value;
  }

  /// The same for two workers, whose counts fit into registers: in memory, each waits for the last store.
  std::uint64_t split(std::uint64_t value, std::uint64_t count) {
    std::uint64_t* low = shares_[0].updates.data();
    std::uint64_t* high = shares_[1].updates.data();
    const auto owner = owner_;
    const auto index = index_;
    for (std::uint64_t i = 0; i < count; ++i) {
      value = Sequence::next(value);
      *low = value;
      *high = value;
      const bool is_high = owner(index(value)) != 0;
      low += static_cast<std::ptrdiff_t>(!is_high);
      high += static_cast<std::ptrdiff_t>(is_high);
    }
    shares_[0].count = counted(shares_[0], low);
    shares_[1].count = counted(shares_[1], high);
    return value;
  }

  static std::uint64_t counted(const Share& share, const std::uint64_t* end) {
    return static_cast<std::uint64_t>(end - share.updates.data());
  }

  void publish() {
    for (OutputQueue& output : out_) stage(shares_[output.to], output.queue);
    held_.note(window_.pending() + shares_[task_.self].count + unread());
    fence_nontemporal_stores();
    for (OutputQueue& output : out_) output.queue.publish();
  }

  void stage(Share& share, SpscProducer& queue) {
    queue.stage({share.updates.data(), share.count});
    handed_ += share.count;
    share.count = 0;
  }

  /// Applies the updates that an earlier poll has prefetched. Returns whether any update has come.
  bool receive() {
    bool any = false;
    for (SpscConsumer& queue : in_) {
      const std::uint64_t prefetched = queue.poll();
      any |= queue.unread() != 0;
      take(queue, prefetched);
    }
    if (any) held_.note(window_.pending() + unread());
    return any;
  }

  void take(SpscConsumer& queue, std::uint64_t count) {
    while (count != 0) {
      const auto updates = queue.front(count);
      window_.take(updates);
      queue.pop(updates.size());
      count -= updates.size();
    }
  }

  const WorkerTask& task_;
  Owner owner_;
  typename Sequence::Index index_;
  Window<Sequence> window_;
  std::uint64_t block_;
  std::vector<Share> shares_;  // by worker
  std::vector<OutputQueue> out_;
  std::vector<SpscConsumer> in_;
  LookAhead held_;
  std::uint64_t handed_ = 0;
  Backoff backoff_;
};

}  // namespace

std::uint64_t PairQueues::capacity_for(std::uint64_t workers) {
  return std::max<std::uint64_t>(64, std::bit_ceil(std::min(kLookAhead, 16 * kLookAhead / workers)));
}

Activity exchange_updates(const WorkerTask& task, Section section, std::uint64_t use) {
  return with_sequence(task.generator, [&]<class Sequence>() {
    return with_owner(task.parts, task.owner, [&](auto owner) {
      return Worker<Sequence, decltype(owner)>(task, owner, use).run(section);
    });
  });
}

}  // namespace groma::randomaccess
