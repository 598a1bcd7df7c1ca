#include "trace/edit/async_sink.hpp"

#include <exception>
#include <utility>

namespace groma::trace {

void AsyncSink::Batch::clear() {
  kinds.clear();
  states.clear();
  events.clear();
  messages.clear();
}

void AsyncSink::Batch::hand_to(Sink& sink) const {
  auto state = states.begin();
  auto event = events.begin();
  auto message = messages.begin();
  for (const AnyRecord::Kind kind : kinds) {
    switch (kind) {
      case AnyRecord::Kind::state:
        sink.state(*state++);
        break;
      case AnyRecord::Kind::event:
        sink.event(*event++);
        break;
      case AnyRecord::Kind::communication:
        sink.communication(*message++);
        break;
    }
  }
}

AsyncSink::AsyncSink(Sink& next) : next_(next) {
  thread_ = std::thread([this] { work(); });
}

AsyncSink::~AsyncSink() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void AsyncSink::begin(const Layout& layout) {
  next_.begin(layout);
}

void AsyncSink::wait_until_idle(std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [this] { return !busy_; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void AsyncSink::hand_over() {
  {
    std::unique_lock lock(mutex_);
    wait_until_idle(lock);
    std::swap(batch_, given_);
    busy_ = true;
  }
  changed_.notify_all();
  batch_.clear();
}

void AsyncSink::end(const Names& names) {
  hand_over();
  {
    std::unique_lock lock(mutex_);
    wait_until_idle(lock);
  }
  next_.end(names);
}

void AsyncSink::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return busy_ || over_; });
    if (!busy_) return;
    lock.unlock();
    std::exception_ptr failure;
    try {
      given_.hand_to(next_);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    failure_ = failure;
    busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace groma::trace
