// Interrupts at a count: a callback each time that an event of this thread has occurred so many more times.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "counters/event.hpp"

namespace groma::counters {

using ThresholdCallback = void (*)(void*);

class Threshold {
 public:
  struct Call {
    ThresholdCallback function;
    void* context;
  };
  /// Starts counting in the calling thread. The callback runs in a handler of signals of this thread. Null
  /// and a reason where the event cannot interrupt.
  static std::unique_ptr<Threshold> open(const Event& event, std::uint64_t threshold, Call call,
                                         std::string& reason);
  ~Threshold();
  Threshold(const Threshold&) = delete;
  Threshold& operator=(const Threshold&) = delete;

 private:
  Threshold(int descriptor, void* pages, int place) noexcept
      : descriptor_(descriptor), pages_(pages), place_(place) {}
  int descriptor_;
  void* pages_;
  int place_;
};

}  // namespace groma::counters
