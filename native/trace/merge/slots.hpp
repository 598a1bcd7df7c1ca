// Objects by number, which is used again once an object is released.
#pragma once

#include <cstdint>
#include <vector>

namespace groma::trace {

template <class Item>
class Slots {
 public:
  std::uint32_t add(const Item& item) {
    if (free_.empty()) {
      items_.push_back(item);
      return static_cast<std::uint32_t>(items_.size() - 1);
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    items_[number] = item;
    return number;
  }
  /// The object can be read until the next one is added.
  void release(std::uint32_t number) { free_.push_back(number); }
  Item& operator[](std::uint32_t number) { return items_[number]; }
  const Item& operator[](std::uint32_t number) const { return items_[number]; }

 private:
  std::vector<Item> items_;
  std::vector<std::uint32_t> free_;
};

}  // namespace groma::trace
