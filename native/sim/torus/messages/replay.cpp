// Replay of a time-independent trace (messages/trace_text.hpp).
//   workload.name               replay
//   workload.trace              its text; or
//   workload.file               the name of its file, or of a file that lists those of the ranks, one a line
//   workload.cycles_per_unit    of compute, 1 by default
//   workload.cycles_per_second  of sleep, 1e9 by default
//   workload.cores              ranks on each node, 1 by default
// and the fields of messages/layer_request.hpp. The result adds ranks, rank_finished {min, max} in cycles,
// and, where there are any, unsized: lines in which a type has no size that the trace tells, and unreceived
// {messages, of_collectives, first [from, to, tag]}: messages that no receive took. A replay in which ranks
// wait for ever has complete false and deadlock, and unsent {receives, of_collectives, ranks, first [from,
// to, tag], sendrecvs} where nobody sends what some of them wait for: the first of these ranks, and how many
// lines of the trace are a sendRecv. -1 stands for any rank or tag.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/torus/messages/layer_request.hpp"
#include "sim/torus/messages/trace_text.hpp"

namespace groma::sim::torus {
namespace {

constexpr double kFastest = 1e15;

double read_rate(Fields& fields, std::string_view name, double otherwise) {
  const double rate = fields.number(name, otherwise);
  if (!(rate >= 0.0 && rate <= kFastest)) fields.refuse(name, "must be from 0 to 1e15");
  return rate;
}

Result<std::vector<TracePart>> read_parts(Fields& fields) {
  const std::string file = fields.text("file", "");
  std::string text = fields.text("trace", "");
  if (file.empty() == text.empty()) {
    return Error{"usage", "a replay needs either workload.trace or workload.file", "give one of them"};
  }
  if (!file.empty()) return read_trace_files(file);
  return std::vector<TracePart>{{"", std::move(text)}};
}

/// Ranks disagree about these messages, or about the collectives that they belong to.
void add_unreceived(const std::vector<Unreceived>& all, JsonObject& result) {
  if (all.empty()) return;
  const auto is_of_program = [](const Unreceived& one) { return one.tag >= 0; };
  const auto messages = static_cast<std::uint64_t>(std::ranges::count_if(all, is_of_program));
  JsonObject found;
  found.add("messages", messages).add("of_collectives", all.size() - messages);
  if (const auto first = std::ranges::find_if(all, is_of_program); first != all.end()) {
    found.add("first",
              std::vector<std::uint64_t>{first->from, first->to, static_cast<std::uint64_t>(first->tag)});
  }
  result.add("unreceived", found.json());
}

constexpr std::size_t kMostRanksToName = 16;

/// What the sender in the trace has left out, or a rank that is not in it.
void add_unsent(const std::vector<Unsent>& all, std::uint64_t sendrecvs, JsonObject& result) {
  if (all.empty()) return;
  const auto is_of_program = [](const Unsent& one) { return one.tag >= kAnyTag; };
  const auto receives = static_cast<std::uint64_t>(std::ranges::count_if(all, is_of_program));
  std::vector<Rank> ranks;
  for (const Unsent& one : all) {
    if (ranks.size() < kMostRanksToName && (ranks.empty() || ranks.back() != one.to)) ranks.push_back(one.to);
  }
  JsonObject found;
  found.add("receives", receives).add("of_collectives", all.size() - receives).add("ranks", ranks);
  if (const auto first = std::ranges::find_if(all, is_of_program); first != all.end()) {
    const std::int64_t from = first->from == kAnyRank ? -1 : std::int64_t{first->from};
    found.add("first", std::vector<std::int64_t>{from, first->to, first->tag});
  }
  result.add("unsent", found.add("sendrecvs", sendrecvs).json());
}

void report(const MessageLayer& layer, const Outcome& outcome, std::uint64_t sendrecvs, JsonObject& result) {
  result.add("ranks", layer.ranks());
  if (!layer.is_complete()) {
    if (outcome.ending != Ending::kStopped) add_unsent(layer.unsent(), sendrecvs, result);
    return;
  }
  Cycles first = kNever;
  for (Rank rank = 0; rank < layer.ranks(); ++rank) first = std::min(first, layer.finished_at(rank));
  result.add("rank_finished", JsonObject().add("min", first).add("max", layer.time()).json());
  add_unreceived(layer.unreceived(), result);
}

Result<std::unique_ptr<Workload>> make(const WorkloadRequest& request) {
  std::optional<Error> error;
  auto made = make_message_workload(request, [&error](const WorkloadRequest& asked, Fields& fields) {
    Programs programs{{}, {}, fields.whole<std::uint32_t>("cores", 1, 1, kMaxCores)};
    const ReplayTarget target{read_rate(fields, "cycles_per_unit", 1.0),
                              read_rate(fields, "cycles_per_second", 1e9),
                              std::uint64_t{asked.shape.nodes()} * programs.cores};
    const auto parts = read_parts(fields);
    if (!parts) {
      error = parts.error();
      return programs;
    }
    auto read = read_trace(parts.value(), target);
    if (!read) {
      error = read.error();
      return programs;
    }
    programs.of_ranks = std::move(read.value().of_ranks);
    programs.extra = [unsized = read.value().unsized, sendrecvs = read.value().sendrecvs](
                         const MessageLayer& layer, const Outcome& outcome, JsonObject& result) {
      report(layer, outcome, sendrecvs, result);
      if (unsized != 0) result.add("unsized", unsized);
    };
    return programs;
  });
  if (made && error) return *error;
  return made;
}

const Workloads::Registration kRegistered({"replay", make});

}  // namespace
}  // namespace groma::sim::torus
