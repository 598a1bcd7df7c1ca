#include "survey/place_memory.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>

#include "base/affinity.hpp"
#include "base/clock.hpp"
#include "base/team.hpp"
#include "survey/block_read.hpp"

namespace groma::survey {
namespace {

constexpr std::uint32_t kFirst = 1;

Error wrong_data() {
  return {"probe.wrong_data", "a block did not hold what was written to it", "check this machine's memory"};
}

using Part = std::span<const std::uint32_t>;

Part part_of(const Block& block, Bytes begin, Bytes bytes) {
  return block.as<const std::uint32_t>().subspan(begin.value() / sizeof(std::uint32_t),
                                                 bytes.value() / sizeof(std::uint32_t));
}

/// What a part sums up to that begins at this byte of its block.
bool is_right(const BlockRead& read, Bytes begin, std::size_t integers) {
  return read.sum ==
         expected_sum(integers, kFirst + static_cast<std::uint32_t>(begin.value() / sizeof(std::uint32_t)));
}

Result<Block> written_block(Bytes size) {
  Result<Block> block = Block::map(size, PageMode::kHuge);
  if (block) write_sequence(block.value().as<std::uint32_t>(), kFirst);
  return block;
}

Result<TouchTimes> touched_block(Bytes size, PageMode pages) {
  std::array<std::int64_t, 5> at{monotonic_ns()};
  {
    const Result<Block> block = Block::map(size, pages);
    at[1] = monotonic_ns();
    if (!block) return block.error();
    block.value().touch();
    at[2] = monotonic_ns();
    block.value().touch();
    at[3] = monotonic_ns();
  }
  at[4] = monotonic_ns();
  return TouchTimes{between(at[0], at[1]), between(at[1], at[2]), between(at[2], at[3]),
                    between(at[3], at[4])};
}

/// The results of a team's members in their order, or the first error.
template <class T>
Result<std::vector<T>> of_team(const std::vector<PhysicalCore>& cpus,
                               const std::function<Result<T>()>& work) {
  std::vector<std::optional<Result<T>>> done(cpus.size());
  const Status status = run_team(cpus, [&](const TeamMember& member) { done[member.index] = work(); });
  if (!status) return status.error();
  std::vector<T> results;
  for (auto& one : done) {
    if (!*one) return one->error();
    results.push_back(std::move(*one).value());
  }
  return results;
}

/// One pass over all steps; a step's reads are there when all threads have finished it.
class Pass {
 public:
  Pass(const std::vector<Block>& blocks, const LockSteps& steps)
      : blocks_(blocks), steps_(steps), reads_(steps.block_at.size()) {
    for (auto& step : reads_) step.resize(steps.readers.size());
  }

  Status run() {
    return run_team(steps_.readers, [this](const TeamMember& member) { take_part(member); });
  }

  /// Of the steps that all have finished.
  Result<std::vector<std::vector<Seconds>>> times() const {
    std::vector<std::vector<Seconds>> times;
    const std::size_t done = std::min(stop_at_.load(), reads_.size());
    for (std::size_t step = 0; step < done; ++step) {
      auto& of_step = times.emplace_back();
      for (const BlockRead& read : reads_[step]) {
        if (!is_right(read, begin_at(step), integers())) return wrong_data();
        of_step.push_back(read.time);
      }
    }
    return times;
  }

 private:
  [[nodiscard]] std::size_t integers() const { return steps_.bytes.value() / sizeof(std::uint32_t); }

  /// Each step reads another part where the blocks have several.
  [[nodiscard]] Bytes begin_at(std::size_t step) const {
    const std::size_t parts = std::max<std::size_t>(blocks_.front().size() / steps_.bytes.value(), 1);
    return steps_.bytes * (step % parts);
  }

  void take_part(const TeamMember& member) {
    write_sequence(blocks_[member.index].as<std::uint32_t>(), kFirst);
    for (std::size_t step = 0; step < reads_.size(); ++step) {
      // Only the first thread decides, for all, before the barrier behind which they look: whoever looked
      // at the clock alone might leave the others waiting.
      if (member.index == 0 && steps_.is_over()) stop_at_ = step;
      member.barrier.wait();
      if (step >= stop_at_) return;
      const Block& block = blocks_[steps_.block_at[step][member.index]];
      reads_[step][member.index] = read_in_sequence(part_of(block, begin_at(step), steps_.bytes));
    }
  }

  const std::vector<Block>& blocks_;
  const LockSteps& steps_;
  std::vector<std::vector<BlockRead>> reads_;
  std::atomic<std::size_t> stop_at_ = std::numeric_limits<std::size_t>::max();
};

class SystemMemory final : public PlaceMemory {
 public:
  Status write(BlockSet set, const std::vector<PhysicalCore>& owners, Bytes size) override {
    release(set);
    Result<std::vector<Block>> written = of_team<Block>(owners, [&] { return written_block(size); });
    if (!written) return written.error();
    of(set) = std::move(written).value();
    return Done{};
  }

  void release(BlockSet set) override { of(set).clear(); }

  Result<Seconds> read(const PartRead& part) override {
    if (const Status moved = pin_this_thread(part.reader); !moved) return moved.error();
    const Part integers = part_of(of(part.set).at(part.block), part.begin, part.bytes);
    const BlockRead read = part.order == ReadOrder::kSequential ? read_in_sequence(integers)
                                                                : read_scattered(integers, part.seed);
    if (!is_right(read, part.begin, integers.size())) return wrong_data();
    return read.time;
  }

  Result<std::vector<std::vector<Seconds>>> read_in_steps(const LockSteps& steps) override {
    Pass pass(of(BlockSet::kKept), steps);
    if (const Status status = pass.run(); !status) return status.error();
    return pass.times();
  }

  Result<std::vector<TouchTimes>> touch(const std::vector<PhysicalCore>& owners, Bytes size,
                                        PageMode pages) override {
    return of_team<TouchTimes>(owners, [&] { return touched_block(size, pages); });
  }

  [[nodiscard]] std::optional<std::uint32_t> home_of(std::size_t block) const override {
    void* page = sets_[0].at(block).data();
    int node = -1;
    // With no target nodes the call moves nothing and only reports.
    if (syscall(SYS_move_pages, 0, 1UL, &page, nullptr, &node, 0) != 0 || node < 0) return std::nullopt;
    return static_cast<std::uint32_t>(node);
  }

 private:
  std::vector<Block>& of(BlockSet set) { return sets_.at(static_cast<std::size_t>(set)); }

  std::array<std::vector<Block>, 2> sets_;
};

}  // namespace

std::unique_ptr<PlaceMemory> system_memory() {
  return std::make_unique<SystemMemory>();
}

}  // namespace groma::survey
