// A registry of entries that register themselves: a static Registration in a file adds one.
#pragma once

#include <algorithm>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

namespace groma {

/// Entries of one kind, each with an order and a name: `key_of(entry)` gives both, as a pair. Filled before
/// main() begins and only read afterwards.
template <class Entry>
class Registry {
 public:
  class Registration {
   public:
    explicit Registration(Entry entry) { entries().push_back(std::move(entry)); }
  };

  /// By order, then name.
  static std::vector<const Entry*> all() {
    std::vector<const Entry*> sorted;
    for (const Entry& entry : entries()) sorted.push_back(&entry);
    std::ranges::sort(sorted, {}, [](const Entry* one) { return key_of(*one); });
    return sorted;
  }

  /// Null where none has that name.
  static const Entry* find(std::string_view name) {
    const auto found =
        std::ranges::find(entries(), name, [](const Entry& one) { return key_of(one).second; });
    return found == entries().end() ? nullptr : &*found;
  }

 private:
  static std::deque<Entry>& entries() {
    static std::deque<Entry> registered;
    return registered;
  }
};

}  // namespace groma
