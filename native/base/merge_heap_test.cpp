#include "base/merge_heap.hpp"

#include <gtest/gtest.h>

#include <random>

namespace groma {
namespace {

struct Sequence {
  std::vector<int> values;
  std::size_t at = 0;
};

/// In the order in which the heap gives them, each with the index of its sequence.
std::vector<std::pair<int, std::size_t>> merged(std::vector<Sequence> sequences) {
  MergeHeap<int, Sequence> heap;
  for (Sequence& one : sequences) {
    if (!one.values.empty()) heap.add(one.values.front(), &one);
  }
  std::vector<std::pair<int, std::size_t>> order;
  while (!heap.empty()) {
    Sequence& first = heap.front();
    EXPECT_EQ(heap.key(), first.values[first.at]);
    order.emplace_back(heap.key(), static_cast<std::size_t>(&first - sequences.data()));
    if (++first.at < first.values.size()) {
      heap.update(first.values[first.at]);
    } else {
      heap.pop();
    }
  }
  return order;
}

TEST(MergeHeap, MergesSortedSequencesWithTheFirstOfEqualOnesFirst) {
  std::mt19937 random(1);
  for (std::size_t count = 0; count < 20; ++count) {
    std::vector<Sequence> sequences(count);
    std::vector<std::pair<int, std::size_t>> expected;
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<int>& values = sequences[i].values;
      values.resize(random() % 30);
      for (int& value : values) value = static_cast<int>(random() % 50);
      std::sort(values.begin(), values.end());
      for (const int value : values) expected.emplace_back(value, i);
    }
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(merged(std::move(sequences)), expected);
  }
}

}  // namespace
}  // namespace groma
