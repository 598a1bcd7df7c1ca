// The next of several sorted sequences, for merging them. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace groma {

/// The sequence with the least key comes first; of equal keys, the one that lies first in memory.
template <class Key, class Sequence>
class MergeHeap {
 public:
  void add(Key key, Sequence* sequence) {
    heap_.emplace_back(key, sequence);
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] Key key() const { return heap_.front().first; }
  [[nodiscard]] Sequence& front() { return *heap_.front().second; }
  /// The first has this key now, which is no less. Cheap where it stays first.
  void update(Key key) {
    std::size_t at = 0;
    const Entry moved(key, heap_.front().second);
    for (std::size_t child = 1; child < heap_.size(); child = (2 * at) + 1) {
      if (child + 1 < heap_.size() && later(heap_[child], heap_[child + 1])) ++child;
      if (!later(moved, heap_[child])) break;
      heap_[at] = heap_[child];
      at = child;
    }
    heap_[at] = moved;
  }
  void pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    heap_.pop_back();
  }

 private:
  using Entry = std::pair<Key, Sequence*>;
  static bool later(const Entry& a, const Entry& b) {
    return a.first != b.first ? a.first > b.first : a.second > b.second;
  }
  std::vector<Entry> heap_;
};

}  // namespace groma
