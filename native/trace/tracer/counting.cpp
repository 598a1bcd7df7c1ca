#include "trace/tracer/counting.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "counters/event.hpp"
#include "trace/tracer/copy_text.hpp"
#include "trace/tracer/wrapping.hpp"

namespace groma::trace {

namespace {

thread_local constinit ThreadOwned<Counting> owned(&ThreadState::counting);

/// A name that is cut could be that of another event.
std::string why_not_recorded(const std::vector<std::string_view>& events) {
  if (events.size() > log::kMaxCounters) {
    return "more than " + std::to_string(log::kMaxCounters) + " counters";
  }
  const bool is_long =
      std::ranges::any_of(events, [](std::string_view one) { return one.size() > log::kLongestCounterName; });
  return is_long ? "a name has more than " + std::to_string(log::kLongestCounterName) + " letters" : "";
}

}  // namespace

Counting* Counting::open(const char* names, log::Header& header) {
  const auto events = counters::listed_names(names == nullptr ? "" : names);
  if (events.empty()) {
    return nullptr;
  }
  std::string reason = why_not_recorded(events);
  std::optional<counters::CounterSet> set;
  if (reason.empty()) {
    set = counters::CounterSet::open(events, reason);
  }
  if (!set) {
    copy_text(header.no_counters, reason);
    return nullptr;
  }
  for (std::size_t i = 0; i < events.size(); ++i) {
    copy_text(header.counter_names[i], events[i]);
  }
  Counting* const made = owned.make(std::move(*set));
  header.counters = made == nullptr ? 0 : events.size();
  if (made != nullptr) {
    made->start_anew();
  }
  return made;
}

Counting::Counting(counters::CounterSet set) : counters_(std::move(set)), size_(counters_.size()) {}

void Counting::read(Values& values) {
  works_ = works_ && counters_.read(std::span(values.data(), size_));
}

void Counting::start_anew() {
  read(last_);
  entered_ = left_ = last_;
}

void Counting::put_differences(Record& record, const Values& from, const Values& to) const {
  for (std::size_t i = 0; i < size_; ++i) {
    record.put(to[i] - from[i]);
  }
}

bool Counting::goes_on(Writer& writer) {
  if (!works_) {
    copy_text(writer.header().no_counters, "from some call on, because the program closed their descriptors");
    owned.free();  // this is no more
    return false;
  }
  return true;
}

void Counting::record_call(Writer& writer) {
  if (!goes_on(writer)) {
    return;
  }
  if (Record record = writer.begin()) {
    record.put(static_cast<std::uint64_t>(log::Head::counters));
    put_differences(record, last_, entered_);
    put_differences(record, entered_, left_);
    writer.commit(record);
  }
  last_ = left_;
}

void Counting::record_point(Writer& writer) {
  read(entered_);
  if (!goes_on(writer)) {
    return;
  }
  if (Record record = writer.begin()) {
    record.put(static_cast<std::uint64_t>(log::Head::counters));
    put_differences(record, last_, entered_);
    writer.commit(record);
  }
  last_ = left_ = entered_;
}

}  // namespace groma::trace
