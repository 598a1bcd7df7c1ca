#include "sim/torus/packet_costs.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/json_reader.hpp"

namespace groma::sim::torus {
namespace {

TEST(ReceiveCost, SharesTheFixedPartOfACall) {
  const ReceiveCost cost{600.0, 4, 330.0};
  EXPECT_DOUBLE_EQ(cost.of(1), 600.0);
  EXPECT_DOUBLE_EQ(cost.of(4), 4 * 330.0);
  EXPECT_DOUBLE_EQ(cost.of(2), 840.0);
}

/// What is wrong with these costs of a processor, or nothing.
std::string refusal_of(const std::string& receive) {
  const JsonDocument document = read_json(R"({"send":150,"receive":)" + receive + "}").value();
  Fields processor(document.root(), "processor");
  read_packet_costs(processor);
  const Status status = processor.status();
  return status ? "" : status.error().what;
}

TEST(PacketCosts, ShareTheFixedPartOfACall) {
  const JsonDocument document =
      read_json(R"({"send":150,"receive":{"single":600,"batch":4,"each":330}})").value();
  Fields processor(document.root(), "processor");
  const PacketCosts costs = read_packet_costs(processor);
  EXPECT_DOUBLE_EQ(costs.send, 150.0);
  EXPECT_DOUBLE_EQ(costs.receive(1), 600.0);
  EXPECT_DOUBLE_EQ(costs.receive(4), 4 * 330.0);
}

TEST(PacketCosts, OfPacketsReceivedTogetherAreNoLessThanThatOfOne) {
  const std::string what = "processor.receive.each must be at most single, and at least single / batch";
  EXPECT_EQ(refusal_of(R"({"single":600,"batch":4,"each":150})"), "");
  EXPECT_EQ(refusal_of(R"({"single":600,"batch":4,"each":149})"), what);
  EXPECT_EQ(refusal_of(R"({"single":600,"batch":4,"each":601})"), what);
}

TEST(PacketCosts, OfPacketsReceivedOneByOneAreThatOfOne) {
  EXPECT_EQ(refusal_of(R"({"single":500,"batch":1,"each":348})"), "");
  EXPECT_DOUBLE_EQ((ReceiveCost{500.0, 1, 348.0}).of(3), 1500.0);
}

TEST(PacketCosts, NameTheMemberThatIsWrong) {
  EXPECT_EQ(refusal_of(R"({"single":-1})"), "processor.receive.single must be cycles from 0 to 1e9");
  EXPECT_EQ(refusal_of(R"({"sngle":1})"), "processor.receive has no member sngle");
}

}  // namespace
}  // namespace groma::sim::torus
