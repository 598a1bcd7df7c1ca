// A queue that takes no memory while it is empty: nodes have many, most of them unused.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace groma::sim::torus {

template <class T>
class SmallQueue {
 public:
  [[nodiscard]] bool empty() const { return first_ == items_.size(); }
  T& front() { return items_[first_]; }
  void push(T item) { items_.push_back(std::move(item)); }
  /// Where the items behind the first `kept` are sorted, and stay so.
  template <class Less>
  void insert(T item, std::size_t kept, const Less& less) {
    const auto sorted = items_.begin() + static_cast<std::ptrdiff_t>(first_ + kept);
    items_.insert(std::upper_bound(sorted, items_.end(), item, less), std::move(item));
  }
  void pop() {
    ++first_;
    if (first_ == items_.size()) {
      items_.clear();
      first_ = 0;
    } else if (first_ >= kMaxGone && 2 * first_ >= items_.size()) {
      items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
  }

 private:
  static constexpr std::size_t kMaxGone = 32;

  std::vector<T> items_;
  std::size_t first_ = 0;
};

}  // namespace groma::sim::torus
