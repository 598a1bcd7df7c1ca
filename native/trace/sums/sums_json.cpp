#include "trace/sums/sums_json.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace groma::trace {
namespace {

/// A row of numbers.
template <class... Number>
Json row(const Number&... numbers) {
  return Json(std::vector<Json>{Json(numbers)...});
}

Json list(const std::vector<Json>& items) {
  std::string text = "[";
  for (const Json& item : items) {
    if (text.size() > 1) text += ',';
    text += item.text();
  }
  return Json::verbatim(text + "]");
}

std::string label_of(const Names& names, const CallKey& key) {
  const auto type = names.events.find(key.type);
  if (type == names.events.end()) return "";
  const auto value = type->second.values.find(key.value);
  return value == type->second.values.end() ? "" : value->second;
}

Json objects(const Layout& layout) {
  std::vector<Json> rows;
  for (const Object& one : layout.objects)
    rows.push_back(row(one.application, one.task, one.thread, one.node));
  return list(rows);
}

Json spans(const Sums& sums) {
  std::vector<Json> lengths;
  for (const ObjectSums& one : sums.objects()) lengths.emplace_back(one.span.length());
  return list(lengths);
}

Json states(const Sums& sums) {
  std::vector<Json> rows;
  for (std::size_t i = 0; i < sums.objects().size(); ++i) {
    for (const auto& [state, sum] : sums.objects()[i].states)
      rows.push_back(row(i, state, sum.count, sum.time));
  }
  return list(rows);
}

Json calls(const Sums& sums) {
  std::vector<Json> rows;
  for (std::size_t i = 0; i < sums.objects().size(); ++i) {
    for (const auto& [key, sum] : sums.objects()[i].calls) {
      rows.push_back(row(i, key.type, key.value, sum.count, sum.time, sum.longest, sum.messages, sum.received,
                         sum.receiving_calls, sum.receiving_time, sum.collective_sent,
                         sum.collective_received));
    }
  }
  return list(rows);
}

Json regions(const Sums& sums) {
  std::vector<Json> rows;
  for (std::size_t i = 0; i < sums.objects().size(); ++i) {
    for (const auto& [key, sum] : sums.objects()[i].regions) {
      rows.push_back(
          row(i, key.type, key.value, sum.count, sum.time, sum.calling_time, sum.messages, sum.received));
    }
  }
  return list(rows);
}

Json thread_counters(const Sums& sums) {
  std::vector<Json> rows;
  for (std::size_t i = 0; i < sums.objects().size(); ++i) {
    for (const auto& [type, sum] : sums.objects()[i].counters)
      rows.push_back(row(i, type, sum.count, sum.sum));
  }
  return list(rows);
}

Json counters(const Sums& sums) {
  std::vector<Json> rows;
  for (const auto& [key, sum] : sums.counters()) {
    rows.push_back(row(key.counter, key.call.type, key.call.value, key.region.type, key.region.value,
                       sum.count, sum.sum));
  }
  return list(rows);
}

Json pairs(const Sums& sums) {
  std::vector<Json> rows;
  for (const auto& [pair, sum] : sums.pairs())
    rows.push_back(row(pair.first, pair.second, sum.count, sum.bytes));
  return list(rows);
}

Json sizes(const Sums& sums) {
  std::vector<Json> rows;
  for (std::size_t i = 0; i < sums.sizes().size(); ++i) {
    const MessageSum& one = sums.sizes()[i];
    if (one.count > 0) rows.push_back(row(i, one.count, one.bytes));
  }
  return list(rows);
}

Json bandwidths(const Sums& sums) {
  std::vector<Json> rows;
  for (std::size_t i = 0; i < sums.objects().size(); ++i) {
    for (const auto& [key, sum] : sums.objects()[i].calls) {
      for (const auto& [bin, one] : sum.bandwidths)
        rows.push_back(row(key.type, key.value, bin, one.count, one.time, i));
    }
  }
  return list(rows);
}

Json call_sites(const Sums& sums) {
  std::vector<Json> rows;
  for (const auto& [key, sum] : sums.sites()) {
    rows.push_back(row(key.call.type, key.call.value, key.function, key.line, sum.count, sum.time,
                       sum.longest, sum.sent, sum.received));
  }
  return list(rows);
}

Json collectives(const Sums& sums) {
  std::vector<Json> rows;
  for (const auto& [key, sum] : sums.collectives()) {
    rows.push_back(row(key.application, key.communicator, key.call.type, key.call.value, sum.count, sum.time,
                       sum.longest, sum.sent, sum.received));
  }
  return list(rows);
}

/// So many ranks of a communicator are listed.
constexpr std::size_t kListed = 8;

/// From each rank to the next; 0 where that differs.
std::uint64_t stride_of(const std::vector<std::uint32_t>& tasks) {
  if (tasks.size() < 2 || tasks[1] <= tasks[0]) return 0;
  const std::uint32_t stride = tasks[1] - tasks[0];
  for (std::size_t i = 1; i < tasks.size(); ++i) {
    if (tasks[i] < tasks[i - 1] || tasks[i] - tasks[i - 1] != stride) return 0;
  }
  return stride;
}

/// Of each communicator in which a collective was called: how many ranks it has, in which steps, the first of
/// them, and the last.
Json communicator_ranks(const Sums& sums) {
  std::set<std::pair<std::uint32_t, std::uint64_t>> called;
  for (const auto& entry : sums.collectives())
    called.emplace(entry.first.application, entry.first.communicator);
  std::vector<Json> rows;
  for (const Communicator& one : sums.layout().communicators) {
    if (one.tasks.empty() || called.erase({one.application, one.id}) == 0) continue;
    const auto listed = static_cast<std::ptrdiff_t>(std::min(kListed, one.tasks.size()));
    rows.push_back(row(one.application, one.id, one.tasks.size(), stride_of(one.tasks), one.tasks.back(),
                       std::vector<Json>(one.tasks.begin(), one.tasks.begin() + listed)));
  }
  return list(rows);
}

Json types(const Sums& sums) {
  std::vector<Json> rows;
  for (const auto& [type, count] : sums.types()) {
    const auto name = sums.names().events.find(type);
    const std::string label = name == sums.names().events.end() ? "" : name->second.label;
    rows.push_back(list({Json(type), Json(count), Json(label)}));
  }
  return list(rows);
}

/// Labels of the values that occur, of calls, of regions and of callers.
Json labels(const Sums& sums) {
  std::map<CallKey, std::string> found;
  for (const ObjectSums& one : sums.objects()) {
    for (const auto& entry : one.calls) found[entry.first];
    for (const auto& entry : one.regions) found[entry.first];
  }
  for (const auto& entry : sums.sites()) {
    found[{kCallerType, entry.first.function}];
    found[{kCallerLineType, entry.first.line}];
  }
  std::vector<Json> rows;
  for (auto& [key, label] : found) {
    label = label_of(sums.names(), key);
    if (!label.empty()) rows.push_back(list({Json(key.type), Json(key.value), Json(label)}));
  }
  return list(rows);
}

Json state_labels(const Sums& sums) {
  std::vector<Json> rows;
  for (const auto& [state, label] : sums.names().states) rows.push_back(list({Json(state), Json(label)}));
  return list(rows);
}

/// As many bins as a page has room for.
constexpr std::size_t kBinsOfTimeline = 144;

/// Where it begins, the width of its bins, and its rows: the first and the last object, and times in states.
Json timeline(const Sums& sums) {
  const Timeline::Picture made = sums.timeline().picture(kBinsOfTimeline);
  std::vector<Json> rows;
  for (const Timeline::Row& one : made.rows) {
    std::vector<Json> lines;
    for (const Timeline::Line& line : one.lines) lines.push_back(row(line.state, line.times));
    rows.push_back(row(one.first, one.last, lines));
  }
  return row(made.begin, made.width, rows);
}

}  // namespace

