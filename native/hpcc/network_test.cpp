#include "hpcc/network.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace groma::hpcc {
namespace {

/// A cable that lets a burst of 64 KiB pass at once after a pause.
class ShapedCable {
 public:
  ShapedCable(double latency, double bytes_per_second) : latency_(latency), rate_(bytes_per_second) {}

  Seconds operator()(std::uint64_t bytes, std::uint32_t times) {
    const double all = static_cast<double>(bytes * times);
    const double waiting = std::max(0.0, all - burst_);
    burst_ = std::max(0.0, burst_ - all);
    const double time = latency_ * times + waiting / rate_;
    spent += time;
    return Seconds(time / times);
  }
  double spent = 0.0;

 private:
  double latency_;
  double rate_;
  double burst_ = 65536.0;
};

TEST(MeasureExchange, FindsLatencyAndRateOfAnyNetwork) {
  for (const double rate : {5e6 / 8, 50e6 / 8, 1e9 / 8, 1e10}) {
    ShapedCable cable(1e-4, rate);
    const MessageTime time =
        measure_exchange([&](std::uint64_t bytes, std::uint32_t times) { return cable(bytes, times); });
    EXPECT_NEAR(time.latency.value(), 1e-4, 1e-6);
    EXPECT_NEAR(time.seconds_per_byte * rate, 1.0, 0.05);
  }
}

TEST(MeasureExchange, TakesAMomentOnTheSlowestNetworkOfAll) {
  ShapedCable cable(1e-3, 5e6 / 8);
  measure_exchange([&](std::uint64_t bytes, std::uint32_t times) { return cable(bytes, times); });
  EXPECT_LT(cable.spent, 0.5);
}

TEST(ExchangeRate, IsThatOfTheSlowerRing) {
  Network network;
  network.ring.seconds_per_byte = 1e-7;
  network.random_ring.seconds_per_byte = 4e-7;
  EXPECT_DOUBLE_EQ(network.exchange_rate(), 5e6);
}

}  // namespace
}  // namespace groma::hpcc
