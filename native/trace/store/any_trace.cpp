#include "trace/store/any_trace.hpp"

#include <optional>

#include "trace/store/store_reader.hpp"

namespace groma::trace {
namespace {

/// Counts what passes, as the reader of a .prv does: the events of one thread at one time are a line.
class Counting final : public Sink {
 public:
  explicit Counting(Sink& next) : next_(next) {}
  void begin(const Layout& layout) override {
    report.header_duration = layout.duration;
    next_.begin(layout);
  }
  void state(const State& state) override {
    ++report.states;
    line_.reset();
    next_.state(state);
  }
  void event(const Event& event) override {
    ++report.events;
    if (!line_ || line_->first != event.object || line_->second != event.time) ++report.event_lines;
    line_ = {event.object, event.time};
    next_.event(event);
  }
  void communication(const Communication& message) override {
    ++report.communications;
    line_.reset();
    next_.communication(message);
  }
  void end(const Names& names) override { next_.end(names); }

  ReadReport report;

 private:
  Sink& next_;
  std::optional<std::pair<ObjectIndex, Nanoseconds>> line_;
};

}  // namespace

Names read_names(const std::string& path) {
  if (!StoreReader::is_store(path)) return names_of_prv(path);
  const auto store = StoreReader::open(path);
  return store ? store.value().about().names : Names{};
}

Result<ReadReport> read_trace(const std::string& path, Sink& sink) {
  if (!StoreReader::is_store(path)) return read_prv(path, sink);
  const auto store = StoreReader::open(path);
  if (!store) return store.error();
  Counting counting(sink);
  if (const auto read = store.value().replay(counting); !read) return read.error();
  ReadReport& report = counting.report;
  report.bytes = store.value().bytes();
  report.last_time = store.value().about().last_time;
  report.lines = report.states + report.event_lines + report.communications;
  return report;
}

}  // namespace groma::trace
