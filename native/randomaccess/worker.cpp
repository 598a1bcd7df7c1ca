#include "randomaccess/worker.hpp"

#include <array>
#include <vector>

#include "randomaccess/past_caches.hpp"
#include "randomaccess/window.hpp"

namespace groma::randomaccess {
namespace {

constexpr std::uint64_t kPerLine = 8;  ///< updates in a cache line
constexpr std::uint64_t kBlock = 256;  ///< generated before boxes are looked at again

/// Updates of one block for one worker, and room for one more that is written but not counted.
struct Share {
  std::array<std::uint64_t, kBlock + 1> updates;
  std::uint64_t count = 0;
};

/// One end of a queue.
struct End {
  Mailbox* box;
  std::uint64_t* entries;
  std::uint64_t at;    ///< written or read so far, by this end
  std::uint64_t seen;  ///< the other end's count when last looked at
};

template <class Sequence, class Owner>
class Worker {
 public:
  Worker(const WorkerTask& task, Owner owner, std::uint64_t epoch)
      : task_(task),
        owner_(owner),
        index_(task.parts.words()),
        window_(task.table, task.parts.first(task.self), index_, task.limit / 2),
        block_(std::min({kBlock, (task.limit - window_.depth()) / 2, task.boxes.capacity() / 2})),
        goal_(epoch * task.boxes.workers()) {
    for (std::uint64_t other = 0; other < task.boxes.workers(); ++other) {
      out_.push_back(writing_end(task.boxes.box(task.self, other)));
      in_.push_back(reading_end(task.boxes.box(other, task.self)));
    }
    out_[task_.self].box = nullptr;
    shares_.resize(task.boxes.workers());
  }

  Activity run(Section section) {
    std::uint64_t value = Sequence::at(static_cast<std::int64_t>(section.first));
    std::uint64_t left = section.count;
    bool told = false;
    for (bool all_told = false; !all_told || receive();) {
      bool worked = false;
      if (left != 0 && has_room()) {
        const std::uint64_t count = std::min(left, block_);
        value = generate(value, count);
        left -= count;
        worked = true;
      }
      if (left == 0 && !told) told = tell();
      // First whether all have told, then the boxes: what was written before is then seen.
      all_told = told && task_.boxes.finished().load(std::memory_order_acquire) >= goal_;
      if (!all_told) worked |= receive();
      patience_.spent_turn(worked);
    }
    window_.drain();
    return {.most_pending = held_.most(), .handed = handed_, .waited = patience_.waited()};
  }

 private:
  static End writing_end(Mailbox& box) {
    return {&box, box.entries(), box.written.load(std::memory_order_relaxed),
            box.read.load(std::memory_order_relaxed)};
  }
  static End reading_end(Mailbox& box) {
    const std::uint64_t read = box.read.load(std::memory_order_relaxed);
    return {&box, box.entries(), read, read};
  }

  /// Whether a block fits, wherever its updates go.
  bool has_room() {
    if (fits()) return true;
    for (End& end : out_) {
      if (end.box != nullptr) end.seen = end.box->read.load(std::memory_order_acquire);
    }
    return fits();
  }

  [[nodiscard]] bool fits() const {
    std::uint64_t fullest = 0;
    for (const End& end : out_) fullest = std::max(fullest, end.at - end.seen);
    return window_.depth() + unread() + block_ <= task_.limit && fullest + block_ <= task_.boxes.capacity();
  }

  /// Updates in the boxes it writes, as far as it knows.
  [[nodiscard]] std::uint64_t unread() const {
    std::uint64_t sum = 0;
    for (const End& end : out_) sum += end.at - end.seen;
    return sum;
  }

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
    std::uint64_t pending = window_.pending() + shares_[task_.self].count;
    for (std::uint64_t to = 0; to < out_.size(); ++to) {
      if (to != task_.self) pending += write(shares_[to], out_[to]);
    }
    held_.note(pending);
    end_of_writes();
    for (const End& end : out_) {
      if (end.box != nullptr) end.box->written.store(end.at, std::memory_order_release);
    }
  }

  /// Returns what the queue holds then.
  std::uint64_t write(Share& share, End& end) {
    const std::uint64_t mask = task_.boxes.capacity() - 1;
    for (std::uint64_t i = 0; i < share.count; ++i) {
      write_past_caches(end.entries + (end.at++ & mask), share.updates[i]);
    }
    handed_ += share.count;
    share.count = 0;
    return end.at - end.seen;
  }

  bool tell() {
    task_.boxes.finished().fetch_add(1, std::memory_order_release);
    return true;
  }

  /// Takes what had come when it looked last, and asks for the lines of what has come since: they are on
  /// their way from another core while this one goes on. Whether there was anything.
  bool receive() {
    bool any = false;
    for (End& end : in_) {
      const std::uint64_t written = end.box->written.load(std::memory_order_acquire);
      if (written == end.at) continue;
      const std::uint64_t ready = end.seen;
      prefetch(end, written);
      if (ready != end.at) take(end, ready);
      any = true;
    }
    if (any) held_.note(window_.pending() + unread());
    return any;
  }

  void prefetch(End& end, std::uint64_t written) {
    const std::uint64_t mask = task_.boxes.capacity() - 1;
    for (std::uint64_t at = end.seen; at < written; at += kPerLine) {
      __builtin_prefetch(end.entries + (at & mask), 0, 3);
    }
    end.seen = written;
  }

  void take(End& end, std::uint64_t written) {
    const std::uint64_t capacity = task_.boxes.capacity();
    while (end.at != written) {
      const std::uint64_t from = end.at & (capacity - 1);
      const std::uint64_t count = std::min(written - end.at, capacity - from);
      window_.take(std::span<const std::uint64_t>(end.entries + from, count));
      end.at += count;
    }
    end.box->read.store(written, std::memory_order_release);
  }

  const WorkerTask& task_;
  Owner owner_;
  typename Sequence::Index index_;
  Window<Sequence> window_;
  std::uint64_t block_;
  std::uint64_t goal_;
  std::vector<Share> shares_;  // by worker
  std::vector<End> out_;
  std::vector<End> in_;
  LookAhead held_;
  std::uint64_t handed_ = 0;
  Patience patience_;
};

}  // namespace

std::uint64_t Mailboxes::capacity_for(std::uint64_t workers) {
  return std::max<std::uint64_t>(64, std::bit_ceil(std::min(kLookAhead, 16 * kLookAhead / workers)));
}

Activity exchange_updates(const WorkerTask& task, Section section, std::uint64_t epoch) {
  return with_sequence(task.generator, [&]<class Sequence>() {
    return with_owner(task.parts, task.owner, [&](auto owner) {
      return Worker<Sequence, decltype(owner)>(task, owner, epoch).run(section);
    });
  });
}

}  // namespace groma::randomaccess
