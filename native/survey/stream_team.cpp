#include "survey/stream_team.hpp"

#include <algorithm>
#include <limits>

#include "base/do_not_optimize.hpp"
#include "base/quantile.hpp"
#include "base/team.hpp"

namespace groma::survey {
namespace {

/// A thread may also lose its core while it waits for the start: that much of a pass at most is one late.
constexpr double kLateShare = 0.05;

/// Untimed work goes in windows of this size.
constexpr Bytes kWindow = 4_MiB;

constexpr Bytes kTrialSlice = 3_MiB;
constexpr std::uint32_t kTrials = 7;
/// Whatever else runs can only slow a trial.
constexpr double kTrialQuantile = 0.2;
/// Of variants this close the simplest is taken: with all threads at work it is the one that does better.
constexpr double kAsFast = 1.03;

StreamWindow next_window(StreamRing& ring, const StreamKernel& kernel, Bytes amount) {
  return StreamWindow(ring.next(amount.value() / sizeof(double)), kernel);
}

/// More than the usual pause after a piece, so that only long ones look whether to stop.
constexpr std::uint64_t kTurnsBetweenLooks = 1U << 18U;

/// Ends early where `stop` is set meanwhile.
void pause_until(const std::atomic<bool>& stop, std::uint64_t turns) {
  for (; turns > kTurnsBetweenLooks; turns -= kTurnsBetweenLooks) {
    if (stop.load(std::memory_order_relaxed)) return;
    pause_for(kTurnsBetweenLooks);
  }
  pause_for(turns);
}

PassTime slowest_of(const std::vector<WorkWatch>& watches) {
  std::int64_t first = watches.front().start_ns();
  std::int64_t last_start = first;
  std::int64_t last = watches.front().end_ns();
  bool disturbed = false;
  for (const WorkWatch& watch : watches) {
    first = std::min(first, watch.start_ns());
    last_start = std::max(last_start, watch.start_ns());
    last = std::max(last, watch.end_ns());
    disturbed = disturbed || watch.lost_core();
  }
  const bool late = between(first, last_start) > between(first, last) * kLateShare;
  return {between(first, last), disturbed || late};
}

std::vector<PhysicalCore> cpus_of(std::span<const Streamer> streamers) {
  std::vector<PhysicalCore> cpus;
  for (const Streamer& streamer : streamers) cpus.push_back(streamer.cpu);
  return cpus;
}

struct Trial {
  const StreamVariant* variant;
  std::size_t kernel;
  std::vector<double> times;
};

std::vector<Trial> trials_of(std::span<const StreamKernel* const> kernels, std::string_view isa) {
  std::vector<Trial> trials;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const std::vector<StreamVariant>& variants = kernels[i]->variants;
    for (const StreamVariant& variant : variants) {
      // Vectors of 16 bytes in two guises are one too many to try.
      const bool outdone = variant.isa == Isa::kPortable && variants.back().isa != Isa::kPortable;
      if (isa == "auto" ? !outdone : name_of(variant.isa) == isa) trials.push_back({&variant, i, {}});
    }
  }
  return trials;
}

void run_trials(std::vector<Trial>& trials, std::span<const StreamKernel* const> kernels, StreamRing& ring) {
  for (std::uint32_t round = 0; round < kTrials; ++round) {
    for (Trial& trial : trials) {
      const WorkWatch watch = time_window(ring, {*kernels[trial.kernel], trial.variant->pass}, kTrialSlice);
      trial.times.push_back(watch.elapsed().value());
    }
  }
}

/// Trials go from narrow to wide vectors.
const StreamVariant* simplest_of_the_fastest(const std::vector<Trial>& trials, std::size_t kernel) {
  double best = std::numeric_limits<double>::infinity();
  for (const Trial& trial : trials) {
    if (trial.kernel == kernel) best = std::min(best, quantile(trial.times, kTrialQuantile));
  }
  for (const Trial& trial : trials) {
    if (trial.kernel == kernel && quantile(trial.times, kTrialQuantile) <= best * kAsFast)
      return trial.variant;
  }
  return nullptr;
}

}  // namespace

Bytes counted_bytes(Bytes amount, const StreamKernel& kernel) {
  return kernel.bytes_per_element() * stream_length(amount.value() / sizeof(double), kernel);
}

WorkWatch time_window(StreamRing& ring, const KernelPass& stream, Bytes amount) {
  const StreamWindow window = next_window(ring, stream.kernel, amount);
  WorkWatch watch;
  window.pass(stream.pass, 0, window.length());
  drain_stores();
  watch.stop();
  return watch;
}

void stream_through(StreamRing& ring, const KernelPass& stream, Bytes amount) {
  for (std::uint64_t done = 0; done < amount.value(); done += kWindow.value()) {
    const StreamWindow window = next_window(ring, stream.kernel, kWindow);
    window.pass(stream.pass, 0, window.length());
  }
}

Result<std::vector<PassTime>> time_passes(std::span<const Streamer> streamers, const TimedStream& timed) {
  std::vector<std::vector<WorkWatch>> watches(timed.passes, std::vector<WorkWatch>(streamers.size()));
  const Status status = run_team(cpus_of(streamers), [&](const TeamMember& member) {
    const Streamer& self = streamers[member.index];
    stream_through(*self.ring, timed.stream, self.warm_up);
    for (std::vector<WorkWatch>& of_pass : watches) {
      member.barrier.wait();
      of_pass[member.index] = time_window(*self.ring, timed.stream, timed.slice);
    }
  });
  if (!status) return status.error();
  std::vector<PassTime> times;
  for (const std::vector<WorkWatch>& of_pass : watches) times.push_back(slowest_of(of_pass));
  return times;
}

Result<std::vector<const StreamVariant*>> choose_variants(std::span<const StreamKernel* const> kernels,
                                                          std::string_view isa, const Streamer& streamer) {
  std::vector<Trial> trials = trials_of(kernels, isa);
  const Status status =
      run_team({streamer.cpu}, [&](const TeamMember&) { run_trials(trials, kernels, *streamer.ring); });
  if (!status) return status.error();
  std::vector<const StreamVariant*> chosen;
  for (std::size_t i = 0; i < kernels.size(); ++i) chosen.push_back(simplest_of_the_fastest(trials, i));
  return chosen;
}

void pause_for(std::uint64_t turns) {
  for (std::uint64_t turn = 0; turn < turns; ++turn) do_not_optimize(turn);
}

Seconds time_of_turn(const Clock& clock) {
  constexpr int kPauses = 5;
  for (std::uint64_t turns = 100'000;; turns *= 2) {
    Seconds best(std::numeric_limits<double>::infinity());
    for (int i = 0; i < kPauses; ++i) {
      const Seconds start = clock.now();
      pause_for(turns);
      best = std::min(best, clock.now() - start);
    }
    if (best > Seconds(0.0)) return best / static_cast<double>(turns);
  }
}

void stream_until(const std::atomic<bool>& stop, StreamRing& ring, const KernelPass& stream, Pace pace,
                  StreamProgress& progress) {
  std::uint64_t pieces = progress.pieces.load(std::memory_order_relaxed);
  while (!stop.load(std::memory_order_relaxed)) {
    const StreamWindow window = next_window(ring, stream.kernel, kWindow);
    const std::size_t piece = std::min(pace.piece, window.length());
    for (std::size_t at = 0; at + piece <= window.length(); at += piece) {
      if (stop.load(std::memory_order_relaxed)) return;
      window.pass(stream.pass, at, piece);
      pause_until(stop, pace.pause);
      progress.pieces.store(++pieces, std::memory_order_relaxed);
    }
  }
}

}  // namespace groma::survey
