// The measuring loop of a job: a figure of several ranks, taken again and again, each time with what
// disturbed it.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/samples.hpp"
#include "mpi/communicator.hpp"

namespace groma::job {

/// Where the whole budget is spent on one test, more repetitions than this teach nothing.
constexpr std::uint32_t kMostRepetitions = 100;

/// How long to measure.
struct Effort {
  std::uint32_t repetitions = 5;  ///< timed ones of each test, at least
  Seconds budget{60.0};           ///< of all tests together: further repetitions stop there
};

/// What one series gave. Kept on the root only.
struct Figure {
  std::string name;
  std::string mode;  ///< single, star or mpi
  std::string unit;
  std::vector<std::vector<double>> values;  ///< by repetition, then rank; NaN: the rank had no part
};

/// What a measuring loop works with. Only the root's sink keeps anything.
struct Measuring {
  const mpi::Communicator& world;
  const Clock& clock;
  const std::atomic<bool>& cancelled;
  SampleSink& sink;
  std::uint32_t repetitions;  ///< at least
  Seconds until;  ///< by `clock` of the root: no further repetition begins after it, once there are enough
  std::vector<Figure>* figures = nullptr;  ///< where the loop leaves its values too, if anywhere
  std::uint32_t most = kMostRepetitions;   ///< repetitions at most
};

/// One repetition: values of this rank, one for each series, NaN for those that it has no part in.
using Measurement = std::function<std::vector<double>()>;

/// What is measured: the case that it is reported as, without its rank.
struct Series {
  std::string_view name;  ///< label "series"
  std::string_view mode;  ///< label "mode": single, star or mpi
  std::string_view unit;
  std::vector<std::pair<std::string_view, Json>>
      labels{};  ///< sizes and the like, where series differ in them
};

/// Values by series, then repetition, then rank. On the root; empty elsewhere.
using Values = std::vector<std::vector<std::vector<double>>>;

/// Samples behind the values of a repetition: the cases are the same each time.
struct RawSamples {
  std::vector<Case> cases;
  std::vector<std::vector<double>> values;  ///< of this repetition, by case
  std::size_t figures = 0;  ///< so many of the first cases are worth showing beside the series
};

/// Why a loop with so many repetitions done ends now, or nothing; `figures` are the samples of each figure
/// that has to settle. On the root.
std::optional<EndReason> reason_to_end(const Measuring& measuring,
                                       std::span<const std::vector<double>> figures, std::uint32_t done);

/// Collective. Repeats `measure` as often as is asked for, and on while there is time and the median of a
/// series has not settled (that of the means over the ranks, as it is reported), each from a barrier. The
/// root's sink gets one case for each series and rank that gave a value: series of mode mpi come from rank 0
/// only. `raw`, if given, is called on the root after each repetition; the samples that it returns follow the
/// series.
Values repeat(const Measuring& measuring, const std::vector<Series>& series, const Measurement& measure,
              const std::function<RawSamples()>& raw = {});

/// Time of `work` on this rank from a barrier to the barrier after it: that of the slowest rank.
Seconds time_together(const mpi::Communicator& all, const Clock& clock, const std::function<void()>& work);

}  // namespace groma::job
