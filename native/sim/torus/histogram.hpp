// Counts of times in bins that are at most 1/32 of their value wide; least, greatest and mean are exact.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>

namespace groma::sim::torus {

class Histogram {
 public:
  void add(std::int64_t value) {
    ++bins_[bin_of(static_cast<std::uint64_t>(value))];
    ++count_;
    sum_ += value;
    least_ = std::min(least_, value);
    greatest_ = std::max(greatest_, value);
  }
  void add(const Histogram& other) {
    for (std::size_t i = 0; i < bins_.size(); ++i) bins_[i] += other.bins_[i];
    count_ += other.count_;
    sum_ += other.sum_;
    least_ = std::min(least_, other.least_);
    greatest_ = std::max(greatest_, other.greatest_);
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::int64_t least() const { return count_ == 0 ? 0 : least_; }
  [[nodiscard]] std::int64_t greatest() const { return greatest_; }
  [[nodiscard]] double mean() const {
    return count_ == 0 ? 0.0 : static_cast<double>(sum_) / static_cast<double>(count_);
  }
  /// The least value of the bin that holds this quantile.
  [[nodiscard]] std::int64_t quantile(double share) const {
    const auto wanted = static_cast<std::uint64_t>(share * static_cast<double>(count_));
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      below += bins_[i];
      if (below > wanted) return std::clamp(value_of(i), least(), greatest_);
    }
    return greatest_;
  }

 private:
  static constexpr unsigned kBits = 5;  // of a value beside its leading one
  static constexpr std::uint64_t kExact = std::uint64_t{1} << (kBits + 1);

  static std::size_t bin_of(std::uint64_t value) {
    if (value < kExact) return value;
    const auto shift = static_cast<unsigned>(std::bit_width(value)) - kBits - 1;
    return (std::size_t{shift} << kBits) + (value >> shift);
  }
  static std::int64_t value_of(std::size_t bin) {
    if (bin < kExact) return static_cast<std::int64_t>(bin);
    const std::size_t shift = (bin >> kBits) - 1;
    return static_cast<std::int64_t>((bin - (shift << kBits)) << shift);
  }

  std::array<std::uint64_t, (64U << kBits)> bins_{};
  std::uint64_t count_ = 0;
  std::int64_t sum_ = 0;
  std::int64_t least_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t greatest_ = 0;
};

}  // namespace groma::sim::torus
