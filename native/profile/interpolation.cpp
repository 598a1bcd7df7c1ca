#include "profile/interpolation.hpp"

#include <algorithm>

namespace groma::profile {
namespace {

constexpr const char* kInterpolated = "interpolated linearly between measured points";
constexpr const char* kExtrapolated = "extrapolated beyond the largest measured message";

groma_quantity between(const Point& one, const Point& other, double at) {
  const double share = (at - one.at) / (other.at - one.at);
  const auto mixed = [&](double groma_quantity::*part) {
    return one.quantity.*part + share * (other.quantity.*part - one.quantity.*part);
  };
  return {mixed(&groma_quantity::value),
          mixed(&groma_quantity::low),
          mixed(&groma_quantity::high),
          std::min(one.quantity.confidence, other.quantity.confidence),
          one.quantity.unit,
          kInterpolated};
}

/// By the bandwidth of the layer, else in proportion.
groma_quantity beyond(const Point& last, const MaybeQuantity& bandwidth, double bytes) {
  groma_quantity time = last.quantity;
  time.method = kExtrapolated;
  const double more = bytes - last.at;
  if (bandwidth && bandwidth->low > 0.0) {
    time.value += more / bandwidth->value;
    time.low += more / bandwidth->high;
    time.high += more / bandwidth->low;
    time.confidence = std::min(time.confidence, bandwidth->confidence);
  } else if (last.at > 0.0) {
    const double factor = bytes / last.at;
    time.value *= factor;
    time.low *= factor;
    time.high *= factor;
  }
  return time;
}

}  // namespace

MaybeQuantity interpolated(const Curve& curve, double at) {
  const auto next = std::ranges::lower_bound(curve, at, {}, &Point::at);
  if (next == curve.end()) return std::nullopt;
  if (next->at == at) return next->quantity;
  if (next == curve.begin()) return std::nullopt;
  return between(*(next - 1), *next, at);
}

MaybeQuantity interpolated_from_first(const Curve& curve, double at) {
  return curve.empty() ? std::nullopt : interpolated(curve, std::max(at, curve.front().at));
}

MaybeQuantity time_of_message(const Layer& layer, double bytes) {
  if (layer.times.empty()) return std::nullopt;
  if (bytes <= layer.times.front().at) return layer.times.front().quantity;
  if (bytes > layer.times.back().at) return beyond(layer.times.back(), layer.bandwidth, bytes);
  return interpolated(layer.times, bytes);
}

groma_quantity bandwidth_of(double bytes, const groma_quantity& time) {
  return {bytes / time.value, bytes / time.high, bytes / time.low, time.confidence, "B/s", time.method};
}

}  // namespace groma::profile
