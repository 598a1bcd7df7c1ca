// The C face of regions and of plans. An exception (only lack of memory can raise one) ends as a status.
#include <algorithm>
#include <cstdarg>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/last_error.hpp"
#include "counters/plan.hpp"
#include "counters/regions.hpp"
#include "counters/threshold.hpp"
#include "groma/counters.h"

namespace counters = groma::counters;

struct groma_counters {
  struct RequestedEvent {
    counters::Event event;
    std::uint64_t threshold;
    counters::Threshold::Call call;
  };
  counters::Plan plan;
  std::vector<RequestedEvent> requested;
  std::optional<counters::Checked> checked;
  std::optional<counters::CounterSet> set;
  std::vector<std::unique_ptr<counters::Threshold>> thresholds;
  std::thread::id committer;
};

namespace {

__attribute__((format(printf, 2, 3))) groma_status refused(groma_status status, const char* format,
                                                           ...) noexcept {
  std::va_list arguments;
  va_start(arguments, format);
  groma::set_last_error(format, arguments);
  va_end(arguments);
  return status;
}

groma_status refused(groma_status status, const groma::Error& error) noexcept {
  return refused(status, "%s (%s)", error.what.c_str(), error.next.c_str());
}

groma_status null_given() noexcept {
  return refused(GROMA_BAD_ARGUMENT, "an argument is a null pointer");
}

template <class Body>
groma_status kept_inside(Body body) noexcept {
  try {
    return body();
  } catch (const std::exception& problem) {
    return refused(GROMA_NO_MEMORY, "%s", problem.what());
  }
}

groma_status status_of(const groma::Error& error) {
  if (error.code == "counters.collision") return GROMA_COLLISION;
  return error.code == "counters.unavailable" || error.code == "counters.start" ? GROMA_NOT_COUNTED
                                                                                : GROMA_BAD_ARGUMENT;
}

groma_status committed_already() noexcept {
  return refused(GROMA_BAD_ARGUMENT, "this plan is committed already: make another one");
}

using Thresholds = std::vector<std::unique_ptr<counters::Threshold>>;

/// What counts once it is started.
struct Started {
  std::optional<counters::CounterSet> set;
  Thresholds thresholds;
};

constexpr counters::Threshold::Call kNoCall{[](void*) {}, nullptr};

groma_status start_thresholds(const groma_counters& all, bool is_trial, Thresholds& started) {
  for (const auto& one : all.requested) {
    std::string reason;
    const counters::Threshold::Call call = is_trial ? kNoCall : one.call;
    started.push_back(counters::Threshold::open(one.event, one.threshold, call, reason));
    if (started.back() == nullptr)
      return refused(GROMA_NOT_COUNTED, "%s: %s", one.event.name.c_str(), reason.c_str());
  }
  return GROMA_OK;
}

/// Starts all that is registered, or fails. A trial calls nobody back.
groma_status start(const groma_counters& all, bool is_trial, Started& started) {
  if (!all.plan.is_empty() || all.requested.empty()) {
    auto committed = all.plan.commit();
    if (!committed) return refused(status_of(committed.error()), committed.error());
    started.set = std::move(committed).value();
  }
  return start_thresholds(all, is_trial, started.thresholds);
}

groma_status check(groma_counters& all) {
  all.checked = all.plan.check();
  if (const auto defect = counters::first_defect(*all.checked)) return refused(status_of(*defect), *defect);
  Started trial;
  return start(all, true, trial);
}

groma_status commit(groma_counters& all) {
  Started started;
  const groma_status status = start(all, false, started);
  if (status != GROMA_OK) return status;
  all.set = std::move(started.set);
  all.thresholds = std::move(started.thresholds);
  all.committer = std::this_thread::get_id();
  return status;
}

}  // namespace

void groma_region_begin(const char* name) {
  counters::begin_region(name);
}

void groma_region_end(const char* name) {
  counters::end_region(name);
}

void groma_value(const char* name, unsigned long long value) {
  counters::note_value(name, value);
}

groma_status groma_regions_write(const char* file) {
  if (file == nullptr) return null_given();
  return kept_inside([&] {
    const std::string why = counters::write_regions(counters::regions_so_far(), file);
    return why.empty() ? GROMA_OK : refused(GROMA_CANNOT_WRITE, "%s", why.c_str());
  });
}

groma_status groma_counters_create(groma_counters** made) {
  if (made == nullptr) return null_given();
  return kept_inside([&] {
    *made = new groma_counters;
    return GROMA_OK;
  });
}

groma_status groma_counters_add(groma_counters* all, const char* event) {
  if (all == nullptr || event == nullptr) return null_given();
  if (all->set || !all->thresholds.empty()) return committed_already();
  return kept_inside([&] {
    const auto added = all->plan.add(event);
    if (added) all->checked.reset();
    return added ? GROMA_OK : refused(GROMA_BAD_ARGUMENT, added.error());
  });
}

groma_status groma_counters_on_threshold(groma_counters* all, const char* event, unsigned long long threshold,
                                         groma_threshold_callback callback, void* context) {
  if (all == nullptr || event == nullptr || callback == nullptr) return null_given();
  if (all->set || !all->thresholds.empty()) return committed_already();
  return kept_inside([&] {
    std::string reason;
    const auto found = counters::find_event(event, counters::this_system(), reason);
    if (!found) return refused(GROMA_BAD_ARGUMENT, "%s: %s", event, reason.c_str());
    if (threshold == 0) return refused(GROMA_BAD_ARGUMENT, "a threshold is at least 1");
    all->requested.push_back({*found, threshold, {callback, context}});
    return GROMA_OK;
  });
}

groma_status groma_counters_check(groma_counters* all) {
  if (all == nullptr) return null_given();
  return kept_inside([&] { return check(*all); });
}

groma_status groma_counters_run_count(const groma_counters* all, size_t* runs) {
  if (all == nullptr || runs == nullptr) return null_given();
  if (!all->checked) return refused(GROMA_BAD_ARGUMENT, "the plan is not checked");
  *runs = all->checked->runs.size();
  return GROMA_OK;
}

groma_status groma_counters_run_of(const groma_counters* all, const char* event, size_t* run) {
  if (all == nullptr || event == nullptr || run == nullptr) return null_given();
  if (!all->checked) return refused(GROMA_BAD_ARGUMENT, "the plan is not checked");
  const auto& runs = all->checked->runs;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (std::ranges::find(runs[i], event) == runs[i].end()) continue;
    *run = i;
    return GROMA_OK;
  }
  return refused(GROMA_NOT_FOUND, "%s is counted in no run", event);
}

groma_status groma_counters_commit(groma_counters* all) {
  if (all == nullptr) return null_given();
  if (all->set || !all->thresholds.empty()) return committed_already();
  return kept_inside([&] { return commit(*all); });
}

groma_status groma_counters_read(groma_counters* all, unsigned long long* values, size_t count) {
  static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t));
  if (all == nullptr || values == nullptr) return null_given();
  if (!all->set) return refused(GROMA_BAD_ARGUMENT, "nothing is counted: commit first");
  if (all->committer != std::this_thread::get_id())
    return refused(GROMA_BAD_ARGUMENT, "another thread committed this plan: only that one can read it");
  if (count < all->set->size())
    return refused(GROMA_BAD_ARGUMENT, "room for %zu values, not for %zu", count, all->set->size());
  return all->set->read({reinterpret_cast<std::uint64_t*>(values), count})
             ? GROMA_OK
             : refused(GROMA_NOT_COUNTED, "the counters cannot be read any more");
}

void groma_counters_close(groma_counters* all) {
  delete all;
}
