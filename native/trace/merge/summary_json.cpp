#include "trace/merge/summary_json.hpp"

#include <string>

#include "base/utf8.hpp"

namespace groma::trace {
namespace {

constexpr double kNanoseconds = 1e9;  ///< in a second

/// One division, so that it prints as the decimal that it is. A product with 1e-9 does not.
Json seconds(double time) {
  return time / kNanoseconds;
}
Json seconds(Nanoseconds time) {
  return seconds(static_cast<double>(time));
}

/// What a log or a path says may have any bytes.
Json utf8(std::string text) {
  make_utf8(text);
  return text;
}

template <class Items, class Make>
Json array(const Items& items, Make make) {
  std::string text = "[";
  for (const auto& item : items) {
    if (text.size() > 1) text += ',';
    text += Json(make(item)).text();
  }
  return Json::verbatim(text + "]");
}

const char* name_of(log::Family family) {
  static constexpr std::array<const char*, 5> names{"point-to-point", "collective", "other", "one-sided",
                                                    "io"};
  return names[static_cast<std::size_t>(family)];
}

const char* name_of(Alignment alignment) {
  static constexpr std::array<const char*, 4> names{"reference", "messages", "offset", "time of day"};
  return names[static_cast<std::size_t>(alignment)];
}

Json calls_of(const ThreadSummary& thread) {
  std::string text = "[";
  for (std::size_t i = 0; i < thread.calls.size(); ++i) {
    const CallTotal& sum = thread.calls[i];
    if (sum.count == 0) continue;
    if (text.size() > 1) text += ',';
    text += JsonObject()
                .add("call", "MPI_" + std::string(log::kCalls[i].name))
                .add("family", name_of(log::kCalls[i].family))
                .add("count", sum.count)
                .add("seconds", seconds(sum.time))
                .json()
                .text();
  }
  return Json::verbatim(text + "]");
}

Json thread_json(const ThreadSummary& thread) {
  return JsonObject()
      .add("application", thread.object.application)
      .add("rank", thread.object.task)
      .add("thread", thread.object.thread)
      .add("host", utf8(thread.host))
      .add("finished", thread.finished)
      .add("in_call", thread.in_call.empty() ? Json("") : Json("MPI_" + thread.in_call))
      .add("lost_records", thread.lost)
      .add("overwritten_chunks", thread.overwritten)
      .add("damaged_chunks", thread.damaged)
      .add("begin", seconds(thread.begin))
      .add("end", seconds(thread.end))
      .add("call_cost", seconds(thread.cost))
      .add("call_cost_inside", seconds(thread.cost_inside))
      .add("calls", calls_of(thread))
      .add("counters", array(thread.counters,
                             [](const CounterSummary& one) {
                               return JsonObject()
                                   .add("event", utf8(one.event))
                                   .add("inside", one.inside)
                                   .add("outside", one.outside)
                                   .json();
                             }))
      .add("no_counters", utf8(thread.no_counters))
      .add("unrecorded_threads", thread.no_logs)
      .add("unnamed_records", thread.unnamed)
      .add("unknown_communicators", thread.unknown_comms)
      .json();
}

}  // namespace

Json to_json(const MergeSummary& summary) {
  return JsonObject()
      .add("duration", seconds(summary.duration))
      .add("program", utf8(summary.program))
      .add("library", utf8(summary.library))
      .add("logs", summary.logs)
      .add("log_bytes", summary.log_bytes)
      .add("calls", summary.calls)
      .add("messages", summary.matched)
      .add("early_messages", summary.early)
      .add("unmatched_sends", summary.unmatched_sends)
      .add("unmatched_receives", summary.unmatched_receives)
      .add("undetermined_receives", summary.undetermined)
      .add("left_out_messages", summary.left_out)
      .add("ranks", summary.ranks)
      .add("missing",
           array(summary.missing,
                 [](const auto& one) {
                   return JsonObject().add("application", one.first).add("rank", one.second).json();
                 }))
      .add("untraced_ranks", summary.untraced)
      .add("refused", array(summary.refused, [](const Error& one) { return utf8(one.what); }))
      .add("hosts", array(summary.hosts,
                          [](const auto& one) {
                            return JsonObject()
                                .add("name", utf8(one.name))
                                .add("aligned_by", name_of(one.alignment))
                                .add("error", seconds(one.error))
                                .add("comparisons", one.comparisons)
                                .json();
                          }))
      .add("threads", array(summary.threads, thread_json))
      .add("matrix", array(summary.matrix,
                           [](const auto& one) {
                             return JsonObject()
                                 .add("source", one.first.first)
                                 .add("target", one.first.second)
                                 .add("messages", one.second.messages)
                                 .add("bytes", one.second.bytes)
                                 .json();
                           }))
      .json();
}

}  // namespace groma::trace
