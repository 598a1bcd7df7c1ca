#include "sim/torus/packet_costs.hpp"

namespace groma::sim::torus {
namespace {

constexpr std::uint32_t kMaxTogether = 64;

}  // namespace

double ReceiveCost::of(std::uint32_t packets) const {
  if (batch <= 1) return single * packets;
  return single + (each() * (packets - 1.0));
}

ReceiveCost read_receive(Fields& processor, std::uint32_t most) {
  Fields fields(processor.value("receive"), "processor.receive");
  ReceiveCost cost;
  cost.single = fields.cycles("single", 0.0);
  cost.batch = fields.whole<std::uint32_t>("batch", 1, 1, most);
  cost.together = fields.cycles("each", cost.single);
  const bool is_less_than_one = cost.batch > 1 && cost.together * cost.batch < cost.single;
  if (cost.together > cost.single || is_less_than_one)
    fields.refuse("each", "must be at most single, and at least single / batch");
  processor.take_error_of(fields);
  return cost;
}

PacketCosts read_packet_costs(Fields& processor) {
  PacketCosts costs;
  costs.send = processor.cycles("send", 0.0);
  const ReceiveCost receive = read_receive(processor, kMaxTogether);
  costs.batch = receive.batch;
  costs.receive_each = receive.each();
  costs.receive_call = receive.empty();
  return costs;
}

}  // namespace groma::sim::torus
