// A sink that works in a thread of its own.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "trace/model/any_record.hpp"
#include "trace/model/trace.hpp"

namespace groma::trace {

/// The sink gets all in its order, some batches later; end() waits for it. Memory: two batches. An exception
/// of the sink comes out of the next call.
class AsyncSink final : public Sink {
 public:
  explicit AsyncSink(Sink& next);
  AsyncSink(const AsyncSink&) = delete;
  AsyncSink& operator=(const AsyncSink&) = delete;
  AsyncSink(AsyncSink&&) = delete;
  AsyncSink& operator=(AsyncSink&&) = delete;
  ~AsyncSink() override;

  void begin(const Layout& layout) override;
  void state(const State& state) override {
    batch_.states.push_back(state);
    add(AnyRecord::Kind::state);
  }
  void event(const Event& event) override {
    batch_.events.push_back(event);
    add(AnyRecord::Kind::event);
  }
  void communication(const Communication& message) override {
    batch_.messages.push_back(message);
    add(AnyRecord::Kind::communication);
  }
  void end(const Names& names) override;

 private:
  static constexpr std::size_t kBatch = 8192;

  /// Records in their order, each kind by itself: a state is less than half as large as a message.
  struct Batch {
    std::vector<AnyRecord::Kind> kinds;
    std::vector<State> states;
    std::vector<Event> events;
    std::vector<Communication> messages;

    void clear();
    void hand_to(Sink& sink) const;
  };

  void add(AnyRecord::Kind kind) {
    batch_.kinds.push_back(kind);
    if (batch_.kinds.size() == kBatch) hand_over();
  }
  void hand_over();
  /// Returns once the sink has nothing to do.
  void wait_until_idle(std::unique_lock<std::mutex>& lock);
  void work();

  Sink& next_;
  Batch batch_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Batch given_;  ///< of the sink's thread while it is busy
  bool busy_ = false;
  bool over_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace groma::trace
