#include "counters/regions.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <memory>
#include <optional>

#include "counters/event.hpp"
#include "counters/plan.hpp"

namespace groma::counters {
namespace {

using Counter = std::atomic<std::uint64_t>;

constexpr std::size_t kBuckets = 256;
constexpr std::size_t kUsualDepth = 64;

/// Only the thread that owns it writes, so that this needs no atomic addition; others may read meanwhile.
void add(Counter& counter, std::uint64_t amount) noexcept {
  counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

std::uint64_t get(const Counter& counter) noexcept {
  return counter.load(std::memory_order_relaxed);
}

std::uint64_t nanoseconds() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

/// A region called from the same regions, or a value; of one thread.
struct Node {
  Node(const char* called, const Node* around, std::size_t events)
      : name(called), parent(around), inclusive(events), inside(events) {}
  std::string name;
  const Node* parent;
  bool is_value = false;
  Node* chain = nullptr;  // others of the bucket
  Node* older = nullptr;
  Counter calls{0};
  Counter time{0};
  Counter time_inside{0};  // in regions inside of it
  Counter min{~std::uint64_t{0}};
  Counter max{0};
  std::atomic<double> sum{0};  // of a value: whole numbers of 64 bits soon add up to more than these
  std::vector<Counter> inclusive;
  std::vector<Counter> inside;
};

struct Frame {
  Node* node;
  std::uint64_t start;
};

/// What happens in a process once: what is counted, who listens.
struct Process {
  Process();
  std::vector<std::string> events;
  std::vector<MetricGroup> groups;
  std::vector<std::string> remarks;
  void (*trace_region)(const char*, int) = nullptr;
  void (*trace_value)(const char*, unsigned long long) = nullptr;
  std::atomic<class Thread*> threads{nullptr};
  std::atomic<int> thread_count{0};
  std::atomic<std::uint64_t> ends_without_begin{0};
  std::atomic<std::uint64_t> ended_by_others{0};

 private:
  void choose_events(std::string_view listed);
  void choose(const std::string& word, const MetricGroups& known, Plan& plan);
  void register_event(const std::string& event, Plan& plan);
};

/// Lives as long as the program: its totals outlast its thread.
class Thread {
 public:
  explicit Thread(Process& process);
  void begin(const char* name);
  bool end(const char* name) noexcept;
  void note(const char* name, std::uint64_t value);
  /// Ends what is open and stops counting: the thread ends.
  void finish() noexcept;

  const int number;
  Thread* older = nullptr;
  std::atomic<Node*> newest{nullptr};
  std::atomic<bool> counts{false};
  std::string why_not;  // written before others can see this thread

 private:
  Node* find(const char* name, const Node* parent, bool is_value);
  void end_innermost() noexcept;
  std::uint64_t read(std::uint64_t* values) noexcept;

  Process& process_;
  std::size_t events_;
  std::optional<CounterSet> set_;
  std::vector<Frame> frames_;
  std::vector<std::uint64_t> starts_;  // the counts at the begin of each frame
  std::vector<std::uint64_t> now_;
  std::array<Node*, kBuckets> buckets_{};
};

Process& process();

/// Where the regions go at the end; null for nowhere.
const char* file_at_end() {
  const char* file = std::getenv("GROMA_REGIONS");
  return file == nullptr || *file == '\0' ? nullptr : file;
}

void write_at_end() {
  const char* file = file_at_end();
  if (file == nullptr) return;
  const RegionReport report = regions_so_far();
  if (report.regions.empty() && report.values.empty()) return;
  const std::string why = write_regions(report, file);
  if (!why.empty()) std::fprintf(stderr, "groma: regions are lost: %s\n", why.c_str());
}

template <class F>
void look_up(const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name));
}

// ---- What is counted
// ----------------------------------------------------------------------------------------

Process::Process() {
  look_up("groma_trace_region", trace_region);
  look_up("groma_trace_value", trace_value);
  if (const char* listed = std::getenv("GROMA_COUNTERS")) choose_events(listed);
  if (file_at_end() != nullptr) std::atexit(write_at_end);
}

void Process::register_event(const std::string& event, Plan& plan) {
  const Status added = plan.add(event);
  if (!added && added.error().code != "counters.twice") remarks.push_back(added.error().what);
}

void Process::choose(const std::string& word, const MetricGroups& known, Plan& plan) {
  if (known.defect_of(word)) return;  // stands among the remarks
  const auto group = known.by_name.find(word);
  if (group == known.by_name.end()) return register_event(word, plan);
  groups.push_back(group->second);
  for (const NamedEvent& one : group->second.events) register_event(one.event, plan);
}

/// Groups and events. What does not fit is left out, and said.
void Process::choose_events(std::string_view listed) {
  Plan plan;
  const MetricGroups known = metric_groups();
  for (const GroupDefect& one : known.defects) remarks.push_back(one.what);
  for (const std::string_view name : listed_names(listed)) choose(std::string(name), known, plan);
  const Checked checked = plan.check();
  for (const auto& one : checked.unavailable) remarks.push_back(one.event + " is not counted: " + one.reason);
  remarks.insert(remarks.end(), checked.remarks.begin(), checked.remarks.end());
  for (std::size_t run = 1; run < checked.runs.size(); ++run) {
    for (const auto& event : checked.runs[run])
      remarks.push_back(event + " is not counted: it does not fit beside the others (groma counters check)");
  }
  if (!checked.runs.empty()) events = checked.runs.front();
}

/// A child begins anew: what it inherited is its parent's.
void forget_in_child();

Process& process() {
  static Process* const one = [] {
    pthread_atfork(nullptr, nullptr, forget_in_child);
    return new Process;  // never freed: threads may outlive every destructor
  }();
  return *one;
}

// ---- One thread
// ---------------------------------------------------------------------------------------------

Thread::Thread(Process& around)
    : number(around.thread_count.fetch_add(1)),
      process_(around),
      events_(around.events.size()),
      now_(events_) {
  frames_.reserve(kUsualDepth);
  starts_.reserve(kUsualDepth * events_);
  if (events_ > 0) {
    const std::vector<std::string_view> names(around.events.begin(), around.events.end());
    set_ = CounterSet::open(names, why_not);
  }
  counts = set_.has_value();
}

/// By its content, not its address: languages other than C pass copies.
std::size_t bucket_of(const char* name, const Node* parent) noexcept {
  std::uint64_t hash = 14695981039346656037U ^ (reinterpret_cast<std::uintptr_t>(parent) >> 4U);
  for (; *name != '\0'; ++name) hash = (hash ^ static_cast<unsigned char>(*name)) * 1099511628211U;
  return (hash ^ hash >> 32U) % kBuckets;
}

Node* Thread::find(const char* name, const Node* parent, bool is_value) {
  Node*& bucket = buckets_[bucket_of(name, parent)];
  for (Node* node = bucket; node != nullptr; node = node->chain) {
    if (node->parent == parent && node->is_value == is_value && node->name == name) return node;
  }
  auto made = std::make_unique<Node>(name, parent, events_);
  made->is_value = is_value;
  made->chain = bucket;
  made->older = newest.load(std::memory_order_relaxed);
  bucket = made.release();
  newest.store(bucket, std::memory_order_release);
  return bucket;
}

/// The time at which the counters were read. It is the middle of that call, so that the time of a region and
/// its counts are those of the same span, however short the region is.
std::uint64_t Thread::read(std::uint64_t* values) noexcept {
  const std::uint64_t before = nanoseconds();
  if (!set_ || !counts) return before;
  counts = set_->read({values, events_});
  return before + (nanoseconds() - before) / 2;
}

void Thread::begin(const char* name) {
  Node* node = find(name, frames_.empty() ? nullptr : frames_.back().node, false);
  frames_.push_back({node, 0});
  starts_.resize(frames_.size() * events_);
  frames_.back().start = read(starts_.data() + starts_.size() - events_);
}

void Thread::end_innermost() noexcept {
  const std::uint64_t end = read(now_.data());
  const Frame frame = frames_.back();
  frames_.pop_back();
  Node& node = *frame.node;
  const std::uint64_t elapsed = end - frame.start;
  auto* const around = frames_.empty() ? nullptr : frames_.back().node;
  add(node.calls, 1);
  add(node.time, elapsed);
  node.min.store(std::min(get(node.min), elapsed), std::memory_order_relaxed);
  node.max.store(std::max(get(node.max), elapsed), std::memory_order_relaxed);
  if (around != nullptr) add(around->time_inside, elapsed);
  const std::uint64_t* started = starts_.data() + frames_.size() * events_;
  for (std::size_t i = 0; counts && i < events_; ++i) {
    const std::uint64_t count = now_[i] - started[i];
    add(node.inclusive[i], count);
    if (around != nullptr) add(around->inside[i], count);
  }
  starts_.resize(frames_.size() * events_);
  if (process_.trace_region != nullptr) process_.trace_region(node.name.c_str(), 0);
}

bool Thread::end(const char* name) noexcept {
  std::size_t depth = frames_.size();
  if (name != nullptr) {
    while (depth > 0 && frames_[depth - 1].node->name != name) --depth;
  }
  if (depth == 0) {
    process_.ends_without_begin.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  process_.ended_by_others.fetch_add(frames_.size() - depth, std::memory_order_relaxed);
  while (frames_.size() >= depth) end_innermost();
  return true;
}

void Thread::note(const char* name, std::uint64_t value) {
  Node& node = *find(name, nullptr, true);
  add(node.calls, 1);
  node.sum.store(node.sum.load(std::memory_order_relaxed) + static_cast<double>(value),
                 std::memory_order_relaxed);
  node.min.store(std::min(get(node.min), value), std::memory_order_relaxed);
  node.max.store(std::max(get(node.max), value), std::memory_order_relaxed);
}

void Thread::finish() noexcept {
  process_.ended_by_others.fetch_add(frames_.size(), std::memory_order_relaxed);
  while (!frames_.empty()) end_innermost();
  set_.reset();
}

thread_local Thread* current = nullptr;
thread_local bool is_over = false;
std::atomic<bool> is_child{false};

struct ThreadExitHook {
  ThreadExitHook() = default;
  ThreadExitHook(const ThreadExitHook&) = delete;
  ThreadExitHook& operator=(const ThreadExitHook&) = delete;
  ~ThreadExitHook() {
    is_over = true;
    if (current != nullptr) current->finish();
    current = nullptr;
  }
  void touch() {}
};
thread_local ThreadExitHook thread_exit_hook;

void forget_in_child() {
  is_child = true;
  current = nullptr;
  process().threads = nullptr;
  process().thread_count = 0;
  process().ends_without_begin = 0;
  process().ended_by_others = 0;
}

/// Null where memory is short, or the thread is about to end.
Thread* make_current() noexcept try {
  if (is_over) return nullptr;
  Process& around = process();
  auto made = std::make_unique<Thread>(around);
  made->older = around.threads.load();
  while (!around.threads.compare_exchange_weak(made->older, made.get())) {
  }
  thread_exit_hook.touch();
  current = made.release();
  return current;
} catch (const std::exception&) {
  return nullptr;
}

Thread* this_thread_regions() noexcept {
  return current != nullptr ? current : make_current();
}

// ---- What came of it
// ----------------------------------------------------------------------------------------

constexpr double kSecond = 1e9;

std::vector<std::string> path_of(const Node& node) {
  std::vector<std::string> path;
  for (const Node* one = &node; one != nullptr; one = one->parent) path.push_back(one->name);
  std::ranges::reverse(path);
  return path;
}

RegionTotals totals_of(const Node& node, const Thread& thread) {
  const std::uint64_t inclusive = get(node.time);
  RegionTotals totals{path_of(node), thread.number, get(node.calls), 0, 0, 0, 0, {}, {}};
  totals.inclusive = static_cast<double>(inclusive) / kSecond;
  totals.exclusive = static_cast<double>(inclusive - std::min(inclusive, get(node.time_inside))) / kSecond;
  totals.longest = static_cast<double>(get(node.max)) / kSecond;
  totals.shortest = std::min(static_cast<double>(get(node.min)) / kSecond, totals.longest);
  for (std::size_t i = 0; thread.counts && i < node.inclusive.size(); ++i) {
    totals.counts.push_back(get(node.inclusive[i]));
    totals.exclusive_counts.push_back(get(node.inclusive[i]) - get(node.inside[i]));
  }
  return totals;
}

void add_thread(RegionReport& report, const Thread& thread) {
  std::vector<const Node*> nodes;
  for (const Node* node = thread.newest.load(std::memory_order_acquire); node != nullptr; node = node->older)
    nodes.push_back(node);
  std::ranges::reverse(nodes);
  for (const Node* node : nodes) {
    if (get(node->calls) == 0) continue;
    if (node->is_value) {
      report.values.push_back({node->name, thread.number, get(node->calls),
                               node->sum.load(std::memory_order_relaxed), get(node->min), get(node->max)});
    } else {
      report.regions.push_back(totals_of(*node, thread));
    }
  }
  if (thread.counts || report.events.empty()) return;
  const std::string why = thread.why_not.empty() ? "the program closed its counters" : thread.why_not;
  report.remarks.push_back("thread " + std::to_string(thread.number) + " did not count: " + why);
}

}  // namespace

RegionReport regions_so_far() {
  const Process& around = process();
  RegionReport report{around.events, around.groups, {}, {}, around.remarks};
  std::vector<const Thread*> threads;
  for (const Thread* one = around.threads; one != nullptr; one = one->older) threads.push_back(one);
  std::ranges::sort(threads, {}, &Thread::number);
  for (const Thread* one : threads) add_thread(report, *one);
  if (const auto count = around.ends_without_begin.load(); count > 0)
    report.remarks.push_back("ends of regions without a begin: " + std::to_string(count));
  if (const auto count = around.ended_by_others.load(); count > 0)
    report.remarks.push_back("regions that ended with the region or thread around them: " +
                             std::to_string(count));
  return report;
}

bool is_forked_child() noexcept {
  return is_child;
}

void begin_region(const char* name) noexcept try {
  Thread* thread = name == nullptr ? nullptr : this_thread_regions();
  if (thread == nullptr) return;
  if (process().trace_region != nullptr) process().trace_region(name, 1);
  thread->begin(name);
} catch (const std::exception&) {
  return;  // memory is short: the program goes on without this region
}

bool end_region(const char* name) noexcept {
  Thread* thread = this_thread_regions();
  return thread != nullptr && thread->end(name);
}

void note_value(const char* name, std::uint64_t value) noexcept try {
  Thread* thread = name == nullptr ? nullptr : this_thread_regions();
  if (thread == nullptr) return;
  if (process().trace_value != nullptr) process().trace_value(name, value);
  thread->note(name, value);
} catch (const std::exception&) {
  return;
}

}  // namespace groma::counters
