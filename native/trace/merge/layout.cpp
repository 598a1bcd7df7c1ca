#include "trace/merge/layout.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace groma::trace {
namespace {

/// A damaged log may name any number.
constexpr std::uint64_t kMaxTasks = 1U << 22U;
constexpr std::uint64_t kMaxThreads = 1U << 16U;

/// Adds objects for the tasks and threads that are missing, up to these limits.
class GapFiller {
 public:
  explicit GapFiller(std::vector<Object>& made) : made_(made) {}

  void begin(const Object& first) { place_ = {first.application, 0, 0, first.node, first.cpu}; }
  /// A known one, after all that come before it.
  void add(const Object& one) {
    fill_tasks(one.task);
    for (; place_.task == one.task && place_.thread < one.thread && one.thread < kMaxThreads;
         ++place_.thread) {
      made_.push_back(place_);
    }
    made_.push_back(one);
    place_ = one;
    ++place_.thread;
  }
  /// One place for each task before this one.
  void fill_tasks(std::uint64_t task) {
    if (place_.task >= task) return;
    const std::uint32_t next = place_.task + (place_.thread > 0 ? 1 : 0);
    place_.thread = 0;
    place_.task = next;
    for (; task <= kMaxTasks && place_.task < task; ++place_.task) made_.push_back(place_);
    place_.task = static_cast<std::uint32_t>(task);
  }

 private:
  std::vector<Object>& made_;
  Object place_{};  ///< the first that is not made
};

/// None where there are more than the application has.
std::vector<std::uint32_t> tasks_of(std::span<const Run> runs, std::uint64_t most) {
  std::vector<std::uint32_t> tasks;
  const std::uint64_t size = size_of(runs);
  if (size > most) return tasks;
  for (std::uint64_t i = 0; i < size; ++i) {
    if (const auto rank = rank_in(runs, static_cast<std::int64_t>(i))) tasks.push_back(*rank);
  }
  return tasks;
}

/// How many tasks each application has.
std::map<std::uint32_t, std::uint64_t> task_counts(const Layout& layout) {
  std::map<std::uint32_t, std::uint64_t> counts;
  for (const Object& one : layout.objects) {
    std::uint64_t& count = counts[one.application];
    count = std::max<std::uint64_t>(count, std::uint64_t{one.task} + 1);
  }
  return counts;
}

/// The communicators that have these tasks in this order.
class CommunicatorIds {
 public:
  CommunicatorIds(Layout& layout, std::uint64_t next) : layout_(layout), next_(next) {
    for (const Communicator& one : layout.communicators)
      ids_.try_emplace({one.application, one.tasks}, one.id);
  }
  std::uint64_t id_of(std::uint32_t application, const std::vector<std::uint32_t>& tasks) {
    const auto [place, is_new] = ids_.try_emplace({application, tasks}, next_);
    if (is_new) layout_.communicators.push_back({application, next_++, tasks});
    return place->second;
  }

 private:
  Layout& layout_;
  std::map<std::pair<std::uint32_t, std::vector<std::uint32_t>>, std::uint64_t> ids_;
  std::uint64_t next_;
};

}  // namespace

std::vector<Object> without_gaps(const std::vector<Object>& known,
                                 const std::map<std::uint32_t, std::uint32_t>& ranks) {
  std::vector<Object> made;
  made.reserve(known.size());
  for (std::size_t i = 0; i < known.size();) {
    const std::uint32_t application = known[i].application;
    GapFiller filler(made);
    filler.begin(known[i]);
    for (; i < known.size() && known[i].application == application; ++i) filler.add(known[i]);
    const auto size = ranks.find(application);
    if (size != ranks.end()) filler.fill_tasks(size->second);
  }
  return made;
}

void add_communicators(const Groups& groups, Layout& layout) {
  struct NumberedGroup {
    std::uint64_t id;
    const Group* group;
  };
  std::vector<NumberedGroup> inters;
  const auto counts = task_counts(layout);
  const auto known_tasks = [&](const Group& group, std::span<const Run> runs) {
    const auto found = counts.find(group.application);
    return tasks_of(runs, found == counts.end() ? kMaxTasks : found->second);
  };
  for (std::uint64_t id = 1; const Group& group : groups.all()) {
    std::vector<std::uint32_t> tasks = known_tasks(group, group.members);
    const std::vector<std::uint32_t> remote = known_tasks(group, group.remote);
    if (group.inter && !tasks.empty() && !remote.empty()) {
      inters.push_back({id, &group});
    } else {
      tasks.insert(tasks.end(), remote.begin(), remote.end());
      layout.communicators.push_back({group.application, id, std::move(tasks)});
    }
    ++id;
  }
  CommunicatorIds communicator_ids(layout, groups.all().size() + 1);
  for (const auto& [id, group] : inters) {
    const std::vector<std::uint32_t> members = known_tasks(*group, group->members);
    const std::vector<std::uint32_t> remote = known_tasks(*group, group->remote);
    const std::uint64_t first = communicator_ids.id_of(group->application, members);
    const std::uint64_t second = communicator_ids.id_of(group->application, remote);
    // Only the call that makes it names the leaders; the first members stand for them.
    layout.intercommunicators.push_back(
        {group->application, id, first, members.front(), second, remote.front()});
  }
}

}  // namespace groma::trace
