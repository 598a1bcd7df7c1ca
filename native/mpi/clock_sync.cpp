#include "mpi/clock_sync.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace groma::mpi {
namespace {

// HCA's defaults are 20 fit points of 10 exchanges; here they are taken twice, before and after.
constexpr int kReadings = 10;
constexpr int kExchanges = 10;
constexpr Seconds kLongest{2e-3};  ///< no further reading begins where ranks have to wait for a core
constexpr int kTag = 71;

// What an asking rank sends: the other one answers until there is no more.
constexpr double kMore = 1.0;
constexpr double kNoMore = 0.0;

double weight_of(const ClockReading& reading) {
  constexpr double kShortest = 1e-9;  // clocks may show no difference
  const double round_trip = std::max(kShortest, reading.round_trip().value());
  return 1.0 / (round_trip * round_trip);
}

/// Weighted sums about their mean: times by the own clock, offsets as reference - own.
struct Moments {
  double weight = 0.0;
  double time = 0.0;    ///< mean
  double offset = 0.0;  ///< mean
  double spread = 0.0;  ///< of the times
  double common = 0.0;  ///< of times and offsets
};

Moments moments_of(std::span<const ClockReading> readings) {
  Moments all;
  const Seconds first = readings.front().middle();  // large sums of near times lose digits
  for (const ClockReading& one : readings) {
    const double weight = weight_of(one);
    all.weight += weight;
    all.time += weight * (one.middle() - first).value();
    all.offset += weight * (one.reference - one.middle()).value();
  }
  all.time = first.value() + all.time / all.weight;
  all.offset /= all.weight;
  for (const ClockReading& one : readings) {
    const double weight = weight_of(one);
    const double time = one.middle().value() - all.time;
    all.spread += weight * time * time;
    all.common += weight * time * ((one.reference - one.middle()).value() - all.offset);
  }
  return all;
}

/// How far off the line can be at a time: a reading is off by half its round trip at most, and the line is a
/// linear combination of the readings.
double bound_at(double time, const Moments& all, std::span<const ClockReading> readings) {
  double bound = 0.0;
  for (const ClockReading& one : readings) {
    const double lever =
        all.spread > 0.0 ? (time - all.time) * (one.middle().value() - all.time) / all.spread : 0.0;
    bound += std::abs(weight_of(one) * (1.0 / all.weight + lever)) * 0.5 * one.round_trip().value();
  }
  return bound;
}

constexpr std::size_t kModelWords = 4;
std::array<double, kModelWords> words_of(const ClockModel& model) {
  return {model.origin.value(), model.offset.value(), model.drift, model.uncertainty.value()};
}
ClockModel model_of(const std::array<double, kModelWords>& words) {
  return {Seconds(words[0]), Seconds(words[1]), words[2], Seconds(words[3])};
}

/// Ranks that synchronize with this one, in order: the lower half of each doubling serves.
std::vector<int> children_of(int rank, int size) {
  std::vector<int> children;
  for (std::int64_t step = std::bit_ceil(static_cast<std::uint32_t>(rank) + 1U); rank + step < size;
       step *= 2) {
    children.push_back(static_cast<int>(rank + step));
  }
  return children;
}

}  // namespace

ClockModel fit_clock(std::span<const ClockReading> readings) {
  if (readings.empty()) return {};
  const Moments all = moments_of(readings);
  const double drift = all.spread > 0.0 ? all.common / all.spread : 0.0;
  const auto [first, last] = std::minmax_element(
      readings.begin(), readings.end(),
      [](const ClockReading& a, const ClockReading& b) { return a.middle() < b.middle(); });
  // Convex in time: largest at one of the ends.
  const double bound = std::max(bound_at(first->middle().value(), all, readings),
                                bound_at(last->middle().value(), all, readings));
  return {Seconds(all.time), Seconds(all.offset), drift, Seconds(bound * (1.0 + std::abs(drift)))};
}

ClockModel compose(const ClockModel& first, const ClockModel& second) {
  const Seconds between = first.to_reference(first.origin);
  return {first.origin, second.to_reference(between) - first.origin,
          (1.0 + first.drift) * (1.0 + second.drift) - 1.0,
          first.uncertainty * (1.0 + std::abs(second.drift)) + second.uncertainty};
}

int clock_parent(int rank) {
  return rank == 0 ? 0 : rank - static_cast<int>(std::bit_floor(static_cast<std::uint32_t>(rank)));
}

ClockReading ClockSync::exchange(int parent) const {
  double word = kMore;
  const Seconds sent = clock_.now();
  all_.send(std::span<const double>(&word, 1), parent, kTag);
  all_.receive(std::span<double>(&word, 1), parent, kTag);
  return {sent, clock_.now(), Seconds(word)};
}

ClockReading ClockSync::best_exchange(int parent, Seconds until) const {
  ClockReading best = exchange(parent);
  for (int i = 1; i < kExchanges && clock_.now() < until; ++i) {
    const ClockReading next = exchange(parent);
    if (next.round_trip() < best.round_trip()) best = next;
  }
  return best;
}

void ClockSync::ask(int parent) {
  const Seconds until = clock_.now() + kLongest;
  readings_.push_back(best_exchange(parent, until));
  for (int i = 1; i < kReadings && clock_.now() < until; ++i) {
    readings_.push_back(best_exchange(parent, until));
  }
  all_.send(std::span<const double>(&kNoMore, 1), parent, kTag);
}

void ClockSync::answer(int child) const {
  double word = kNoMore;
  while (all_.receive(std::span<double>(&word, 1), child, kTag), word == kMore) {
    word = clock_.now().value();
    all_.send(std::span<const double>(&word, 1), child, kTag);
  }
}

void ClockSync::observe() {
  if (all_.rank() != 0) ask(clock_parent(all_.rank()));
  for (const int child : children_of(all_.rank(), all_.size())) answer(child);
}

ClockModel ClockSync::settle() {
  ClockModel model = fit_clock(readings_);
  readings_.clear();
  std::array<double, kModelWords> words{};
  if (all_.rank() != 0) {
    all_.receive(std::span<double>(words), clock_parent(all_.rank()), kTag);
    model = compose(model, model_of(words));
  }
  words = words_of(model);
  for (const int child : children_of(all_.rank(), all_.size())) {
    all_.send(std::span<const double>(words), child, kTag);
  }
  return model;
}

}  // namespace groma::mpi
