#include "randomaccess/errors/strategy.hpp"

#include <bit>
#include <memory>
#include <mutex>
#include <vector>

#include "base/spin_barrier.hpp"
#include "base/thread_pool.hpp"
#include "job/option_table.hpp"
#include "randomaccess/local.hpp"
#include "randomaccess/window.hpp"

namespace groma::randomaccess {
namespace {

constexpr std::uint64_t kMaxLocks = 1U << 16U;
constexpr std::string_view kLocks = "locks:";

// ---- how a word takes an update ----

struct alignas(kFalseSharingRange) Lock {
  std::mutex mutex;
};

class LockedTable {
 public:
  LockedTable(std::span<const std::uint64_t> table, std::span<Lock> locks)
      : table_(table.data()),
        locks_(locks.data()),
        count_(locks.size()),
        shift_(static_cast<unsigned>(std::bit_width(table.size()) - 1)) {}

  void operator()(std::uint64_t& word, std::uint64_t value) const {
    const auto index = static_cast<std::uint64_t>(&word - table_);
    const std::scoped_lock held(locks_[index * count_ >> shift_].mutex);
    PlainXor()(word, value);
  }

 private:
  const std::uint64_t* table_;
  Lock* locks_;
  std::uint64_t count_;
  unsigned shift_;
};

// ---- the threads ----

template <class Sequence, class Update>
void update_section(std::span<std::uint64_t> words, Section section, Update update) {
  using Updates = Window<Sequence, Update>;
  Updates window(words, 0, typename Sequence::Index(words.size()), Updates::kDeepest, update);
  std::uint64_t value = Sequence::at(static_cast<std::int64_t>(section.first));
  window.take(section.count, [&value] { return value = Sequence::next(value); });
  window.drain();
}

/// The threads begin together: while one works alone, nothing can go wrong.
template <class Update>
void update_together(const SharedTable& table, Section section, Update update) {
  SpinBarrier begin(static_cast<std::uint32_t>(table.threads));
  ThreadPool(table.threads, Pinning::kNone).run([&](std::size_t which) {
    begin.wait();
    with_sequence(table.generator, [&]<class Sequence>() {
      update_section<Sequence>(table.words, part_of(section, which, table.threads), update);
    });
  });
}

// ---- the strategies ----

template <class Update>
ApplySection without_locks(const SharedTable& table) {
  return [table](Section section) { update_together(table, section, Update()); };
}

ApplySection with_locks(const SharedTable& table, std::uint64_t count) {
  return [table, locks = std::make_shared<std::vector<Lock>>(count)](Section section) {
    update_together(table, section, LockedTable(table.words, *locks));
  };
}

ApplySection serial(const SharedTable& table) {
  return [table](Section section) {
    update_alone(table.words, 0, table.words.size(), table.generator, section);
  };
}

ApplySection owner(const SharedTable& table) {
  return [generator = table.generator, local = std::make_shared<LocalTable>(table.words, table.threads)](
             Section section) { local->apply(generator, section); };
}

std::optional<std::uint64_t> locks_in(std::string_view name) {
  if (!name.starts_with(kLocks)) return std::nullopt;
  const auto count = job::number<std::uint64_t>(name.substr(kLocks.size()));
  return count && *count >= 1 && *count <= kMaxLocks ? count : std::nullopt;
}

}  // namespace

Result<Strategy> strategy_named(const std::string& name) {
  if (name == "serial") return Strategy{name, true, serial};
  if (name == "unsynchronised") return Strategy{name, false, without_locks<UnsynchronisedXor>};
  if (name == "atomic") return Strategy{name, true, without_locks<AtomicXor>};
  if (name == "owner") return Strategy{name, true, owner};
  if (const auto count = locks_in(name)) {
    return Strategy{name, true, [count](const SharedTable& table) { return with_locks(table, *count); }};
  }
  return Error{"usage", "'" + name + "' is not a strategy",
               "take " + std::string(kStrategyNames) + ", with 1 to " + std::to_string(kMaxLocks) + " locks"};
}

}  // namespace groma::randomaccess
