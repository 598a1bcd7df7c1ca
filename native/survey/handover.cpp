#include "survey/handover.hpp"

#include <atomic>

#include "base/clock.hpp"

namespace groma::survey {
namespace {

using Word = std::atomic_ref<std::uint32_t>;

// Waiting spins without a pause instruction: on some cores that one lasts longer than the handover itself.
void wait_for(Word word, std::uint32_t number) {
  while (word.load(std::memory_order_acquire) != number) {
  }
}

struct ByStore {
  static void advance(Word word, std::uint32_t from) {
    wait_for(word, from);
    word.store(from + 1, std::memory_order_release);
  }
};

struct ByCompareExchange {
  static void advance(Word word, std::uint32_t from) {
    for (std::uint32_t expected = from; !word.compare_exchange_weak(expected, from + 1);) expected = from;
  }
};

/// Advances `count` numbers, every second one from `first` on.
template <class How>
void advance_all(Word word, std::uint32_t first, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) How::advance(word, first + 2 * i);
}

void advance_all(Word word, std::uint32_t first, std::uint32_t count, Operation operation) {
  if (operation == Operation::kStore) {
    advance_all<ByStore>(word, first, count);
  } else {
    advance_all<ByCompareExchange>(word, first, count);
  }
}

}  // namespace

std::string_view name_of(Operation operation) {
  return operation == Operation::kStore ? "store" : "compare_exchange";
}

void answer(std::uint32_t& word, RoundTrips trips, Operation operation) {
  advance_all(Word(word), 1, trips.total(), operation);
}

Seconds time_one_way(std::uint32_t& word, RoundTrips trips, Operation operation) {
  advance_all(Word(word), 0, trips.warm_up, operation);
  wait_for(Word(word), 2 * trips.warm_up);
  const std::int64_t start = monotonic_ns();
  advance_all(Word(word), 2 * trips.warm_up, trips.timed, operation);
  wait_for(Word(word), 2 * trips.total());
  return between(start, monotonic_ns()) / (2.0 * trips.timed);
}

}  // namespace groma::survey
