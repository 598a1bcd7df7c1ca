#include "trace/tracer/counting.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "counters/counter_set.hpp"
#include "counters/event.hpp"
#include "trace/tracer/wrapping.hpp"

namespace groma::trace {

struct Counting::Set {
  counters::CounterSet counters;
};

namespace {

/// Frees the counters of a thread when it ends; calls of MPI that follow count nothing.
struct Owner {
  std::unique_ptr<Counting> counting;
  ~Owner() { thread_state.counting = nullptr; }
};
thread_local Owner owner;

template <std::size_t size>
void copy_text(std::array<char, size>& to, std::string_view from) {
  const std::size_t length = std::min(from.size(), size - 1);
  std::copy_n(from.begin(), length, to.begin());
  to[length] = '\0';
}

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
  auto* const kept = new (std::nothrow) Set{std::move(*set)};
  if (kept == nullptr) {
    return nullptr;
  }
  owner.counting.reset(new (std::nothrow) Counting(kept, events.size()));
  header.counters = owner.counting == nullptr ? 0 : events.size();
  if (owner.counting != nullptr) {
    owner.counting->start_anew();
  }
  return owner.counting.get();
}

Counting::~Counting() {
  delete set_;
}

void Counting::read(Values& values) {
  set_->counters.read(std::span(values.data(), size_));
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

void Counting::record_call(Writer& writer) {
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
  if (Record record = writer.begin()) {
    record.put(static_cast<std::uint64_t>(log::Head::counters));
    put_differences(record, last_, entered_);
    writer.commit(record);
  }
  last_ = left_ = entered_;
}

}  // namespace groma::trace
