// Counters of the calling thread that are counted together and read in one call. It depends on no other room,
// so that what is loaded into any program (libgroma-trace) stays small.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "counters/event.hpp"

namespace groma::counters {

/// Never shares a counter in time: where all of its events do not fit at once, it does not open.
class CounterSet {
 public:
  /// Opens and starts all events, or none: then `reason` is one line. For the calling thread only.
  static std::optional<CounterSet> open(std::span<const std::string_view> events, std::string& reason);
  /// The same with events that were found, and with a system that tests may fake.
  static std::optional<CounterSet> open(std::span<const Event> events, const System& system,
                                        std::string& reason);
  CounterSet(CounterSet&& other) noexcept;
  CounterSet& operator=(CounterSet&& other) noexcept;
  ~CounterSet();

  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] std::span<const std::string_view> names() const noexcept;
  /// "" or what restricts event `index`, such as "user mode only".
  [[nodiscard]] std::string_view remark(std::size_t index) const noexcept;
  /// Counts since opening, in the order of names(). False where they could not be read, because the program
  /// closed their descriptors, or `values` is too small.
  bool read(std::span<std::uint64_t> values) noexcept;

 private:
  struct Content;
  explicit CounterSet(std::unique_ptr<Content> content) noexcept;
  std::unique_ptr<Content> content_;
};

}  // namespace groma::counters
