// Requests and messages that a program has handles of.
//
// An MPI may use a handle anew before the call that ended its first use has returned: another thread then has
// a record of the second use first. So a handle may stand for several objects, in the order in which they
// were made.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/model/trace.hpp"

namespace groma::trace {

/// A call that makes or ends objects. Ticks, because the times of a trace are rounded.
struct HandleUse {
  ObjectIndex thread = 0;
  std::uint64_t entered = 0;
  std::uint64_t left = 0;
};

template <class Item>
class LiveHandles {
 public:
  void add(std::uint64_t handle, const HandleUse& by, const Item& item) {
    const Made made{by.thread, by.left, item};
    const auto [place, is_free] = oldest_.try_emplace(handle, made);
    if (is_free) return;
    later_[handle].push_back(made);
  }

  /// The one that was made last; nullptr for none.
  [[nodiscard]] Item* newest(std::uint64_t handle) {
    const auto later = later_.find(handle);
    if (later != later_.end()) return &later->second.back().item;
    const auto oldest = oldest_.find(handle);
    return oldest == oldest_.end() ? nullptr : &oldest->second.item;
  }

  /// The one that a call ends, or nullptr. Of those that it may end one that its thread made, else the
  /// oldest. `drop` gets those of which nobody saw the end.
  template <class Drop>
  [[nodiscard]] Item* ended_by(std::uint64_t handle, const HandleUse& by, Drop drop) {
    const auto oldest = oldest_.find(handle);
    if (oldest == oldest_.end()) return nullptr;
    if (later_.empty()) [[likely]]
      return &oldest->second.item;
    drop_unseen(oldest->second, handle, by, drop);
    const auto later = later_.find(handle);
    return later == later_.end() ? &oldest->second.item : &chosen(oldest->second, later->second, by).item;
  }

  void remove(std::uint64_t handle, const Item* item) {
    const auto oldest = oldest_.find(handle);
    const auto later = later_.find(handle);
    if (later == later_.end()) {
      oldest_.erase(oldest);
    } else if (item == &oldest->second.item) {
      pop(oldest->second, later);
    } else {
      auto& items = later->second;
      std::erase_if(items, [item](const Made& one) { return &one.item == item; });
      if (items.empty()) later_.erase(later);
    }
  }

  /// `what` gets the handle, the call that made it and the object.
  template <class Function>
  void for_each(Function what) {
    for (auto& [handle, made] : oldest_) what(handle, HandleUse{made.thread, 0, made.left}, made.item);
    for (auto& [handle, items] : later_) {
      for (Made& made : items) what(handle, HandleUse{made.thread, 0, made.left}, made.item);
    }
  }
  void clear() {
    oldest_.clear();
    later_.clear();
  }

 private:
  struct Made {
    ObjectIndex thread;
    std::uint64_t left;  ///< ticks of the call that made it
    Item item;
  };
  using Later = std::unordered_map<std::uint64_t, std::vector<Made>>;

  void pop(Made& oldest, typename Later::iterator later) {
    oldest = later->second.front();
    later->second.erase(later->second.begin());
    if (later->second.empty()) later_.erase(later);
  }

  /// A call that began after the next object was made has not ended the one before: another call did.
  static bool is_over(const Made& next, const HandleUse& by) { return next.left < by.entered; }

  /// Ends of objects are seen by the thread that made them, or soon.
  template <class Drop>
  void drop_unseen(Made& oldest, std::uint64_t handle, const HandleUse& by, Drop drop) {
    constexpr std::size_t most = 64;
    for (auto later = later_.find(handle); later != later_.end(); later = later_.find(handle)) {
      const bool is_unseen = oldest.thread == by.thread || later->second.size() > most;
      if (!is_unseen || !is_over(later->second.front(), by)) return;
      drop(oldest.item);
      pop(oldest, later);
    }
  }

  static Made& chosen(Made& oldest, std::vector<Made>& later, const HandleUse& by) {
    const auto first =
        std::find_if(later.begin(), later.end(), [&by](const Made& next) { return !is_over(next, by); });
    Made& before = first == later.begin() ? oldest : *std::prev(first);
    if (before.thread == by.thread) return before;
    const auto own =
        std::find_if(first, later.end(), [&by](const Made& one) { return one.thread == by.thread; });
    return own == later.end() ? before : *own;
  }

  std::unordered_map<std::uint64_t, Made> oldest_;
  Later later_;  ///< those after the oldest; few handles have any
};

}  // namespace groma::trace
