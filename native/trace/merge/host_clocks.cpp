#include "trace/merge/host_clocks.hpp"

#include <algorithm>
#include <cmath>

namespace groma::trace {

/// Ticks of two hosts at the same time.
struct SameTime {
  std::uint64_t ticks;  ///< of the host whose clock is not known yet
  std::uint64_t known;  ///< of the other one
  double error;         ///< ns
};

namespace {

// Where comparisons are close together, these say whether they or the host's own clock tell its rate better.

/// How far the clocks of two hosts that nothing steers run apart, as a part of their rate: a quartz of a
/// computer is usually within 100 ppm, whatever its age and temperature.
constexpr double kDrift = 2e-4;
/// The error of a time between two ClockPairs of a host, in ns. Each is the best of eight, which take about
/// 100 ns; half of that for each of the two.
constexpr double kReading = 100;

/// What the logs of one host say of its clock.
struct HostSamples {
  log::ClockPair first{};
  log::ClockPair last{};
  double rate = 0;  ///< nanoseconds of the system's clock in a tick; from the longest time that the logs span
  double rate_error = 1;  ///< bounds how far it may be from that of another host, as a part of it
  std::map<std::uint64_t, std::vector<log::SyncSample>> syncs = {};  ///< by world

  void set_rate(log::Clock clock) {
    const double ticks = signed_difference(last.ticks, first.ticks);
    const double passed = signed_difference(last.monotonic, first.monotonic);
    const bool is_measured = ticks > 0 && passed > 0;
    rate = is_measured ? passed / ticks : clock == log::Clock::system ? 1.0 : 0.4;
    if (is_measured) rate_error = kDrift + kReading / passed;
  }
};

using Samples = std::map<std::string, HostSamples>;

void add(HostSamples& host, const log::Header& header) {
  if (host.first.ticks == 0 || header.begin.ticks < host.first.ticks) host.first = header.begin;
  for (const log::ClockPair& pair : {header.begin, header.latest}) {
    if (pair.ticks > host.last.ticks) host.last = pair;
  }
  auto& syncs = host.syncs[header.world];
  syncs.insert(syncs.end(), header.sync.begin(), header.sync.begin() + header.syncs);
}

Samples samples_of(std::span<const log::Header* const> headers) {
  Samples samples;
  for (const log::Header* header : headers) add(samples[header->host.data()], *header);
  for (auto& [_, host] : samples) host.set_rate(headers.front()->clock);
  return samples;
}

/// The host of rank 0 of each world, which the others of that world were compared with. One that left no log
/// of rank 0 is known by what it compared with itself.
std::map<std::uint64_t, std::string> references_of(std::span<const log::Header* const> headers) {
  std::map<std::uint64_t, std::string> references;
  for (const log::Header* header : headers) {
    const log::SyncSample& first = header->sync[0];
    const bool is_own = header->syncs > 0 && first.ticks == first.reference && first.half_trip == 0;
    if (header->rank == 0 || is_own) references[header->world] = header->host.data();
  }
  return references;
}

/// All logs of a host hold the same comparisons.
void keep_one_of_each(std::vector<SameTime>& found) {
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.ticks < b.ticks; });
  const auto same = [](const auto& a, const auto& b) { return a.ticks == b.ticks; };
  found.erase(std::unique(found.begin(), found.end(), same), found.end());
}

/// When two hosts were compared, whichever of them asked.
std::vector<SameTime> compared(const std::map<std::uint64_t, std::string>& references,
                               const Samples::value_type& host, const Samples::value_type& known) {
  std::vector<SameTime> found;
  for (const auto& [world, reference] : references) {
    if (reference == known.first && host.second.syncs.contains(world)) {
      for (const log::SyncSample& one : host.second.syncs.at(world)) {
        found.push_back({one.ticks, one.reference, static_cast<double>(one.half_trip) * host.second.rate});
      }
    } else if (reference == host.first && known.second.syncs.contains(world)) {
      for (const log::SyncSample& one : known.second.syncs.at(world)) {
        found.push_back({one.reference, one.ticks, static_cast<double>(one.half_trip) * known.second.rate});
      }
    }
  }
  keep_one_of_each(found);
  return found;
}

}  // namespace

