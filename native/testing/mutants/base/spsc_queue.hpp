// The queue of base/spsc_queue.hpp, whose ends here call hooks of a test. Kernels find this
// file in the place of that one.
#pragma once

#define SpscProducer UnseenSpscProducer
#define SpscConsumer UnseenSpscConsumer
#include "../../../base/spsc_queue.hpp"
#undef SpscProducer
#undef SpscConsumer

namespace groma {

/// Called with words before a queue gets them, and before a queue frees their room; null: no call.
inline void (*on_queued)(std::span<const std::uint64_t> words) = nullptr;
inline void (*on_taken)(std::span<const std::uint64_t> words) = nullptr;

class SpscProducer : public UnseenSpscProducer {
 public:
  using UnseenSpscProducer::UnseenSpscProducer;

  void push(std::span<const std::uint64_t> words) {
    if (on_queued != nullptr) on_queued(words);
    UnseenSpscProducer::push(words);
  }
  void stage(std::span<const std::uint64_t> words) {
    if (on_queued != nullptr) on_queued(words);
    UnseenSpscProducer::stage(words);
  }
};

class SpscConsumer : public UnseenSpscConsumer {
 public:
  using UnseenSpscConsumer::UnseenSpscConsumer;

  void pop(std::uint64_t count) {
    if (on_taken != nullptr) on_taken(front(count));
    UnseenSpscConsumer::pop(count);
  }
};

}  // namespace groma
