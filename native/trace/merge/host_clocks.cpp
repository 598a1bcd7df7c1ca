#include "trace/merge/host_clocks.hpp"

#include <algorithm>
#include <cmath>

namespace groma::trace {
namespace {

/// What the logs of one host say of its clock.
struct HostSamples {
  log::ClockPair first{};
  log::ClockPair last{};
  std::vector<log::SyncSample> syncs;

  /// Nanoseconds of the system's clock in a tick; from the longest time that the logs span.
  [[nodiscard]] double rate(log::Clock clock) const {
    const double ticks = signed_difference(last.ticks, first.ticks);
    const double passed = signed_difference(last.monotonic, first.monotonic);
    return ticks > 0 && passed > 0 ? passed / ticks : clock == log::Clock::system ? 1.0 : 0.4;
  }
};

void add(HostSamples& host, const log::Header& header) {
  if (host.first.ticks == 0 || header.begin.ticks < host.first.ticks) host.first = header.begin;
  for (const log::ClockPair& pair : {header.begin, header.latest}) {
    if (pair.ticks > host.last.ticks) host.last = pair;
  }
  for (std::uint32_t i = 0; i < header.syncs; ++i) host.syncs.push_back(header.sync[i]);
}

/// One sample for each comparison: all logs of a host hold the same.
void sort_syncs(std::vector<log::SyncSample>& syncs) {
  std::sort(syncs.begin(), syncs.end(), [](const auto& a, const auto& b) { return a.ticks < b.ticks; });
  const auto same = [](const auto& a, const auto& b) { return a.ticks == b.ticks; };
  syncs.erase(std::unique(syncs.begin(), syncs.end(), same), syncs.end());
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

HostClocks::HostClocks(std::span<const log::Header* const> headers) {
  std::map<std::string, HostSamples> samples;
  for (const log::Header* header : headers) add(samples[header->host.data()], *header);
  if (headers.empty()) return;
  const std::string reference = headers.front()->host.data();
  const log::Clock kind = headers.front()->clock;
  const HostSamples& base = samples[reference];
  const double base_rate = base.rate(kind);
  const auto on_scale = [&](std::uint64_t ticks) {
    return signed_difference(ticks, base.first.ticks) * base_rate;
  };
  for (auto& [host, known] : samples) {
    HostClock& clock = clocks_[host];
    sort_syncs(known.syncs);
    const double rate = known.rate(kind);
    constexpr std::uint64_t stretch = std::uint64_t{1} << 32U;
    const auto extend = [&](std::uint64_t ticks, double nanoseconds) {
      clock.knots_ = {{ticks, nanoseconds},
                      {ticks + stretch, nanoseconds + static_cast<double>(stretch) * rate}};
    };
    if (host == reference) {
      extend(base.first.ticks, 0);
      continue;
    }
    for (const log::SyncSample& sync : known.syncs) {
      clock.error_ = std::max(clock.error_, static_cast<double>(sync.half_trip) * rate);
      clock.knots_.push_back({sync.ticks, on_scale(sync.reference)});
    }
    clock.alignment_ = Alignment::kMessages;
    clock.comparisons_ = known.syncs.size();
    if (known.syncs.size() == 1) {
      clock.alignment_ = Alignment::kOffsetOnly;
      extend(known.syncs[0].ticks, on_scale(known.syncs[0].reference));
    } else if (known.syncs.empty()) {
      clock.alignment_ = Alignment::kSystem;
      extend(known.first.ticks, signed_difference(known.first.realtime, base.first.realtime));
    }
  }
  for (auto& [_, clock] : clocks_) clock.set_slopes();
}

const HostClock& HostClocks::of(const log::Header& header) const {
  return clocks_.at(header.host.data());
}

}  // namespace groma::trace