JsonObject to_json(const Sums& sums) {
  JsonObject made;
  made.add("created", sums.layout().created)
      .add("begin", sums.first_time())
      .add("duration", sums.duration())
      .add("header_duration", sums.layout().duration)
      .add("nodes", sums.layout().nodes.size())
      .add("node_names", sums.names().nodes)
      .add("communicators", sums.layout().communicators.size())
      .add("objects", objects(sums.layout()))
      .add("spans", spans(sums))
      .add("states", states(sums))
      .add("calls", calls(sums))
      .add("regions", regions(sums))
      .add("counters", counters(sums))
      .add("thread_counters", thread_counters(sums))
      .add("pairs", pairs(sums))
      .add("sizes", sizes(sums))
      .add("bandwidths", bandwidths(sums))
      .add("call_sites", call_sites(sums))
      .add("collectives", collectives(sums))
      .add("communicator_ranks", communicator_ranks(sums))
      .add("types", types(sums))
      .add("labels", labels(sums))
      .add("state_labels", state_labels(sums))
      .add("timeline", timeline(sums))
      .add("outside_calls", row(sums.outside_calls().count, sums.outside_calls().bytes))
      .add("unpaired_calls", sums.unpaired_calls())
      .add("clipped_counts", sums.clipped_counts())
      .add("left_out", sums.left_out());
  return made;
}

}  // namespace groma::trace
