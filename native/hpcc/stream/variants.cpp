#include "hpcc/stream/variants.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/quantile.hpp"

namespace groma::hpcc {
namespace {

/// Of each vector and member. The window moves on with every trial: what it meets was last touched a whole
/// turn ago and has left the caches.
constexpr std::uint64_t kWindow = std::uint64_t{96} * 1024;
constexpr std::uint32_t kTrials = 7;
/// Whatever else runs can only slow a trial.
constexpr double kTrialQuantile = 0.25;
/// Of variants this close the simplest is taken.
constexpr double kAsFast = 1.02;

/// Windows of equal length, one after the other around the parts of the vectors.
class Windows {
 public:
  explicit Windows(const StreamVectors& vectors)
      : shortest_(vectors.shortest_part()), length_(std::min(kWindow, shortest_ / 8 * 8)) {}

  [[nodiscard]] std::uint64_t length() const { return length_; }
  std::uint64_t next() {
    const std::uint64_t begin = next_ + length_ <= shortest_ ? next_ : 0;
    next_ = begin + length_;
    return begin;
  }

 private:
  std::uint64_t shortest_;
  std::uint64_t length_;
  std::uint64_t next_ = 0;
};

double timed(StreamVectors& vectors, Windows& windows, const StreamStep& step, const StreamChoice& choice) {
  const std::uint64_t begin = windows.next();
  const std::int64_t start = monotonic_ns();
  vectors.step_within_parts(step, choice.pass, begin, windows.length());
  return between(start, monotonic_ns()).value();
}

StreamChoice fastest(StreamVectors& vectors, Windows& windows, const StreamStep& step) {
  const std::vector<StreamChoice> variants = stream_variants(step);
  std::vector<std::vector<double>> times(variants.size());
  for (std::uint32_t trial = 0; trial < kTrials; ++trial) {
    for (std::size_t i = 0; i < variants.size(); ++i) {
      times[i].push_back(timed(vectors, windows, step, variants[i]));
    }
  }
  std::vector<double> quick;
  for (const std::vector<double>& of_variant : times) quick.push_back(quantile(of_variant, kTrialQuantile));
  const double limit = kAsFast * *std::min_element(quick.begin(), quick.end());
  const auto first = std::find_if(quick.begin(), quick.end(), [&](double time) { return time <= limit; });
  return variants[static_cast<std::size_t>(first - quick.begin())];
}

}  // namespace

std::string name_of(const StreamChoice& choice) {
  return std::string(name_of(choice.isa)) + ", " + std::to_string(choice.strands) +
         (choice.strands == 1 ? " strand, " : " strands, ") +
         (choice.non_temporal ? "non-temporal" : "regular") + " stores";
}

std::vector<StreamChoice> stream_variants(const StreamStep& step) {
  std::vector<StreamChoice> variants;
  for (const StreamKernel& kernel : stream_kernels()) {
    if (kernel.operation != step.operation) continue;
    for (const StreamVariant& one : kernel.variants) {
      // Vectors of 16 bytes in two guises are one too many to try.
      if (one.isa == Isa::kPortable && kernel.variants.back().isa != Isa::kPortable) continue;
      variants.push_back({one.pass, one.isa, one.strands, kernel.non_temporal});
    }
  }
  return variants;
}

StreamChoices choose_stream_variants(StreamVectors& vectors) {
  Windows windows(vectors);
  StreamChoices choices{};
  for (std::size_t i = 0; i < choices.size(); ++i) {
    choices[i] = fastest(vectors, windows, kStreamSteps[i]);
  }
  vectors.fill();
  return choices;
}

}  // namespace groma::hpcc