/// Once, as a merge converts several times for each call.
void HostClock::set_slopes() {
  for (std::size_t i = 0; i + 1 < knots_.size(); ++i) {
    const Knot& next = knots_[i + 1];
    knots_[i].slope =
        (next.nanoseconds - knots_[i].nanoseconds) / signed_difference(next.ticks, knots_[i].ticks);
  }
}

double HostClock::nanoseconds_per_tick() const {
  return (knots_.back().nanoseconds - knots_.front().nanoseconds) /
         signed_difference(knots_.back().ticks, knots_.front().ticks);
}

void HostClock::pass_through(std::uint64_t ticks, double nanoseconds, double rate) {
  knots_ = {{ticks, nanoseconds}, {ticks + kStretch, nanoseconds + static_cast<double>(kStretch) * rate}};
  set_slopes();
}

/// Before and after its comparisons it keeps the rate of the nearest two, unless these are too close together
/// to tell it: then that of all of them or its own, whichever is known better.
void HostClock::run_on(std::span<const SameTime> times, double rate, double rate_error) {
  const auto error_between = [&](std::size_t from, std::size_t to) {
    return (times[from].error + times[to].error) /
           (signed_difference(times[to].ticks, times[from].ticks) * rate);
  };
  const std::size_t last = times.size() - 1;
  const double better = error_between(0, last) < rate_error ? nanoseconds_per_tick() : rate;
  const Knot front = knots_.front();
  const Knot back = knots_.back();
  const std::uint64_t earlier = std::min(kStretch, front.ticks);
  const std::uint64_t later = std::min(kStretch, ~back.ticks);
  if (later > 0 && error_between(last - 1, last) > rate_error) {
    knots_.push_back({back.ticks + later, back.nanoseconds + static_cast<double>(later) * better});
  }
  if (earlier > 0 && error_between(0, 1) > rate_error) {
    knots_.insert(knots_.begin(),
                  {front.ticks - earlier, front.nanoseconds - static_cast<double>(earlier) * better});
  }
}

void HostClock::follow(const HostClock& known, std::span<const SameTime> times, double rate,
                       double rate_error) {
  comparisons_ = times.size();
  alignment_ = std::max(known.alignment_, times.size() > 1 ? Alignment::kMessages : Alignment::kOffsetOnly);
  if (times.size() == 1) {
    pass_through(times.front().ticks, known.nanoseconds(times.front().known), rate);
  } else {
    for (const SameTime& one : times) knots_.push_back({one.ticks, known.nanoseconds(one.known)});
    run_on(times, rate, rate_error);
    set_slopes();
  }
  if (alignment_ == Alignment::kSystem) return;  // that error is not known
  for (const SameTime& one : times) error_ = std::max(error_, one.error);
  error_ += known.error_;
}

HostClocks::HostClocks(std::span<const log::Header* const> headers) {
  if (headers.empty()) return;
  const Samples samples = samples_of(headers);
  const auto references = references_of(headers);
  const auto first = samples.find(headers.front()->host.data());
  const log::ClockPair& begin = first->second.first;
  clocks_[first->first].pass_through(begin.ticks, 0, first->second.rate);
  const auto is_left = [this](const Samples::value_type& host) { return !clocks_.contains(host.first); };
  // From each host whose clock is known to those that were compared with it.
  std::vector known{&*first};
  for (std::size_t i = 0; i < known.size(); ++i) {
    for (const Samples::value_type& host : samples) {
      if (!is_left(host)) continue;
      const std::vector<SameTime> times = compared(references, host, *known[i]);
      if (times.empty()) continue;
      clocks_[host.first].follow(clocks_.at(known[i]->first), times, host.second.rate,
                                 host.second.rate_error);
      known.push_back(&host);
    }
    const auto left = std::find_if(samples.begin(), samples.end(), is_left);
    if (i + 1 < known.size() || left == samples.end()) continue;
    const auto& [name, host] = *left;
    clocks_[name].pass_through(host.first.ticks, signed_difference(host.first.realtime, begin.realtime),
                               host.rate);
    clocks_[name].alignment_ = Alignment::kSystem;
    known.push_back(&*left);
  }
}

const HostClock& HostClocks::of(const log::Header& header) const {
  return clocks_.at(header.host.data());
}

}  // namespace groma::trace
