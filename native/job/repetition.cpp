#include "job/repetition.hpp"

#include <algorithm>
#include <cmath>

#include "base/disturbance.hpp"
#include "job/settled_median.hpp"
#include "mpi/wait.hpp"

namespace groma::job {
namespace {

/// Which value of a repetition becomes which case.
struct Reported {
  std::size_t series;
  std::size_t rank;
};

std::vector<Reported> reported_of(const std::vector<Series>& series,
                                  const std::vector<std::vector<double>>& first) {
  std::vector<Reported> all;
  for (std::size_t s = 0; s < series.size(); ++s) {
    const std::size_t ranks = series[s].mode == "mpi" ? 1 : first.size();
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      if (!std::isnan(first[rank][s])) all.push_back({s, rank});
    }
  }
  return all;
}

std::vector<Case> cases_of(const std::vector<Series>& series, const std::vector<Reported>& reported) {
  std::vector<Case> cases;
  for (const Reported& one : reported) {
    const Series& of = series[one.series];
    cases.push_back(Case(of.unit).with("series", of.name).with("mode", of.mode).with("rank", one.rank));
    for (const auto& [label, value] : of.labels) cases.back().with(label, value);
  }
  return cases;
}

/// The root's part of the loop.
class Repetitions {
 public:
  Repetitions(const Measuring& measuring, const std::vector<Series>& series)
      : measuring_(measuring), series_(series) {}

  void take(const std::vector<std::vector<double>>& by_rank, const RawSamples& raw,
            const RoundReport& round) {
    if (done_++ == 0) begin(by_rank, raw);
    keep_means(by_rank);
    for (std::size_t i = 0; i < reported_.size(); ++i) {
      measuring_.sink.sample(i, round.round, by_rank[reported_[i].rank][reported_[i].series]);
    }
    for (std::size_t i = 0; i < raw.values.size(); ++i) {
      for (const double value : raw.values[i])
        measuring_.sink.sample(reported_.size() + i, round.round, value);
    }
    measuring_.sink.round(round);
  }

  [[nodiscard]] std::optional<EndReason> finished() const { return reason_to_end(measuring_, means_, done_); }

 private:
  void begin(const std::vector<std::vector<double>>& by_rank, const RawSamples& raw) {
    reported_ = reported_of(series_, by_rank);
    std::vector<Case> cases = cases_of(series_, reported_);
    // Marked, so that a reader can separate figures from the samples behind them.
    for (std::size_t i = 0; i < raw.cases.size(); ++i) {
      cases.push_back(raw.cases[i]);
      if (i >= raw.figures) cases.back().with("raw", true);
    }
    measuring_.sink.begin(cases);
  }

  /// Of each series over its ranks, which `reported_` has one after the other.
  void keep_means(const std::vector<std::vector<double>>& by_rank) {
    std::size_t figure = 0;
    for (auto first = reported_.begin(); first != reported_.end(); ++figure) {
      const auto end = std::find_if(first, reported_.end(),
                                    [&](const Reported& one) { return one.series != first->series; });
      const auto ranks = static_cast<double>(end - first);
      double sum = 0.0;
      for (; first != end; ++first) sum += by_rank[first->rank][first->series];
      if (figure == means_.size()) means_.emplace_back();
      means_[figure].push_back(sum / ranks);
    }
  }

  const Measuring& measuring_;
  const std::vector<Series>& series_;
  std::uint32_t done_ = 0;
  std::vector<Reported> reported_;
  std::vector<std::vector<double>> means_;  ///< by series that has any
};

void append(std::vector<Figure>* figures, const std::vector<Series>& series, const Values& values) {
  if (figures == nullptr) return;
  for (std::size_t s = 0; s < values.size(); ++s) {
    Figure& figure = figures->emplace_back(Figure{std::string(series[s].name), std::string(series[s].mode),
                                                  std::string(series[s].unit), values[s]});
    if (figure.mode != "mpi") continue;
    for (auto& ranks : figure.values) ranks.resize(1);  // rank 0 tells for all
  }
}

}  // namespace

std::optional<EndReason> reason_to_end(const Measuring& measuring,
                                       std::span<const std::vector<double>> figures, std::uint32_t done) {
  if (measuring.cancelled) return EndReason::kInterrupted;
  if (done < measuring.repetitions) return std::nullopt;
  if (std::ranges::all_of(figures, is_settled_median)) return EndReason::kStable;
  if (done >= measuring.most) return EndReason::kRounds;
  if (measuring.clock.now() >= measuring.until) return EndReason::kBudget;
  return std::nullopt;
}

Values repeat(const Measuring& measuring, const std::vector<Series>& series, const Measurement& measure,
              const std::function<RawSamples()>& raw) {
  const mpi::Communicator& world = measuring.world;
  Values values(world.is_root() ? series.size() : 0);
  Repetitions repetitions(measuring, series);
  std::optional<EndReason> ended;
  for (std::uint32_t round = 0;; ++round) {
    world.barrier();
    const RoundWatch watch(measuring.clock, round);
    const auto by_rank = world.gather_rows(measure());
    if (world.is_root()) {
      repetitions.take(by_rank, raw ? raw() : RawSamples{}, watch.report());
      for (std::size_t s = 0; s < series.size(); ++s) {
        auto& of_ranks = values[s].emplace_back();
        for (const auto& row : by_rank) of_ranks.push_back(row[s]);
      }
      ended = repetitions.finished();
    }
    // A scheduler may signal a single rank, which would give up before the others have had enough.
    if (world.reduce_to_all(std::int32_t{measuring.cancelled}, mpi::Reduction::kMax) != 0) {
      ended = EndReason::kInterrupted;
    }
    if (world.broadcast_value(std::int32_t{ended.has_value()}) != 0) break;
  }
  if (world.is_root()) measuring.sink.end(ended.value_or(EndReason::kInterrupted));
  append(measuring.figures, series, values);
  return values;
}

Seconds time_together(const mpi::Communicator& all, const Clock& clock, const std::function<void()>& work) {
  // MPI's own calls poll. Where ranks share a core, one that polls keeps it for a time slice of milliseconds
  // from one that has not begun, or has not read the clock yet.
  const auto wait = [&all] { mpi::barrier(all, mpi::WaitPolicy::kYield); };
  wait();
  const Seconds start = clock.now();
  work();
  wait();
  const Seconds time = clock.now() - start;
  wait();
  return Seconds(all.reduce_to_all(time.value(), mpi::Reduction::kMax));
}

}  // namespace groma::job
